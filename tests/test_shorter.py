"""A request that is too long heals by itself, or ends in one sentence that says what to mend."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from agent.actions import Finish, Hand
from agent.checkpoint import Checkpoint
from agent.edges import Place
from agent.guards.budget import Budget
from agent.hub import Hub
from agent.ledger import Ledger
from agent.models.scripted import Line, ScriptedModel, call
from agent.ports import Message, Nudge
from agent.relay import Limits, Standing, next_action
from agent.resume import Todo
from agent.room import room_of
from agent.shorter import SHORTER, after_overflow
from agent.steps import (
    Asked,
    Change,
    End,
    Ended,
    Failed,
    Finished,
    Handed,
    Opened,
    Outcome,
    Said,
    Step,
    ToolSpec,
    Trouble,
    Usage,
)
from agent.store.memory import MemoryStore
from tests.fakes.clock import HandClock
from tests.fakes.edges import make_edges
from tests.fakes.host import FakeHost
from tests.fakes.tools import Mark, Peek

PLACE = Place("/work", "/work")
LIMIT = "maximum context length"


def opening(session: str, place: Place, at: float, model: str = "", context: int = 0) -> Opened:
    return Opened(
        at=at, prompt="p" * 2_000, tools=(), model="m", panel="ours", day="d", cwd=place.cwd, nonce="abcd",
        workspace=place.workspace, tier="mid", context=min(context or 16_384, 16_384),
    )  # fmt: skip


class Bench:
    """A hub whose model refuses what has more bytes than `holds` and says so in `refusal`."""

    asks: int | None = None  # what the refusal says of the request's tokens

    def __init__(self, lines: Sequence[Line], holds: int = 1 << 40, limit: int | None = None, **parts: Any) -> None:
        self.clock, self.store, self.holds, self.limit = HandClock(), MemoryStore(), holds, limit
        self.lines = iter(lines)
        self.asked = 0
        self.model = ScriptedModel([self.reply] * 200, self.clock, "m")
        given: dict[str, Any] = {"journal": self.store, "model": self.model, "host": FakeHost(), "clock": self.clock}
        edges = make_edges(**{**given, "opening": opening, "tools": [Mark(), Peek()], **parts})
        self.hub = Hub(edges, "boot")

    def reply(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Line:
        if len(json.dumps(messages)) > self.holds:
            return Failed(
                at=0, trouble=Trouble.OVERFLOW, text="Too long.", limit=self.limit, asked=self.asks, model="m"
            )
        return next(self.lines)

    async def say(self, text: str, session: str = "s") -> None:
        self.asked += 1
        ref = f"t:1:7:{self.asked}"
        await self.hub.submit(session, Asked(at=self.clock.now(), text=text, author="t:7", ref=ref), PLACE)
        for _ in range(4):
            await self.clock.settle()

    async def steps(self, kind: type[Any], session: str = "s") -> list[Any]:
        return [step for _, step in await self.store.read(session) if isinstance(step, kind)]

    def sent(self) -> list[int]:
        return [len(json.dumps(messages)) for messages, _ in self.model.requests]

    def shown(self) -> str:
        return json.dumps(self.model.requests[-1][0])


@pytest.fixture(autouse=True)
async def no_task_is_left() -> AsyncIterator[None]:
    yield
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


async def test_a_leg_is_handed_on_before_its_context_is_full() -> None:
    bench = Bench([*["fine"] * 6, "done"])
    for number in range(7):
        await bench.say(f"question {number} " + "x" * 9_000)
    assert await bench.steps(Failed) == []
    [handed] = await bench.steps(Handed)
    assert (handed.cause, handed.fresh) == ("context", True)
    assert [leg.goes_on for leg in await bench.steps(Opened)] == [False, True]
    assert max(bench.sent()) < 16_384 * 3.5
    assert "question 6" in bench.shown()
    checkpoint = Checkpoint.from_json(handed.checkpoint)
    assert checkpoint.cause == "context"
    assert any("question 0" in line for line in checkpoint.talk)
    assert "question 0" in bench.shown()


async def test_turns_count_on_over_a_leg_that_was_only_too_long() -> None:
    marks = [[call("peek", {"word": f"{n}" + "y" * 9_000})] for n in range(6)]
    bench = Bench([*marks, "done"], limits=Limits(turns=6, handoffs=0))
    await bench.say("go")
    [ended] = await bench.steps(Ended)
    assert ended.end in (End.LIMIT, End.UNRESOLVED)
    assert [handed.cause for handed in await bench.steps(Handed) if handed.fresh][:1] == ["context"]
    assert len(await bench.steps(Said)) == 6


async def test_a_result_that_came_with_the_last_of_the_room_is_read_in_the_next_leg() -> None:
    lines: list[Line] = ["a" * 30_000, [call("peek", {"word": "z" * 16_000})], "done"]
    bench = Bench(lines)
    await bench.say("one")
    await bench.say("two")
    assert [handed.cause for handed in await bench.steps(Handed)] == ["context"]
    assert "not read yet" in bench.shown()
    assert "> peek" in bench.shown()


@pytest.mark.parametrize("limit", [None, 4_000])
async def test_a_refused_history_is_answered_within_three_calls(limit: int | None) -> None:
    bench = Bench([*["fine"] * 5, "answer"], limit=limit)
    for number in range(5):
        await bench.say(f"note {number} " + "f" * 6_000)
    bench.holds = 9_000
    before = len(bench.model.requests)
    await bench.say("and now?")
    assert (await bench.steps(Ended))[-1].end == End.ANSWERED
    assert len(bench.model.requests) - before <= 3
    assert "and now?" in bench.shown()
    assert len(await bench.steps(Asked)) == 6  # nothing of the journal is gone
    assert sum(len(step.text) for step in await bench.steps(Asked)) > 30_000


async def test_the_limit_that_a_provider_names_holds_for_other_chats_too() -> None:
    bench = Bench(["fine", "fine", "answer", *["fine"] * 8], holds=14_000, limit=4_000)
    await bench.say("x" * 12_000)
    refused = len(await bench.steps(Failed))
    assert refused == 1
    for _ in range(4):
        await bench.say("y" * 5_000, "other")
    assert await bench.steps(Failed, "other") == []


async def test_what_never_fits_ends_in_a_sentence_and_the_next_message_is_tried_again() -> None:
    bench = Bench(["at last"], holds=100, limit=1_024)
    await bench.say("hello")
    [ended] = await bench.steps(Ended)
    assert ended.end == End.FAILED
    assert "JARVIS_MODEL__CONTEXT_TOKENS" in ended.reason
    assert "1,024" in ended.reason
    assert len(bench.model.requests) == 3
    assert [leg.context for leg in await bench.steps(Opened)] == [16_384, 1_024, 1]  # at last as little as there is
    bench.holds = 1 << 40
    await bench.say("again")
    assert (await bench.steps(Ended))[-1].end == End.ANSWERED


async def test_another_failure_between_two_refusals_doesnt_begin_the_count_anew() -> None:
    todo = Todo()
    overflow = Failed(at=1, trouble=Trouble.OVERFLOW, text="long", model="m")
    handed = Handed(at=2, checkpoint="{}", text="c", cause="context")
    steps: list[Step] = [Asked(at=0, text="go", author="t:7"), overflow, handed]
    steps += [Failed(at=2, trouble=Trouble.RETRY, text="reset"), overflow, handed, overflow]
    for seq, step in enumerate(steps, start=1):
        todo.fold(seq, step)
    assert todo.overflows == 3
    assert isinstance(next_action(todo, Limits()), Finish)


@pytest.mark.parametrize(("overflows", "kind"), [(1, Hand), (SHORTER, Hand), (SHORTER + 1, Finish)])
def test_how_often_a_request_is_made_shorter(overflows: int, kind: type[Any]) -> None:
    todo = Todo(running=True, overflows=overflows)
    todo.failures.append(Failed(at=1, trouble=Trouble.OVERFLOW, text="long", model="m"))
    assert isinstance(after_overflow(todo), kind)


def folded(*steps: Step) -> Todo:
    todo = Todo()
    for seq, step in enumerate(steps, start=1):
        todo.fold(seq, step)
    return todo


@pytest.mark.parametrize(("cause", "turns", "handoffs"), [("turns", 0, 1), ("context", 2, 0)], ids=["turns", "context"])
def test_what_a_checkpoint_counts_for(cause: str, turns: int, handoffs: int) -> None:
    todo = folded(
        Asked(at=0, text="go", author="t:7"),
        Said(at=1, text="", upto=1),
        Said(at=1, text="", upto=2),
        Handed(at=2, checkpoint="{}", text="c", cause=cause),
    )
    assert (todo.turns, todo.handoffs, todo.checkpoints) == (turns, handoffs, 1)


@pytest.mark.parametrize(("cause", "told"), [("context", True), ("turns", False)])
def test_turns_left_are_told_by_the_turns_of_all_that_was_only_too_long(cause: str, told: bool) -> None:
    guard = Budget(turns=4)
    said = Said(at=1, text="", calls=(call("peek", {}, "c"),), upto=1)
    steps: list[Step] = [
        Asked(at=0, text="go", author="t:7"),
        said,
        said,
        Handed(at=2, checkpoint="{}", text="c", cause=cause),
    ]
    for step in steps:
        guard.observe(step)
    nudge = guard.observe(said)
    assert isinstance(nudge, Nudge)
    assert ("last turn" in nudge.text) is told


@pytest.mark.parametrize(("goes_on", "progress"), [(True, True), (False, False)])
def test_what_a_leg_brought_counts_on_over_one_that_was_only_too_long(goes_on: bool, progress: bool) -> None:
    ledger = Ledger()
    done = Finished(
        at=1, call_id="c", tool="write_file", outcome=Outcome.OK, text="", files=(Change("/w/a", None, "f" * 64),)
    )
    leg = opening("s", PLACE, 0.0)
    steps: list[Step] = [leg, done, replace(leg, goes_on=goes_on)]
    for seq, step in enumerate(steps, start=1):
        ledger.fold(seq, step)
    assert bool(ledger.new_in_leg()) is progress


def test_a_full_context_is_handed_on_and_an_empty_one_spoken_into() -> None:
    todo = folded(Asked(at=0, text="go", author="t:7"))
    assert next_action(todo, Limits(), Standing(full=True)) == Hand("context")
    assert not isinstance(next_action(todo, Limits(), Standing(full=False)), Hand)


async def test_the_count_of_refusals_begins_anew_with_a_reply() -> None:
    fine: list[Line] = [[call("peek", {"word": f"{n}" + "w" * 3_000})] for n in range(12)]
    bench = Bench([*fine, "done"], holds=9_000, limit=60_000)
    await bench.say("go")
    assert len(await bench.steps(Failed)) > SHORTER
    assert (await bench.steps(Ended))[-1].end == End.ANSWERED


async def test_the_tokens_that_a_provider_counted_teach_the_ratio() -> None:
    bench = Bench(["answer"], holds=9_000, limit=10_000)
    bench.asks = 12_000
    await bench.say("1" * 14_000)
    assert bench.hub.edges.window.ratio("m") < 1.5


async def test_a_message_that_waits_is_not_told_twice() -> None:
    bench = Bench([*["fine"] * 4, "done"])
    for number in range(5):
        await bench.say(f"question {number} " + "x" * 9_000)
    [handed] = [step for step in await bench.steps(Handed) if step.fresh]
    talk = Checkpoint.from_json(handed.checkpoint).talk
    assert any("question 3" in line for line in talk)
    assert not any("question 4" in line for line in talk)


async def test_a_checkpoint_fits_the_room_of_its_leg() -> None:
    def narrow(session: str, place: Place, at: float, model: str = "", context: int = 0) -> Opened:
        return replace(opening(session, place, at), context=6_000)

    lines: list[Line] = [[call("peek", {"word": "z" * 3_000})] for _ in range(6)]
    bench = Bench([*[f"answer {n} " + "y" * 900 for n in range(9)], *lines, "done"], opening=narrow)
    for number in range(9):
        await bench.say(f"question {number} " + "x" * 900)
    await bench.say("read it all")
    handed = [step for step in await bench.steps(Handed) if step.fresh]
    room = room_of(narrow("s", PLACE, 0.0)).checkpoint
    assert len(handed) > 2
    assert all(room // 4 < len(step.text.encode()) <= room + 60 for step in handed)
    assert "Go on from here" in handed[-1].text


async def test_usage_teaches_the_next_leg() -> None:
    said = Said(at=0, text="fine", usage=Usage(prompt=6_000))
    bench = Bench([said, said])
    await bench.say("1" * 9_000)
    window = bench.hub.edges.window
    assert 1.0 <= window.ratio("m") < 2.5
