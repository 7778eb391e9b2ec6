"""Slots for requests to the model: never more than there are, in order, and who waits knows behind how many."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from agent.slots import Slots


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


class Bench:
    """Requests by name, each of which holds its slot until it is let go."""

    def __init__(self, size: int) -> None:
        self.slots = Slots(size)
        self.holding: list[str] = []
        self.told: dict[str, list[int]] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self._ends: dict[str, asyncio.Event] = {}

    async def ask(self, *names: str) -> None:
        for name in names:
            self.told[name], self._ends[name] = [], asyncio.Event()
            self.tasks[name] = asyncio.create_task(self._hold(name, self.told[name].append))
            await settle()

    async def _hold(self, name: str, tell: Callable[[int], None]) -> None:
        async with self.slots.one(tell):
            self.holding.append(name)
            try:
                await self._ends[name].wait()
            finally:
                self.holding.remove(name)

    async def end(self, name: str) -> None:
        self._ends[name].set()
        await settle()


@pytest.mark.parametrize("size", [1, 2, 4])
async def test_no_more_hold_than_there_are_and_the_rest_come_in_order(size: int) -> None:
    bench = Bench(size)
    names = [str(n) for n in range(7)]
    await bench.ask(*names)
    for n in range(7):
        assert bench.holding == names[n : n + size]
        await bench.end(names[n])
    assert bench.holding == []


async def test_who_waits_is_told_behind_how_many() -> None:
    bench = Bench(1)
    await bench.ask("a", "b", "c")
    assert bench.told == {"a": [], "b": [1], "c": [2]}
    await bench.end("a")
    assert bench.told == {"a": [], "b": [1, 0], "c": [2, 1]}


async def test_one_that_gives_up_leaves_the_queue() -> None:
    bench = Bench(1)
    await bench.ask("a", "b", "c")
    bench.tasks["b"].cancel()
    await settle()
    assert bench.told["c"] == [2, 1]
    await bench.end("a")
    assert bench.holding == ["c"]


async def test_one_that_is_cancelled_as_its_turn_comes_passes_it_on() -> None:
    for cancel_first in (True, False):
        bench = Bench(1)
        await bench.ask("a", "b", "c")
        acts = [bench.tasks["b"].cancel, bench._ends["a"].set]
        for act in acts if cancel_first else reversed(acts):
            act()
            if not cancel_first:
                await asyncio.sleep(0)
        await settle()
        assert bench.holding == ["c"]


async def test_a_failure_gives_the_slot_back() -> None:
    slots = Slots(1)
    with pytest.raises(ValueError, match="x"):
        async with slots.one(lambda ahead: None):
            raise ValueError("x")
    async with asyncio.timeout(1), slots.one(lambda ahead: None):
        pass
