"""A model that is down for half an hour while fifty runs want it: all wait without a task, and come back one by one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass, field

import pytest

from agent.backoff import ATTEMPTS, LONGEST_PARK_S, OVERDUE_S
from agent.edges import Place
from agent.hub import Hub
from agent.ports import Delta, Message
from agent.slots import Slots
from agent.steps import Asked, End, Ended, Failed, Parked, Said, ToolSpec, Trouble
from agent.store.memory import MemoryStore
from tests.fakes.clock import HandClock
from tests.fakes.edges import make_edges
from tests.fakes.host import FakeHost

RUNS, OUTAGE_S = 50, 1800.0
PLACE = Place("/work", "/work")


@dataclass
class Down:
    """A model that is away until a wall time; each call takes half a second. `calls` are the times of the calls."""

    clock: HandClock
    until: float
    name: str = "m"
    calls: list[float] = field(default_factory=list)
    together: int = 0
    most: int = 0

    async def reply(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncGenerator[Delta | Said | Failed, None]:
        self.calls.append(self.clock.now())
        self.together += 1
        self.most = max(self.most, self.together)
        await self.clock.sleep(0.5)
        self.together -= 1
        now = self.clock.now()
        if now < self.until:
            yield Failed(at=now, trouble=Trouble.RETRY, text="The model m is away.", model="m")
        else:
            yield Said(at=now, text="FINAL", model="m")


@dataclass
class Crowd:
    clock: HandClock
    store: MemoryStore
    model: Down
    hub: Hub

    async def kinds(self, kind: type[object]) -> list[int]:
        """How many steps of this kind each session has."""
        return [sum(isinstance(s, kind) for _, s in await self.store.read(f"s{n}")) for n in range(RUNS)]


def crowd(start: float, until: float, store: MemoryStore | None = None) -> Crowd:
    clock = HandClock(start)
    store, model = store or MemoryStore(), Down(clock, until)
    edges = make_edges(journal=store, model=model, host=FakeHost(), clock=clock, slots=Slots(4))
    return Crowd(clock, store, model, Hub(edges, f"boot{start}"))


@pytest.fixture(autouse=True)
async def no_task_is_left() -> AsyncIterator[None]:
    yield
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


async def begin(all_runs: Crowd) -> None:
    for n in range(RUNS):
        asked = Asked(at=all_runs.clock.now(), text="go", author="t:7", ref=f"t:1:{n}:1")
        await all_runs.hub.submit(f"s{n}", asked, PLACE)


def busiest(times: Sequence[float], seconds: float) -> int:
    """The most of them within any span of so many seconds."""
    ordered = sorted(times)
    return max(sum(start <= time < start + seconds for time in ordered) for start in ordered)


async def test_fifty_runs_wait_out_half_an_hour_and_come_back_apart() -> None:
    all_runs = crowd(0.0, OUTAGE_S)
    await begin(all_runs)
    await all_runs.clock.advance(120)
    todos = [all_runs.hub.todo(f"s{n}") for n in range(RUNS)]
    assert all(todo is not None and todo.running for todo in todos)
    assert all(count >= 1 for count in await all_runs.kinds(Parked))
    await all_runs.clock.advance(OUTAGE_S - 120 - 1)
    held = [name for task in asyncio.all_tasks() if (name := task.get_name()).startswith("run ")]
    assert len(held) <= 8  # of fifty: those that happen to try just now
    assert await all_runs.kinds(Ended) == [0] * RUNS
    assert max(await all_runs.kinds(Failed)) <= ATTEMPTS + 2 * 12  # it isn't asked on and on
    assert all_runs.model.most <= 4  # never more at a time than there are slots
    await all_runs.clock.advance(1 + 1.25 * LONGEST_PARK_S + 30)
    assert await all_runs.kinds(Said) == await all_runs.kinds(Ended) == [1] * RUNS
    back = [time for time in all_runs.model.calls if time >= OUTAGE_S]
    assert busiest(back, 1.0) <= RUNS // 5
    assert max(back) - min(back) > LONGEST_PARK_S / 4


async def test_after_a_restart_those_that_are_overdue_come_apart_too() -> None:
    before = crowd(0.0, OUTAGE_S)
    await begin(before)
    await before.clock.advance(600)
    await before.hub.close(0)
    after = crowd(OUTAGE_S * 2, OUTAGE_S, before.store)
    assert len(await after.hub.start()) == RUNS
    await after.clock.settle()
    assert len(after.model.calls) <= 1 + RUNS // 5  # those that weren't parked when we went
    await after.clock.advance(OVERDUE_S + 15)
    assert await after.kinds(Ended) == [1] * RUNS
    assert busiest(after.model.calls, 1.0) <= RUNS // 4


async def test_the_ends_are_answers() -> None:
    all_runs = crowd(0.0, 60.0)
    await begin(all_runs)
    await all_runs.clock.advance(1000)
    ends = [s.end for n in range(RUNS) for _, s in await all_runs.store.read(f"s{n}") if isinstance(s, Ended)]
    assert ends == [End.ANSWERED] * RUNS
