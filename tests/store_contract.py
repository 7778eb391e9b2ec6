"""What the store's tests share: both stores behind one name, and one filled step of each kind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from agent.steps import (
    Asked,
    Call,
    Change,
    Commanded,
    Corrected,
    Decided,
    End,
    Ended,
    Failed,
    Finished,
    Handed,
    Level,
    Looking,
    Nudged,
    Offered,
    Opened,
    Outcome,
    Parked,
    Proposed,
    Purged,
    Resumed,
    Said,
    Seen,
    Started,
    Step,
    Stream,
    ToolSpec,
    Trouble,
    Usage,
)
from agent.store.memory import MemoryStore
from agent.store.sqlite import SqliteStore
from agent.tables import Inbound, Outgoing, Store

STORES = ("sqlite", "memory")
HASH = "9f86d081884c7d65"


@asynccontextmanager
async def opened(kind: str, folder: Path) -> AsyncIterator[Store]:
    store: Store = SqliteStore(folder / "jarvis.db") if kind == "sqlite" else MemoryStore()
    await store.open()
    try:
        yield store
    finally:
        await store.close()


def asked(text: str = "hello", at: float = 1.0, ref: str | None = None) -> Asked:
    return Asked(at=at, text=text, author="telegram:7", ref=ref)


def ended(at: float = 2.0) -> Ended:
    return Ended(at=at, end=End.ANSWERED)


def update(update_id: int, bot: str = "bot", payload: str = "{}") -> Inbound:
    return Inbound(bot=bot, update_id=update_id, chat="5", payload=payload, received=1.5)


def letter(key: str, state: str = "queued", body: str = "{}") -> Outgoing:
    return Outgoing(key=key, chat="5", body=body, state=state)


ONE_OF_EACH: tuple[Step, ...] = (
    Opened(
        at=1.5,
        prompt="You work on a host.\nBe exact.",
        tools=(ToolSpec("shell", "run a command", '{"type":"object"}'), ToolSpec("plan", "", "{}")),
        model="qwen3-14b",
        panel="ours 1",
        day="2026-02-03",
        cwd="/srv/api",
        nonce="b1946ac9",
        workspace="/srv",
    ),
    Asked(
        at=2.0,
        text="füge 🙂 hinzu",
        author="telegram:7",
        ref="telegram:1:-100:42",
        name="Ada",
        role="owner",
        forwarded=True,
    ),
    Corrected(at=2.5, text="add 🙃", author="telegram:7", ref="telegram:1:-100:42"),
    Said(
        at=3.0,
        text="",
        calls=(Call("c1", "shell", '{"command":"ls"}'), Call("c2", "plan", "{}")),
        upto=3,
        finish="tool_calls",
        model="qwen3-14b",
        usage=Usage(prompt=900, completion=12, cached=800, estimated=True),
        duration=0.75,
    ),
    Failed(
        at=3.5,
        trouble=Trouble.WAIT,
        text="The provider asks for a break.",
        status=429,
        retry_after=20.5,
        model="qwen3-14b",
        usage=Usage(prompt=900),
        duration=0.25,
    ),
    Proposed(at=4.0, call=Call("c1", "shell", '{"command":"ls"}'), effect="write"),
    Started(at=4.5, call_id="c1"),
    Finished(
        at=5.0,
        call_id="c1",
        tool="shell",
        outcome=Outcome.ANSWERED_NO,
        text="exit 1",
        details="ls: nothing",
        exit_code=1,
        duration=0.125,
        cwd="/srv/api",
        stdout=Stream("a\x1b[0m", "z", 20000, HASH),
        stderr=Stream(),
        files=(Change("new.py", "", HASH), Change("big.bin", None, None)),
    ),
    Nudged(
        at=5.5,
        guard="repeated",
        event="nudge.repeated",
        level=Level.HOLD,
        text="step back",
        slot="r",
        rank=3,
        about="c1",
    ),
    Looking(at=6.0, look="l1", guard="world", probe="disk", args='{"files":200}', about="c1"),
    Seen(at=6.5, look="l1", probe="disk", value="null", status="timeout"),
    Decided(at=7.0, call_id="c1", verdict="deny", by="telegram:7", reason="not today"),
    Commanded(at=7.5, command="stop", by="telegram:7"),
    Handed(at=8.0, checkpoint='{"goal":"x"}', text="Goal: x", state='{"v":1}'),
    Parked(at=8.5, until=99.5, why="the provider is down"),
    Resumed(at=9.0, cause="restart"),
    Purged(at=9.5, upto=3, what="streams"),
    Ended(at=10.0, end=End.BLOCKED, reason="no network"),
    Offered(at=10.5, added=(ToolSpec("greet", "Greets.", '{"type":"object","properties":{}}'),), dropped=("plan",)),
)
