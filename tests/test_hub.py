"""Runs on the whole engine with fakes around it: answers, steering, stops, questions to a human, looks, parks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from agent.backoff import BAD_REPLIES
from agent.decisions import APPROVAL_S
from agent.edges import Edges, Place
from agent.hub import IDLE_S, Hub
from agent.models.scripted import Line, ScriptedModel, Slow, call
from agent.ports import CallContext, Guard, Look, Nudge
from agent.relay import Limits
from agent.steps import (
    Asked,
    Corrected,
    Decided,
    End,
    Ended,
    Failed,
    Finished,
    Handed,
    Level,
    Nudged,
    Opened,
    Outcome,
    Parked,
    Proposed,
    Said,
    Seen,
    Started,
    Step,
    Trouble,
)
from agent.store.memory import MemoryStore
from agent.tool import WRITTEN
from tests.fakes.clock import HandClock
from tests.fakes.edges import OpenScreen, make_edges
from tests.fakes.host import FakeHost
from tests.fakes.tools import Mark, Peek

PLACE = Place("/work", "/work")
MARK = call("mark", {"word": "one"})


@dataclass
class Bench:
    """One hub over one store, a tool that leaves marks, and a script for the model."""

    clock: HandClock
    store: MemoryStore
    hub: Hub
    model: ScriptedModel
    mark: Mark
    peek: Peek
    host: FakeHost
    asks: int = 0

    async def say(self, text: str = "go", session: str = "s") -> None:
        self.asks += 1
        asked = Asked(at=self.clock.now(), text=text, author="t:7", ref=f"t:1:7:{self.asks}")
        await self.hub.submit(session, asked, PLACE)
        await self.clock.settle()

    async def steps(self, kind: type[Any] = object, session: str = "s") -> list[Any]:
        return [step for _, step in await self.store.read(session) if isinstance(step, kind)]

    async def end(self, session: str = "s") -> End | None:
        ends = await self.steps(Ended, session)
        return ends[-1].end if ends else None

    async def results(self) -> list[tuple[Outcome, str]]:
        return [(step.outcome, step.text) for step in await self.steps(Finished)]

    def shown(self, request: int = -1) -> str:
        return json.dumps(self.model.requests[request][0])


def make_bench(
    lines: Sequence[Line], guards: Sequence[Guard] = (), store: MemoryStore | None = None, **parts: Any
) -> Bench:
    clock, mark, peek, host = HandClock(), Mark(), Peek(), FakeHost()
    store = store or MemoryStore()
    model = ScriptedModel(lines, clock)
    given = {"journal": store, "model": model, "host": host, "clock": clock, "tools": [mark, peek], "guards": guards}
    edges: Edges = make_edges(**{**given, **parts})
    return Bench(clock, store, Hub(edges, "boot"), model, mark, peek, host)


@pytest.fixture(autouse=True)
async def no_task_is_left() -> AsyncIterator[None]:
    yield
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


async def test_a_plain_answer() -> None:
    bench = make_bench(["hello"])
    await bench.say()
    kinds = [type(step).__name__ for step in await bench.steps()]
    assert kinds == ["Opened", "Asked", "Said", "Ended"]
    assert await bench.end() == End.ANSWERED
    assert bench.host.reaped == ["s"]


async def test_a_tool_step_is_proposed_started_and_finished_once() -> None:
    bench = make_bench([[MARK], "done"])
    await bench.say()
    kinds = [type(step).__name__ for step in await bench.steps()]
    assert kinds == ["Opened", "Asked", "Said", "Proposed", "Started", "Finished", "Said", "Ended"]
    assert bench.mark.lines == ["one"]
    assert "marked one" in bench.shown()


async def test_ten_calls_in_a_row_and_a_second_run_in_the_same_leg() -> None:
    bench = make_bench([*[[MARK]] * 10, "done", "again"])
    await bench.say()
    await bench.say("more")
    assert len(bench.mark.lines) == 10
    assert [type(step).__name__ for step in await bench.steps()].count("Opened") == 1


async def test_calls_of_one_reply_are_settled_in_order() -> None:
    bench = make_bench([[call("mark", {"word": w}) for w in "abc"], "done"])
    await bench.say()
    assert bench.mark.lines == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("asked_for", "outcome", "words"),
    [
        (call("mark", {}), Outcome.BAD_ARGUMENTS, "word"),
        (call("mark", {"word": 5}), Outcome.BAD_ARGUMENTS, "word"),
        (call("marc", {"word": "x"}), Outcome.BAD_ARGUMENTS, "mark"),
        (call("mark", {"word": "refuse"}), Outcome.FAILED, "I don't do that."),
        (call("mark", {"word": "break"}), Outcome.FAILED, "failed by itself"),
        (call("mark", {"word": "the sesame key"}), Outcome.HELD, "credential"),
        (call("mark", {"word": "x [secret] y"}), Outcome.HELD, "mask"),
    ],
)
async def test_a_call_that_can_t_run_gets_its_reason(asked_for: Any, outcome: Outcome, words: str) -> None:
    bench = make_bench([[asked_for], "done"], screen=OpenScreen("sesame"))
    await bench.say()
    ((got, text),) = await bench.results()
    assert got == outcome
    assert words in text
    assert len(bench.mark.lines) == (outcome == Outcome.FAILED)
    assert await bench.end() == (End.UNRESOLVED if outcome == Outcome.FAILED else End.ANSWERED)


async def test_calls_that_were_written_as_text_run_nothing_and_the_model_is_told() -> None:
    written = Said(at=0, text="", calls=(call("mark", {"word": "x"}, id="c1"),), finish="written")
    bench = make_bench([written, "done"])
    await bench.say()
    assert await bench.results() == [(Outcome.BAD_ARGUMENTS, WRITTEN)]
    assert bench.mark.lines == []
    assert await bench.end() == End.ANSWERED


async def test_empty_replies_are_asked_for_again_a_few_times_and_end_in_words() -> None:
    empty = Failed(at=0, trouble=Trouble.RETRY, text="The model said nothing.", status=200, hint="You said nothing.")
    bench = make_bench([empty] * 9)
    await bench.say()
    await bench.clock.advance(60)
    assert [(ended.end, ended.reason) for ended in await bench.steps(Ended)] == [
        (End.FAILED, f"The model said nothing. I asked {BAD_REPLIES} times.")
    ]
    assert len(bench.model.requests) == BAD_REPLIES
    assert "You said nothing." not in bench.shown(0)
    assert "You said nothing." in bench.shown(1)


async def test_a_reply_cut_at_the_token_limit_runs_nothing() -> None:
    cut = Said(at=0, text="", calls=(call("mark", {"word": "x"}, id="c1"),), finish="length")
    bench = make_bench([cut, "done"])
    await bench.say()
    ((outcome, text),) = await bench.results()
    assert (outcome, bench.mark.lines) == (Outcome.BAD_ARGUMENTS, [])
    assert "split" in text


async def test_a_secret_in_a_message_is_never_stored() -> None:
    bench = make_bench(["fine, sesame it is"], screen=OpenScreen("sesame"))
    await bench.say("my key is sesame")
    assert "sesame" not in repr(await bench.steps())


async def test_a_message_in_a_call_steers_after_its_result_and_one_answer_serves_both() -> None:
    bench = make_bench([[MARK], "both"])
    bench.mark.gate = asyncio.Event()
    await bench.say("first")
    await bench.say("second")
    assert len(bench.model.requests) == 1
    bench.mark.gate.set()
    await bench.clock.settle()
    assert "second" in bench.shown()
    assert [await bench.end(), len(await bench.steps(Ended))] == [End.ANSWERED, 1]


async def test_a_message_while_the_model_answers_is_answered_too() -> None:
    bench = make_bench([Slow(1, "answer one"), "answer two"])
    await bench.say("one")
    await bench.say("two")
    await bench.clock.advance(2)
    assert [s.text for s in await bench.steps(Said)] == ["answer one", "answer two"]
    assert "two" not in bench.shown(0)
    assert len(await bench.steps(Ended)) == 1


async def test_an_edit_reaches_a_run_that_goes_on_and_starts_none_after_it() -> None:
    bench = make_bench([[MARK], "done"])
    bench.mark.gate = asyncio.Event()
    await bench.say()
    edit = Corrected(at=1, text="rather this", author="t:7", ref="t:1:7:1")
    assert await bench.hub.correct("s", edit)
    bench.mark.gate.set()
    await bench.clock.settle()
    assert "rather this" in bench.shown()
    assert not await bench.hub.correct("s", edit)
    assert len(bench.model.requests) == 2


async def test_two_sessions_do_not_wait_for_each_other() -> None:
    bench = make_bench([[MARK], "quick"])
    bench.mark.gate = asyncio.Event()
    await bench.say(session="slow")
    await bench.say(session="fast")
    assert await bench.end("fast") == End.ANSWERED
    assert await bench.end("slow") is None


async def test_a_stop_in_a_call_cancels_it_and_what_comes_after_is_valid() -> None:
    bench = make_bench([[MARK, MARK], "next"])
    bench.mark.gate = asyncio.Event()
    await bench.say()
    assert await bench.hub.stop("s", "t:7")
    await bench.clock.settle()
    assert await bench.end() == End.STOPPED
    assert [outcome for outcome, _ in await bench.results()] == [Outcome.CANCELLED] * 2
    assert bench.mark.lines == ["one"]
    await bench.say("next")
    assert await bench.end() == End.ANSWERED


async def test_a_stop_while_the_model_speaks() -> None:
    bench = make_bench([Slow(60, "never"), "next"])
    await bench.say()
    assert await bench.hub.stop("s", "t:7")
    await bench.clock.settle()
    assert await bench.end() == End.STOPPED
    await bench.say("next")
    assert [s.text for s in await bench.steps(Said)] == ["next"]


async def test_a_stop_when_nothing_runs_is_nothing() -> None:
    bench = make_bench(["hello"])
    assert not await bench.hub.stop("s", "t:7")
    await bench.say()
    assert not await bench.hub.stop("s", "t:7")


async def test_a_message_right_after_a_stop_is_a_run_of_its_own() -> None:
    bench = make_bench([Slow(60, "never"), "next"])
    await bench.say("one")
    await asyncio.gather(bench.hub.stop("s", "t:7"), bench.say("two"))
    await bench.clock.settle()
    assert [step.end for step in await bench.steps(Ended)] == [End.STOPPED, End.ANSWERED]


# -- guards ---------------------------------------------------------------------------------------------------------
@dataclass
class On:
    """A five-line guard: says `answer` to the first step of its kind, and nothing afterwards."""

    kind: type[Step]
    answer: Nudge | Look
    name: str = "test"
    strict: bool = False
    spoken: bool = False

    def observe(self, step: Step) -> Nudge | Look | None:
        if self.spoken or not isinstance(step, self.kind):
            return None
        self.spoken = True
        return self.answer


async def test_hold_stands_in_for_the_result() -> None:
    bench = make_bench([[MARK], "done"], [On(Proposed, Nudge(Level.HOLD, "not this way"))])
    await bench.say()
    assert await bench.results() == [(Outcome.HELD, "not this way")]
    assert (bench.mark.lines, await bench.steps(Started)) == ([], [])


async def test_stop_ends_the_run_and_closes_its_calls() -> None:
    bench = make_bench([[MARK, MARK], "never"], [On(Proposed, Nudge(Level.STOP, "enough of this"))])
    await bench.say()
    (ended,) = await bench.steps(Ended)
    assert (ended.end, ended.reason) == (End.UNRESOLVED, "enough of this")
    assert [outcome for outcome, _ in await bench.results()] == [Outcome.CANCELLED] * 2
    assert bench.mark.lines == []


async def test_a_note_rides_in_the_result() -> None:
    bench = make_bench([[MARK], "done"], [On(Finished, Nudge(Level.NOTE, "watch out"))])
    await bench.say()
    assert "marked one\\nwatch out" in bench.shown()


@dataclass
class Probe:
    answer: str | Exception
    seconds: float = 0.0
    name: str = "disk"
    timeout_s: float = 5.0

    async def look(self, call: CallContext, args: str) -> str:
        await asyncio.sleep(self.seconds)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("probes", "status", "value"),
    [
        ([Probe('"full"')], "ok", '"full"'),
        ([Probe(ValueError("x"))], "error", "null"),
        ([Probe('"late"', seconds=5, timeout_s=0.01)], "timeout", "null"),
        ([], "error", "null"),
    ],
)
async def test_a_look_is_answered_before_the_model_goes_on(
    probes: list[Probe], status: str, value: str, caplog: pytest.LogCaptureFixture
) -> None:
    bench = make_bench([[MARK], "done"], [On(Finished, Look("disk"))], probes=probes)
    await bench.say()
    async with asyncio.timeout(5):
        while await bench.end() is None:
            await asyncio.sleep(0.01)
    (seen,) = await bench.steps(Seen)
    assert (seen.status, seen.value) == (status, value)
    assert ("the probe disk raised" in caplog.text) is (bool(probes) and status == "error"), "a bug of ours is logged"
    kinds = [type(step).__name__ for step in await bench.steps()]
    assert kinds.index("Seen") < len(kinds) - 1 - kinds[::-1].index("Said")


@pytest.mark.parametrize(("verdict", "outcome", "runs"), [("allow", Outcome.OK, ["one"]), ("deny", Outcome.HELD, [])])
async def test_ask_waits_for_a_human(verdict: str, outcome: Outcome, runs: list[str]) -> None:
    bench = make_bench([[MARK], "done"], [On(Proposed, Nudge(Level.ASK, "may I?"))])
    await bench.say()
    assert await bench.end() is None
    call_id = (await bench.steps(Proposed))[0].call.id
    assert not await bench.hub.decide("s", "another", "allow", "t:7")
    assert await bench.hub.decide("s", call_id, verdict, "t:7", "because")
    await bench.clock.settle()
    assert not await bench.hub.decide("s", call_id, "allow", "t:7")
    assert (await bench.results())[0][0] == outcome
    assert bench.mark.lines == runs
    assert await bench.end() == End.ANSWERED


@pytest.mark.parametrize(("seconds", "decisions"), [(APPROVAL_S - 1, 0), (APPROVAL_S, 1)])
async def test_an_ask_expires_and_the_run_parks(seconds: float, decisions: int) -> None:
    bench = make_bench([[MARK], "done"], [On(Proposed, Nudge(Level.ASK, "may I?"))])
    await bench.say()
    await bench.clock.advance(seconds)
    assert len(await bench.steps(Decided)) == len(await bench.steps(Parked)) == decisions
    assert bench.mark.lines == []


async def test_an_ordinary_message_withdraws_an_ask_and_never_approves() -> None:
    bench = make_bench([[MARK], "done"], [On(Proposed, Nudge(Level.ASK, "may I?"))])
    await bench.say()
    await bench.say("yes")
    ((outcome, text),) = await bench.results()
    assert (outcome, bench.mark.lines) == (Outcome.HELD, [])
    assert "yes" in text


async def test_an_ask_survives_a_restart() -> None:
    guard = On(Proposed, Nudge(Level.ASK, "may I?"))
    first = make_bench([[MARK]], [guard])
    await first.say()
    second = make_bench(["done"], [guard], store=first.store)
    assert await second.hub.start() == ["s"]
    await second.clock.settle()
    assert (second.mark.lines, len(await second.steps(Nudged))) == ([], 1)
    call_id = (await second.steps(Proposed))[0].call.id
    assert await second.hub.decide("s", call_id, "allow", "t:7")
    await second.clock.settle()
    assert (second.mark.lines, await second.end()) == (["one"], End.ANSWERED)


# -- limits and troubles --------------------------------------------------------------------------------------------
def failed(trouble: Trouble, **more: Any) -> Failed:
    return Failed(at=0, trouble=trouble, text="The model is away.", **more)


async def test_a_passing_failure_is_retried_and_no_tool_runs_twice() -> None:
    bench = make_bench([[MARK], failed(Trouble.RETRY), failed(Trouble.RETRY), "done"])
    await bench.say()
    await bench.clock.advance(5)
    assert (bench.mark.lines, await bench.end()) == (["one"], End.ANSWERED)


async def test_a_model_that_stays_away_parks_the_run_and_a_timer_wakes_it() -> None:
    bench = make_bench([*[failed(Trouble.RETRY)] * 5, "back again"])
    await bench.say()
    await bench.clock.advance(10)
    (parked,) = await bench.steps(Parked)
    assert await bench.end() is None
    await bench.clock.advance(parked.until - bench.clock.now())
    assert await bench.end() == End.ANSWERED


async def test_a_message_wakes_a_parked_run_and_a_stop_ends_it() -> None:
    bench = make_bench([*[failed(Trouble.RETRY)] * 5, "hello", *[failed(Trouble.RETRY)] * 5])
    await bench.say()
    await bench.clock.advance(10)
    await bench.say("are you there?")
    assert await bench.end() == End.ANSWERED
    await bench.say("once more")
    await bench.clock.advance(10)
    assert await bench.hub.stop("s", "t:7")
    await bench.clock.settle()
    assert await bench.end() == End.STOPPED


async def test_a_park_survives_a_restart_without_asking_at_once() -> None:
    first = make_bench([failed(Trouble.WAIT, retry_after=600.0)])
    await first.say()
    second = make_bench(["done"], store=first.store)
    await second.hub.start()
    await second.clock.advance(500)
    assert second.model.requests == []
    await second.clock.advance(200)
    assert await second.end() == End.ANSWERED


@pytest.mark.parametrize("trouble", [Trouble.USER, Trouble.BUG, Trouble.REFUSED])
async def test_what_no_retry_mends_ends_the_run_in_words(trouble: Trouble) -> None:
    bench = make_bench([failed(trouble), "next"])
    await bench.say()
    (ended,) = await bench.steps(Ended)
    assert (ended.end, ended.reason) == (End.FAILED, "The model is away.")
    await bench.say("again")
    assert await bench.end() == End.ANSWERED


async def test_the_turn_limit_ends_the_run() -> None:
    bench = make_bench([[MARK]] * 9, limits=Limits(turns=3, handoffs=0))
    await bench.say()
    assert (await bench.end(), len(bench.mark.lines)) == (End.LIMIT, 3)
    (kept,) = await bench.steps(Handed)
    assert not kept.fresh


async def test_a_leg_that_brought_nothing_new_stops_and_asks_at_once() -> None:
    look = call("peek", {"word": "one"})
    bench = make_bench([[look]] * 9, limits=Limits(turns=3, handoffs=5))
    await bench.say()
    assert (await bench.end(), len(bench.model.requests)) == (End.UNRESOLVED, 3)


async def test_a_final_text_with_an_error_open_is_unresolved_and_says_which() -> None:
    bench = make_bench([[call("mark", {"word": "refuse"})], "I leave it here."])
    await bench.say()
    (ended,) = await bench.steps(Ended)
    assert ended.end == End.UNRESOLVED
    assert "I don't do that" in ended.reason
    (kept,) = await bench.steps(Handed)
    assert "I don't do that" in kept.text


async def test_a_leg_that_ends_hands_over_and_the_next_one_starts_from_the_checkpoint_alone() -> None:
    bench = make_bench([*[[MARK]] * 3, [MARK], "done"], limits=Limits(turns=3, handoffs=1))
    await bench.say("build the GREENHOUSE")
    assert (await bench.end(), len(bench.mark.lines)) == (End.ANSWERED, 4)
    (handed,) = await bench.steps(Handed)
    assert handed.fresh
    assert "GREENHOUSE" in bench.shown(3)
    assert sum(m["role"] == "assistant" for m in bench.model.requests[3][0]) == 0
    assert len(await bench.steps(Opened)) == 2


async def test_an_idle_session_leaves_memory_and_comes_back_whole() -> None:
    bench = make_bench(["one", "two"])
    await bench.say("first")
    await bench.clock.advance(IDLE_S + 1)
    assert bench.hub.todo("s") is None
    await bench.say("second")
    assert "first" in bench.shown()


async def test_a_drained_hub_stops_at_a_border_and_the_next_one_goes_on() -> None:
    first = make_bench([[MARK]])
    first.mark.gate = asyncio.Event()
    await first.say()
    closing = asyncio.create_task(first.hub.close(5))
    await first.clock.settle()
    first.mark.gate.set()
    await closing
    assert await first.end() is None
    assert [outcome for outcome, _ in await first.results()] == [Outcome.OK]
    second = make_bench(["done"], store=first.store)
    await second.hub.start()
    await second.clock.settle()
    assert (second.mark.lines, await second.end()) == ([], End.ANSWERED)


async def test_a_watcher_sees_every_step_in_order_after_it_was_written() -> None:
    bench = make_bench([[MARK], "done"])
    seen: list[tuple[int, Step]] = []
    bench.hub.watchers.append(lambda session, seq, step: seen.append((seq, step)))
    await bench.say()
    assert seen == await bench.store.read("s")
