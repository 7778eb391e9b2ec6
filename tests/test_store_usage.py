"""The contract of the usage table, on both stores: one row a reply that cost something, never lost, never doubled."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.errors import Conflict
from agent.steps import Asked, Failed, Said, Step, Trouble, Usage
from agent.store.memory import MemoryStore
from agent.tables import Spent, Store
from tests.store_contract import STORES, ended, opened

EVER = 10.0**12
HERE = "t:1:5:"


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    async with opened(request.param, tmp_path) as one:
        await one.move(HERE, "s")
        yield one


def asked(author: str = "t:7", at: float = 1.0) -> Asked:
    return Asked(at=at, text="go", author=author)


TOKENS = Usage(100, 10)


def said(usage: Usage = TOKENS, at: float = 2.0, model: str = "m") -> Said:
    return Said(at=at, text="x", usage=usage, model=model)


def failed(usage: Usage) -> Failed:
    return Failed(at=2.0, trouble=Trouble.RETRY, text="cut", usage=usage, model="m")


def spent(
    calls: int = 1, prompt: int = 100, completion: int = 10, cached: int = 0, money: float = 0.0, priced: int = 0,
    estimated: int = 0, place: str = HERE, user: str = "t:7", model: str = "m",
) -> Spent:  # fmt: skip
    return Spent(place, user, model, calls, prompt, completion, cached, money, priced, estimated)


async def test_sums_are_by_place_person_and_model(store: Store) -> None:
    await store.move("t:1:6:", "s2")
    await store.append("s", 1, "b1", asked(), said(), said(model="n"), said())
    await store.append("s2", 1, "b2", asked("t:8"), said())
    await store.append("nowhere", 1, "b3", asked("t:9"), said())
    assert await store.spent(0, EVER) == [
        spent(place="", user="t:9"),
        spent(calls=2, prompt=200, completion=20),
        spent(model="n"),
        spent(place="t:1:6:", user="t:8"),
    ]


@pytest.mark.parametrize(
    ("step", "row"),
    [
        (said(Usage(100, 10, cached=90, money=0.5)), spent(cached=90, money=0.5, priced=1)),
        (said(Usage(100, 10, money=0.0)), spent(priced=1)),  # known to be free
        (said(Usage(100, 10)), spent()),  # unknown
        (said(Usage(100, 10, estimated=True)), spent(estimated=1)),
        (said(Usage()), spent(prompt=0, completion=0)),  # a reply is a call whatever it told
        (said(Usage(-100, -10, -1, money=-1.0)), spent(prompt=0, completion=0, priced=1)),
        (said(Usage(100, 10, cached=900)), spent(cached=100)),
        (said(Usage(100, 10, money=float("nan"))), spent()),
        (said(Usage(100, 10, money=float("inf"))), spent()),
        (said(model="a\0\ud800"), spent(model="a\ufffd\ufffd")),
        (failed(Usage(100, 10)), spent()),
        (failed(Usage(money=0.5)), spent(prompt=0, completion=0, money=0.5, priced=1)),
        (failed(Usage()), None),  # it cost nothing that we know of
        (ended(), None),
    ],
)
async def test_what_a_step_costs(store: Store, step: Step, row: Spent | None) -> None:
    await store.append("s", 1, "b1", asked())
    await store.append("s", 2, "b2", step)
    assert await store.spent(0, EVER) == ([row] if row else [])


@pytest.mark.parametrize(("since", "until", "calls"), [(2, 3, 1), (2.5, 3, 0), (0, 2, 0), (0, EVER, 1), (3, 2, 0)])
async def test_the_beginning_counts_and_the_end_doesn_t(store: Store, since: float, until: float, calls: int) -> None:
    await store.append("s", 1, "b1", asked(), said())
    assert sum(row.calls for row in await store.spent(since, until)) == calls


async def test_whoever_began_the_run_pays_for_it_until_it_ends(store: Store) -> None:
    await store.append("s", 1, "b1", asked("t:7"), said())
    await store.append("s", 3, "b2", asked("t:8"), said(), ended())
    await store.append("s", 6, "b3", asked("t:8"), said())
    assert [(row.user, row.calls) for row in await store.spent(0, EVER)] == [("t:7", 2), ("t:8", 1)]


async def test_our_own_retry_adds_nothing_and_a_refused_append_neither(store: Store) -> None:
    await store.append("s", 1, "b1", asked())
    for _ in range(2):
        await store.append("s", 2, "b2", said())
    with pytest.raises(Conflict):
        await store.append("s", 2, "foreign", said())
    with pytest.raises(Conflict):  # its second step takes a ref that is there already: none of it is written
        await store.append("s", 3, "b3", said(), Asked(at=3, text="", author="t:7", ref="r"), said(), twice())
    assert await store.spent(0, EVER) == [spent()]


def twice() -> Asked:
    return Asked(at=3, text="", author="t:7", ref="r")


async def test_sums_and_who_pays_outlive_a_restart_and_follow_a_chat_that_moved(tmp_path: Path) -> None:
    async with opened("sqlite", tmp_path) as store:
        await store.move(HERE, "s")
        await store.append("s", 1, "b1", asked(), said())
    async with opened("sqlite", tmp_path) as store:
        await store.append("s", 3, "b2", said())
        await store.rename(HERE, "t:1:-100:")
        assert await store.spent(0, EVER) == [spent(calls=2, prompt=200, completion=20, place="t:1:-100:")]


USAGE = st.builds(
    Usage, st.integers(-5, 10**9), st.integers(-5, 10**9), st.integers(-5, 10**9), st.booleans(),
    st.none() | st.floats(-1, 100),
)  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(costs=st.lists(USAGE, max_size=12), order=st.randoms())
async def test_sums_are_never_negative_and_their_order_is_no_matter(costs: list[Usage], order: object) -> None:
    shuffled = list(costs)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    sums = []
    for each in (costs, shuffled):
        store = MemoryStore()
        for number, usage in enumerate(each):
            await store.append(f"s{number}", 1, "b", asked(), said(usage))
        sums.append(await store.spent(0, EVER))
    assert sums[0] == sums[1]
    for row in sums[0]:
        assert min(row.prompt, row.completion, row.cached, row.money, row.priced, row.estimated) >= 0
        assert row.cached <= row.prompt
        assert row.calls == len(costs)
