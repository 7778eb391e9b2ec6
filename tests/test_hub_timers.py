"""What befalls a hub's timers and its end: a store that is away at the wrong moment, programs that are slow to die."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from agent.decisions import APPROVAL_S
from agent.errors import StoreBusy
from agent.hub import IDLE_S, STORE_RETRY_S
from agent.models.scripted import Slow
from agent.ports import Nudge
from agent.steps import Decided, End, Level, Outcome, Parked, Proposed, Resumed, Said, Step
from agent.store.memory import MemoryStore
from tests.fakes.host import FakeHost
from tests.test_hub import MARK, On, make_bench

AWAY_S = 30


class Away(MemoryStore):
    """A store that can't be written while it is `away`."""

    away = False

    async def append(self, session: str, seq: int, batch: str, *steps: Step) -> None:
        if self.away:
            raise StoreBusy("The store is locked by another program; nothing was written.")
        await super().append(session, seq, batch, *steps)


class SlowHost(FakeHost):
    """Reaps all sessions together or not at all."""

    def __init__(self, together: int) -> None:
        super().__init__()
        self.barrier = asyncio.Barrier(together)

    async def reap(self, owner: str) -> int:
        await self.barrier.wait()
        return await super().reap(owner)


@pytest.fixture(autouse=True)
async def no_task_is_left() -> AsyncIterator[None]:
    yield
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


@pytest.mark.parametrize("away_s", [0, AWAY_S])
async def test_a_question_expires_however_long_the_store_is_away(away_s: float) -> None:
    store = Away()
    bench = make_bench([[MARK], "done"], [On(Proposed, Nudge(Level.ASK, "may I?"))], store=store)
    await bench.say()
    store.away = away_s > 0
    await bench.clock.advance(APPROVAL_S + away_s)
    assert len(await bench.steps(Decided)) == (0 if away_s else 1)
    store.away = False
    await bench.clock.advance(2 * STORE_RETRY_S)
    assert [step.verdict for step in await bench.steps(Decided)] == ["expired"]
    assert len(await bench.steps(Parked)) == 1 and bench.mark.lines == []


async def test_a_park_ends_however_long_the_store_is_away() -> None:
    from agent.steps import Failed, Trouble

    store = Away()
    wait = Failed(at=0.0, trouble=Trouble.WAIT, text="busy", retry_after=600.0)
    bench = make_bench([wait, "done"], store=store)
    await bench.say()
    assert len(await bench.steps(Parked)) == 1
    store.away = True
    await bench.clock.advance(700)
    store.away = False
    await bench.clock.advance(60)
    assert len(await bench.steps(Resumed)) == 1 and await bench.end() is not None


async def test_at_the_end_all_sessions_are_reaped_together() -> None:
    bench = make_bench(["one", "two", "three"])
    bench.hub.edges.host = SlowHost(3)
    for session in "abc":
        bench.hub.edges.host.barrier = asyncio.Barrier(1)
        await bench.say(session=session)
    bench.hub.edges.host.barrier = asyncio.Barrier(3)
    async with asyncio.timeout(5):
        await bench.hub.close(1.0)


async def test_an_idle_session_is_still_dropped() -> None:
    bench = make_bench(["one"])
    await bench.say()
    assert bench.hub.session("s") is not None
    await bench.clock.advance(IDLE_S + 1)
    assert bench.hub.session("s") is None


@pytest.mark.parametrize("away_s", [0, AWAY_S, 3600])
async def test_a_result_is_not_lost_while_the_store_is_away(away_s: float) -> None:
    """Told as interrupted, what has run would be run again by a model."""
    store = Away()
    bench = make_bench([[MARK], "done"], store=store)
    bench.mark.gate = asyncio.Event()
    await bench.say()
    store.away = away_s > 0
    bench.mark.gate.set()
    await bench.clock.advance(away_s)
    store.away = False
    await bench.clock.advance(2 * STORE_RETRY_S)
    assert bench.mark.lines == ["one"]
    assert [outcome for outcome, _ in await bench.results()] == [Outcome.OK]
    assert await bench.end() is End.ANSWERED


async def test_a_stop_ends_the_wait_for_the_store() -> None:
    store = Away()
    bench = make_bench([[MARK], "never"], store=store)
    bench.mark.gate = asyncio.Event()
    await bench.say()
    store.away = True
    bench.mark.gate.set()
    await bench.clock.advance(5)
    assert await bench.hub.stop("s", "t:7")
    store.away = False
    await bench.clock.advance(5)
    assert await bench.end() is End.STOPPED
    assert [outcome for outcome, _ in await bench.results()] == [Outcome.CANCELLED]


async def test_a_reply_is_not_asked_for_again_because_the_store_was_away() -> None:
    store = Away()
    bench = make_bench([Slow(5, "only once"), "a second time"], store=store)
    await bench.say()
    store.away = True
    await bench.clock.advance(AWAY_S)
    store.away = False
    await bench.clock.advance(2 * STORE_RETRY_S)
    assert len(bench.model.requests) == 1
    assert [step.text for step in await bench.steps(Said)] == ["only once"] and await bench.end() is End.ANSWERED
