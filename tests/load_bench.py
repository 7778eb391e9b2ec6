"""Load on the real process: what the tests count and what `python -m tests.load_bench` prints as figures."""

from __future__ import annotations

import asyncio
import contextlib
import json
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.lab import DRAFT, Lab, Sent
from tests.fakes.model import Say, Turn, sh
from tests.fakes.telegram import OWNER, ApiCall, FloodLimits

BUSY, CHATS, EACH = 20, 100, 5
GROUP = -100900
FLOOD_S = 120.0  # s; 500 answers at 30 a second need 17, a hang needs for ever
SIGNS = ("sendChatAction", "setMessageReaction", "sendMessage", "editMessageText", DRAFT)


@dataclass(frozen=True, slots=True)
class Flooded:
    """What came of a flood. `refused_late`: 429s of our own making after its first 10 s."""

    refused: int
    refused_late: int
    unanswered: tuple[int, ...]
    unordered: tuple[int, ...]
    took_s: float
    first_s: tuple[float, ...]  # to the first message of each chat


@contextlib.asynccontextmanager
async def bench(*chats: int) -> AsyncIterator[Lab]:
    """A started process that knows these chats beside the owner's."""
    with tempfile.TemporaryDirectory(prefix="load") as folder:
        async with Lab(Path(folder), chats, {"JARVIS_MODEL__PARALLEL": "128"}) as lab:
            await lab.start()
            yield lab


async def busy(lab: Lab, chats: list[int]) -> None:
    """A run in each chat that works until it is stopped."""
    for chat in chats:
        lab.send("work", [sh(lab.nap(300 + chat)), "never"], chat)
    await lab.until(lambda: len(lab.naps()) >= len(chats), "not all runs are at work", 90)


async def signed(lab: Lab, sent: Sent, timeout: float = 10) -> float:
    """Seconds from the message to the first thing that a person sees of it."""

    def sign(call: ApiCall) -> bool:
        return call.chat == sent.chat and call.method in SIGNS

    return (await lab.telegram.wait_call(sign, timeout, sent.after)).at - sent.at


async def told(lab: Lab, command: str, shows: str, chat: int = OWNER) -> float:
    """Seconds from a command to its answer."""
    sent = lab.send(command, chat=chat)
    return (await lab.wait_text(shows, chat, 30, sent.after)).at - sent.at


async def flood(lab: Lab, chats: list[int], each: int) -> Flooded:
    """So many messages a chat within a second, against a service that enforces its limits."""
    lab.telegram.flood.limits = FloodLimits()
    for chat in chats:  # the model repeats what it was told last, so that an answer shows how far it has read
        lab.model.script(f"chat{chat}", _echo)
    began, after = time.monotonic(), len(lab.telegram.calls)
    for number in range(each):
        for chat in chats:
            lab.telegram.people.say(f"note-{number}. [[script:chat{chat}]]", chat)
        await asyncio.sleep(1 / each)
    last = f"read note-{each - 1}."
    with contextlib.suppress(AssertionError):
        await lab.until(lambda: all(lab.copies(last, chat) for chat in chats) or None, "not all answered", FLOOD_S)
    took = time.monotonic() - began
    calls = lab.telegram.calls[after:]
    refused = [call.at - began for call in calls if call.status == 429]
    return Flooded(
        refused=len(refused),
        refused_late=sum(at > 10 for at in refused),
        unanswered=tuple(chat for chat in chats if not lab.copies(last, chat)),
        unordered=tuple(chat for chat in chats if not _ordered(lab, chat, each)),
        took_s=took,
        first_s=tuple(min((c.at - began for c in calls if c.chat == chat), default=took) for chat in chats),
    )


def _echo(turn: Turn) -> Say:
    return Say(f"read {_notes(turn.body)[-1]}")


def _notes(body: dict[str, object]) -> list[str]:
    """The notes of the people's messages, in the order in which the model sees them."""
    text = json.dumps([each for each in body["messages"] if each["role"] == "user"])  # type: ignore[attr-defined]
    return [word for word in text.replace('"', " ").replace("\\n", " ").split() if word.startswith("note-")]


