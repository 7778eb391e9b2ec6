"""The journal's contract, on both stores."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent.errors import Conflict, DuplicateRef, StoreError
from agent.steps import Corrected, Step
from agent.store.heads import Head, advance
from agent.tables import Store
from tests.store_contract import ONE_OF_EACH, STORES, asked, ended, opened


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    async with opened(request.param, tmp_path) as one:
        yield one


async def texts(store: Store, session: str) -> list[str]:
    return [step.text for _, step in await store.read(session) if hasattr(step, "text")]


async def test_steps_are_read_as_they_were_appended(store: Store) -> None:
    await store.append("s", 1, "b1", *ONE_OF_EACH)
    assert await store.read("s") == list(enumerate(ONE_OF_EACH, 1))
    assert await store.read("s", after=16) == list(enumerate(ONE_OF_EACH, 1))[16:]
    assert await store.read("s", after=99) == []


async def test_sessions_do_not_see_each_other(store: Store) -> None:
    await store.append("a", 1, "b1", asked("to a"))
    await store.append("b", 1, "b2", asked("to b"))
    assert await texts(store, "a") == ["to a"]
    assert await store.read("c") == []


async def test_appending_nothing_writes_nothing(store: Store) -> None:
    await store.append("s", 7, "b1")
    assert await store.read("s") == []


@pytest.mark.parametrize(
    ("seq", "batch", "count"),
    [
        (0, "b1", 1),  # before the beginning
        (1, "other", 2),  # a foreign writer
        (2, "b1", 2),  # our batch, but not there
        (2, "b2", 1),
        (1, "b1", 3),  # longer than what we wrote
        (4, "b2", 1),  # a gap
    ],
)
async def test_a_foreign_place_is_a_conflict_and_nothing_is_written(
    store: Store, seq: int, batch: str, count: int
) -> None:
    await store.append("s", 1, "b1", asked("one"), asked("two"))
    with pytest.raises(Conflict) as caught:
        await store.append("s", seq, batch, *[asked("no")] * count)
    assert not isinstance(caught.value, DuplicateRef)
    assert "2 steps" in str(caught.value)
    assert await texts(store, "s") == ["one", "two"]


async def test_a_session_begins_at_one(store: Store) -> None:
    with pytest.raises(Conflict):
        await store.append("s", 2, "b1", asked())
    assert await store.unfinished() == []


async def test_our_own_retry_succeeds_and_writes_nothing(store: Store) -> None:
    steps = (asked("one", ref="r1"), ended())
    await store.append("s", 1, "b1", *steps)
    await store.append("s", 1, "b1", *steps)
    await store.append("s", 3, "b2", asked("two"))
    await store.append("s", 1, "b1", *steps)
    assert await texts(store, "s") == ["one", "two"]
    assert await store.unfinished() == ["s"]


@pytest.mark.parametrize("session", ["s", "other"])
async def test_a_message_is_stored_once_over_all_sessions(store: Store, session: str) -> None:
    await store.append("s", 1, "b1", asked("once", ref="telegram:1:5:9"))
    seq = len(await store.read(session)) + 1
    with pytest.raises(DuplicateRef, match="telegram:1:5:9"):
        await store.append(session, seq, "b2", ended(), asked("twice", ref="telegram:1:5:9"))
    assert len(await store.read(session)) == seq - 1
    assert await store.find_ref("telegram:1:5:9") == ("s", 1)
    assert await store.unfinished() == ["s"]


async def test_a_message_is_stored_once_within_a_batch(store: Store) -> None:
    with pytest.raises(DuplicateRef):
        await store.append("s", 1, "b1", asked(ref="r1"), asked(ref="r1"))
    assert await store.read("s") == []
    assert await store.find_ref("r1") is None


async def test_only_what_was_asked_owns_a_ref(store: Store) -> None:
    edit = Corrected(at=2.0, text="better", author="telegram:7", ref="r1")
    await store.append("s", 1, "b1", edit, asked(ref="r1"), edit, asked(), asked())
    assert await store.find_ref("r1") == ("s", 2)
    assert await store.find_ref("r2") is None


async def test_a_ref_with_half_a_sign_is_found_again(store: Store) -> None:
    await store.append("s", 1, "b1", asked(ref="x:\ud83d"))
    assert await store.find_ref("x:\ud83d") == ("s", 1)


async def test_a_session_whose_name_a_model_made_up_is_kept(store: Store) -> None:
    await store.append("s/\ud83d\0", 1, "b1", asked("one"))
    await store.append("s/\ud83d\0", 2, "b2", asked("two"))
    assert await texts(store, "s/\ud83d\0") == ["one", "two"]


@pytest.mark.parametrize(
    ("steps", "open_"),
    [
        ((ended(),), False),
        ((asked(),), True),
        ((asked(), ended()), False),
        ((asked(), ended(), asked()), True),
        ((asked(), ended(), ended()), False),
        ((asked(), asked(), ended()), False),
        ((Corrected(at=1.0, text="", author="", ref=""),), False),
    ],
)
@pytest.mark.parametrize("one_by_one", [False, True])
async def test_an_asked_opens_a_run_and_an_ended_closes_it(
    store: Store, steps: tuple[Step, ...], open_: bool, one_by_one: bool
) -> None:
    if one_by_one:
        for seq, step in enumerate(steps, 1):
            await store.append("s", seq, f"b{seq}", step)
    else:
        await store.append("s", 1, "b", *steps)
    assert await store.unfinished() == (["s"] if open_ else [])


async def test_the_run_that_was_asked_for_first_comes_first(store: Store) -> None:
    await store.append("new", 1, "b1", asked(at=30.0))
    await store.append("old", 1, "b2", asked(at=10.0))
    await store.append("again", 1, "b3", asked(at=1.0), ended(at=2.0), asked(at=20.0), asked(at=40.0))
    assert await store.unfinished() == ["old", "again", "new"]


async def test_of_many_writers_to_one_place_exactly_one_wins(store: Store) -> None:
    for seq in range(1, 6):
        writers = [store.append("s", seq, f"{seq}-{name}", asked(name)) for name in "abcd"]
        results = await asyncio.gather(*writers, return_exceptions=True)
        assert [type(result) for result in results].count(Conflict) == 3
    assert len(await store.read("s")) == 5


async def test_what_was_written_outlives_a_restart(store: Store) -> None:
    await store.append("s", 1, "b1", asked("one", ref="r1"))
    await store.close()
    await store.open()
    assert await texts(store, "s") == ["one"]
    assert await store.find_ref("r1") == ("s", 1)
    await store.append("s", 2, "b2", ended())


async def test_opening_and_closing_twice_is_harmless(store: Store) -> None:
    await store.open()
    await store.append("s", 1, "b1", asked())
    await store.close()
    await store.close()


def test_a_head_keeps_the_beginning_of_the_first_message() -> None:
    first = advance(Head(), [ended(at=5.0), asked("x" * 59 + "\ud83dyz", at=6.0), asked("later", at=7.0)])
    assert first == Head(
        seq=3, asked=6.0, title="x" * 59 + "\ufffd", created=5.0, updated=7.0, run=2, person="telegram:7"
    )
    assert advance(first, [ended(at=8.0)]) == Head(4, None, first.title, 5.0, 8.0, 2, "telegram:7")


async def test_a_closed_database_says_so(tmp_path: Path) -> None:
    async with opened("sqlite", tmp_path) as store:
        pass
    with pytest.raises(StoreError, match="closed"):
        await store.read("s")
