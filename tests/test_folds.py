"""Opening a session with a long journal: in slices, and without anybody seeing a half of it."""

from __future__ import annotations

import asyncio

import pytest

from agent.edges import Place
from agent.folds import SLICE
from agent.session import Session
from agent.steps import Asked, End, Ended, Said
from agent.store.memory import MemoryStore
from tests.fakes.clock import HandClock
from tests.fakes.edges import make_edges, opening

RUNS = 40


async def session_with(runs: int) -> Session:
    store = MemoryStore()
    steps = [opening("s", Place("/w", "/w"), 1.0)]
    for number in range(runs):
        asked = Asked(at=1.0, text=f"question {number}", author="t:7")
        steps += [asked, Said(at=2.0, text="yes", upto=2 + 3 * number), Ended(at=3.0, end=End.ANSWERED)]  # type: ignore[list-item]
    await store.append("s", 1, "b", *steps)
    edges = make_edges(journal=store, model=None, host=None, clock=HandClock())
    return Session("s", edges, "boot", ())


async def opened_beside(session: Session) -> list[bool]:
    """What somebody else read of the session each time that it was their turn while it was opened."""
    seen: list[bool] = []

    async def others() -> None:
        while True:
            seen.append(session.todo.running)
            await asyncio.sleep(0)

    beside = asyncio.create_task(others())
    await session.open()
    beside.cancel()
    await asyncio.gather(beside, return_exceptions=True)
    return seen


@pytest.mark.parametrize(("runs", "turns"), [(1, 0), (RUNS, 3 * RUNS // SLICE), (4 * RUNS, 12 * RUNS // SLICE)])
async def test_the_others_have_their_turns_while_a_long_journal_is_folded(runs: int, turns: int) -> None:
    assert len(await opened_beside(await session_with(runs))) >= turns


async def test_nobody_sees_a_run_in_the_middle_of_a_journal_whose_runs_have_ended(runs: int = RUNS) -> None:
    session = await session_with(runs)
    assert not any(await opened_beside(session))
    assert session.todo.asked_seq == 2 + 3 * (runs - 1)


async def test_an_opening_that_is_cut_short_leaves_nothing_half_done() -> None:
    session = await session_with(RUNS)
    opening_it = asyncio.create_task(session.open())
    for _ in range(3):
        await asyncio.sleep(0)
    opening_it.cancel()
    await asyncio.gather(opening_it, return_exceptions=True)
    assert opening_it.cancelled() and session.todo.asked_seq == 0
    await session.open()
    assert session.todo.asked_seq == 2 + 3 * (RUNS - 1)