def _ordered(lab: Lab, chat: int, each: int) -> bool:
    """Whether the chat's newest request holds every note once, in order."""
    requests = lab.model.main(f"chat{chat}")
    return bool(requests) and _notes(requests[-1].body) == [f"note-{number}." for number in range(each)]


async def edits(lab: Lab, chat: int) -> tuple[int, float]:
    """The edits of a run of 60 calls, and the seconds that it took."""
    rounds = [Say("", tuple(sh(f"sleep 0.1; echo {turn}-{n}") for n in range(6))) for turn in range(10)]
    sent = lab.send("sixty steps", [*rounds, "SIXTY"], chat)
    await lab.wait_text("SIXTY", chat, 90, sent.after)
    took = time.monotonic() - sent.at
    calls = lab.telegram.calls[sent.after :]
    return sum(call.chat == chat and call.method == "editMessageText" for call in calls), took


async def short(lab: Lab) -> int:
    """Bot API calls of a short answer."""
    sent = await lab.ask("hi", ["hello there"], "hello there")
    await asyncio.sleep(1)
    return sum(call.chat == OWNER for call in lab.telegram.calls[sent.after :])


async def streams(lab: Lab, chats: list[int], seconds: float) -> tuple[int, int, list[float]]:
    """Answers that are written in all chats at once, against a service that enforces its limits: the drafts shown, the
    calls refused, and the seconds from the last word of each to its message."""
    lab.telegram.flood.limits = FloodLimits()
    pieces = int(seconds / 0.2)
    words = " ".join(f"word{n}" for n in range(4 * pieces))
    after = len(lab.telegram.calls)
    sent = [lab.send("tell me", [Say(f"{words} LAST", pieces=pieces, pause=0.2)], chat) for chat in chats]
    ends = [await lab.wait_text("LAST", each.chat, 60 + seconds, each.after) for each in sent]
    calls = lab.telegram.calls[after:]
    late = [end.at - each.at - 0.2 * pieces for each, end in zip(sent, ends, strict=True)]
    return sum(call.method == DRAFT for call in calls), sum(call.status == 429 for call in calls), late


def p95(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=20)[-1]


async def figures(say: Callable[[str], None]) -> None:
    """All of it at full size."""
    others = [1000 + n for n in range(BUSY)]
    async with bench(*others, GROUP) as lab:
        say(f"a short answer: {await short(lab)} Bot API calls")
        for chat, where in ((OWNER, "private chat"), (GROUP, "group")):
            count, took = await edits(lab, chat)
            say(f"60 tool calls in a {where}: {count} edits in {took:.1f} s")
        count, refused, late = await streams(lab, others, 10)
        say(f"{BUSY} answers written at once: {count} drafts, {refused} refused, at most {max(late):.2f} s behind")
        lab.telegram.flood.limits = None
        await busy(lab, others)
        signs = [await signed(lab, lab.send(f"q{n}", ["ok"])) for n in range(40) if not await asyncio.sleep(1.1)]
        say(f"{BUSY} chats busy, first sign: p50 {statistics.median(signs):.3f} s, p95 {p95(signs):.3f} s")
        status = [await told(lab, "/status", "Nothing is running") for _ in range(5) if not await asyncio.sleep(1.1)]
        stops = [await told(lab, "/stop", "topped", chat) for chat in others]
        say(f"/status at most {max(status):.3f} s, /stop at most {max(stops):.3f} s")
    chats = [2000 + n for n in range(CHATS)]
    async with bench(*chats) as lab:
        came = await flood(lab, chats, EACH)
        say(
            f"{CHATS * EACH} messages over {CHATS} chats: {came.refused} refused, {came.refused_late} after 10 s; "
            f"{len(came.unanswered)} chats unanswered, {len(came.unordered)} out of order; "
            f"all out after {came.took_s:.1f} s, first sign p95 {p95(list(came.first_s)):.2f} s"
        )


if __name__ == "__main__":
    asyncio.run(figures(print))
