"""The usage probe: sums of the day by all and by one, over a restart, a midnight and any order of steps."""

from __future__ import annotations

import datetime
import json
import zoneinfo
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.ports import CallContext
from agent.probes.usage import UsageProbe
from agent.steps import Asked, End, Ended, Failed, Said, Step, Trouble, Usage
from agent.store.memory import MemoryStore
from tests.fakes.host import FakeHost

BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
NOON = datetime.datetime(2026, 2, 3, 12, tzinfo=BERLIN).timestamp()
HOUR = 3600.0


class Wall:
    def __init__(self, now: float = NOON) -> None:
        self.at = now

    def now(self) -> float:
        return self.at


def asked(author: str = "t:7", at: float = NOON) -> Asked:
    return Asked(at=at, text="go", author=author)


def said(tokens: int = 100, at: float = NOON, money: float | None = None) -> Said:
    return Said(at=at, text="", usage=Usage(tokens, 0, money=money))


def probe(wall: Wall, zone: datetime.tzinfo = BERLIN) -> UsageProbe:
    return UsageProbe(wall.now, zone)


def shown(one: UsageProbe, *steps: Step, session: str = "s") -> None:
    for seq, step in enumerate(steps, 1):
        one.watch(session, seq, step)


async def look(one: UsageProbe, user: str = "t:7") -> dict[str, Any]:
    call = CallContext(session="s", call_id="look-1", workspace="/w", cwd="/w", timeout_s=1, host=FakeHost())
    answer: dict[str, Any] = json.loads(await one.look(call, json.dumps({"user": user})))
    return answer


async def test_the_day_and_each_user_add_up() -> None:
    one = probe(Wall())
    shown(one, asked("t:7"), said(100, money=0.5), said(50))
    shown(one, asked("t:8"), said(7), session="s2")
    answer = await look(one)
    assert answer["day"] == {"tokens": 157, "money": 0.5, "calls": 3}
    assert answer["user"] == {"tokens": 150, "money": 0.5, "calls": 2}
    assert answer["frees"] == "2026-02-04 00:00 CET"
    assert (await look(one, "t:9"))["user"] == {"tokens": 0, "money": 0.0, "calls": 0}


async def test_a_run_is_its_beginner_s_until_it_ends() -> None:
    one = probe(Wall())
    shown(one, asked("t:7"), said(1), asked("t:8"), said(2), Ended(at=NOON, end=End.ANSWERED), asked("t:8"), said(4))
    assert [(await look(one, user))["user"]["tokens"] for user in ("t:7", "t:8")] == [3, 4]


async def test_a_failed_attempt_counts_where_it_cost_something() -> None:
    one, trouble = probe(Wall()), Trouble.RETRY
    shown(one, asked(), Failed(at=NOON, trouble=trouble, text="", usage=Usage(9)))
    shown(one, Failed(at=NOON, trouble=trouble, text=""))
    assert (await look(one))["day"] == {"tokens": 9, "money": 0.0, "calls": 1}


async def journaled(store: MemoryStore, session: str, *steps: Step) -> None:
    await store.append(session, 1, "b", *steps)


async def test_sums_and_owners_of_runs_outlive_a_restart() -> None:
    store, wall = MemoryStore(), Wall()
    await journaled(store, "s", asked("t:7"), said(100), said(20))
    await journaled(store, "done", asked("t:8"), said(3), Ended(at=NOON, end=End.ANSWERED))
    one = probe(wall)
    await one.load(store)
    one.restore("s", await store.read("s"))
    shown(one, said(5))  # the run that goes on
    assert (await look(one))["user"]["tokens"] == 125
    assert (await look(one, "t:8"))["user"]["tokens"] == 3
    assert (await look(one))["day"] == {"tokens": 128, "money": 0.0, "calls": 4}


@pytest.mark.parametrize(
    ("at", "counts"),
    [
        (NOON - 12 * HOUR, True),  # midnight in Berlin
        (NOON - 12 * HOUR - 1, False),
        (NOON - 11 * HOUR, True),  # midnight in UTC
        (NOON + HOUR, True),  # the clock went back since: rather counted than forgotten
    ],
)
async def test_a_day_begins_at_midnight_of_its_zone(at: float, counts: bool) -> None:
    store = MemoryStore()
    await journaled(store, "s", asked(), said(100, at=at))
    one = probe(Wall())
    await one.load(store)
    assert (await look(one))["day"]["calls"] == counts


async def test_the_next_day_begins_at_nothing() -> None:
    store, wall = MemoryStore(), Wall()
    await journaled(store, "s", asked(), said(100))
    one = probe(wall)
    await one.load(store)
    shown(one, asked(), said(20))
    wall.at = NOON + 12 * HOUR
    assert (await look(one))["day"]["tokens"] == 0
    shown(one, said(5, at=wall.at))
    assert (await look(one))["day"]["tokens"] == 5
    assert (await look(one))["frees"] == "2026-02-05 00:00 CET"


async def test_a_day_of_23_hours_ends_at_its_midnight() -> None:
    wall = Wall(datetime.datetime(2026, 3, 29, 12, tzinfo=BERLIN).timestamp())
    assert (await look(probe(wall)))["frees"] == "2026-03-30 00:00 CEST"


@pytest.mark.parametrize("args", ["{}", '{"user": 7}', "[]", "x"])
async def test_other_questions_are_no_question(args: str) -> None:
    call = CallContext(session="s", call_id="look-1", workspace="/w", cwd="/w", timeout_s=1, host=FakeHost())
    with pytest.raises(ValueError):
        await probe(Wall()).look(call, args)


COSTS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c"]), st.integers(-50, 1000), st.none() | st.integers(-3, 8)), max_size=25
)


@given(COSTS, st.randoms(use_true_random=False))
async def test_sums_grow_in_any_order_to_the_same_and_are_never_negative(
    costs: Sequence[tuple[str, int, int | None]], dice: Any
) -> None:
    shuffled = list(costs)
    dice.shuffle(shuffled)
    answers = []
    for order in (costs, shuffled):
        one = probe(Wall())
        for session in "abc":
            shown(one, asked(f"t:{session}"), session=session)
        before = 0
        for session, tokens, quarters in order:
            shown(one, said(tokens, money=None if quarters is None else quarters / 4), session=session)
            answer = await look(one, f"t:{session}")
            assert 0 <= before <= answer["day"]["tokens"]
            assert 0 <= answer["user"]["tokens"] <= answer["day"]["tokens"]
            before = answer["day"]["tokens"]
        answers.append([await look(one, f"t:{user}") for user in "abc"])
    assert answers[0] == answers[1]
