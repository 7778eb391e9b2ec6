"""/usage: who sees what and where, in lines that fit a phone; nothing negative, nothing unknown shown as nothing."""

from __future__ import annotations

import asyncio
import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent import Spent
from agent.models.scripted import call
from agent.settings import load
from agent.steps import Asked, Said, Usage
from agent.store.memory import MemoryStore
from bot.access import Access, Role
from bot.channel import Arrival, Place
from bot.spent import WIDTH, Total, listed, share, times
from bot.usage import Usages
from tests.fakes.clock import HandClock
from tests.fakes.office import ADMIN, GROUP, OPERATOR, OWNER, VIEWER, Office, office

DAY = 86_400.0
PRIVATE, OTHER, HERE = (f"t:1:{chat}:" for chat in ("8", "7", "-100"))


@dataclass
class Bench:
    """A store with usage in it, as /usage sees it at noon UTC."""

    store: MemoryStore = field(default_factory=MemoryStore)
    clock: HandClock = field(default_factory=HandClock)
    sessions: int = 0

    async def spend(
        self, place: str, user: str, usage: Usage, model: str = "m", *, days_ago: float = 0.0, calls: int = 1
    ) -> None:
        self.sessions += 1
        session, at = f"s{self.sessions}", self.clock.now() - days_ago * DAY
        await self.store.move(place, session)
        said = [Said(at=at, text="", usage=usage, model=model)] * calls
        await self.store.append(session, 1, "b", Asked(at=at, text="go", author=user), *said)

    async def asked(self, person: int, chat: str, role: Role, budgets: Mapping[str, float] | None = None) -> str:
        access = Access(owner=OWNER)
        usages = Usages(self.store, access, self.clock, datetime.UTC, budgets or {})
        arrival = Arrival("message", Place("t", "1", chat), sender=person, private=not chat.startswith("-"))
        return await usages.command(arrival, role)


async def filled() -> Bench:
    bench = Bench()
    await bench.spend(PRIVATE, "t:8", Usage(16_000, 900, cached=12_000, money=0.02))
    await bench.spend(HERE, "t:8", Usage(3000, 100, money=0.01), "other")
    await bench.spend(OTHER, "t:7", Usage(500_000, 0), days_ago=3)
    await bench.spend(HERE, "t:7", Usage(70_000, 0), days_ago=20)
    await bench.spend(OTHER, "t:7", Usage(9_000_000, 0), days_ago=40)
    return bench


async def test_an_operator_sees_their_own() -> None:
    bench = await filled()
    assert await bench.asked(8, "8", Role.OPERATOR) == "\n".join([
        "Usage, yours",
        "Today: 2 calls · $0.03",
        "  19k in (12k cached) · 1.0k out",
        "7 days: 2 calls · $0.03",
        "  19k in (12k cached) · 1.0k out",
        "30 days: 2 calls · $0.03",
        "  19k in (12k cached) · 1.0k out",
        "",
        "By model, 30 days",
        "m",
        "  17k tokens · $0.02",
        "other",
        "  3.1k tokens · $0.01",
    ])  # fmt: skip


async def test_an_admin_sees_all_by_model_and_person() -> None:
    bench = await filled()
    told = await bench.asked(7, "7", Role.OWNER)
    assert "Usage, all chats\nToday: 2 calls · $0.03" in told
    assert "7 days: 3 calls · $0.03 + unknown\n  519k in" in told
    assert "30 days: 4 calls · $0.03 + unknown\n  589k in" in told
    assert "By person, 30 days\nid 7 (you)\n  570k tokens · cost unknown\nid 8\n  20k tokens · $0.03" in told
    assert "9.0M" not in told


async def test_a_group_sees_its_own_and_an_admin_there_the_totals_too() -> None:
    bench = await filled()
    told = await bench.asked(8, "-100", Role.OPERATOR)
    assert "Usage, this chat\nToday: 1 call · $0.01\n  3.0k in · 100 out" in told
    assert "30 days: 2 calls · $0.01 + unknown\n  73k in" in told
    assert "person" not in told
    assert "All" not in told
    assert "17k" not in told
    told = await bench.asked(7, "-100", Role.ADMIN)
    assert "By person, 30 days\nid 7 (you)\n  70k tokens · cost unknown\nid 8\n  3.1k tokens · $0.01" in told
    assert "All chats\nToday: 20k tokens · $0.03\n" in told


BUDGETS = {"run_tokens": 20_000, "user_day_tokens": 25_000, "day_tokens": 40_000, "day_money": 0.1, "run_s": 600.0}


@pytest.mark.parametrize(
    ("chat", "role", "lines"),
    [
        ("8", Role.OPERATOR, ["a run: 20k tokens", "you: 20k of 25k tokens, 80 %", "all: 50 % of the tokens",
                              "all: 30 % of the money", "a run: 600 s of work"]),
        ("8", Role.ADMIN, ["a run: 20k tokens", "you: 20k of 25k tokens, 80 %", "all: 20k of 40k tokens, 50 %",
                           "all: $0.03 of $0.10, 30 %", "a run: 600 s of work"]),
        ("-100", Role.OPERATOR, ["a run: 20k tokens", "a run: 600 s of work", "yours: ask me in private"]),
        ("-100", Role.ADMIN, ["a run: 20k tokens", "all: 20k of 40k tokens, 50 %", "all: $0.03 of $0.10, 30 %",
                              "a run: 600 s of work", "yours: ask me in private"]),
    ],
)  # fmt: skip
async def test_budgets_with_the_share_used(chat: str, role: Role, lines: list[str]) -> None:
    told = await (await filled()).asked(8, chat, role, BUDGETS)
    shown = told.partition("\nBudgets\n")[2].splitlines()
    assert shown == [*[f"  {line}" for line in lines], "A day begins at 00:00 UTC."]


@pytest.mark.parametrize(
    ("person", "chat", "role"), [(9, "9", Role.VIEWER), (7, "7", Role.OWNER), (8, "-5", Role.ADMIN)]
)
async def test_nothing_spent_is_said(person: int, chat: str, role: Role) -> None:
    assert "Nothing was spent yet." in await Bench().asked(person, chat, role)


async def test_whatever_a_model_is_called_and_whoever_asked_it_fits_the_lines() -> None:
    bench = Bench()
    for number in range(9):
        await bench.spend(PRIVATE, f"t:{10**12 + number}", Usage(10**9, 10**9, 10**9, True, 123.4), f"ü\n{number}" * 40)
    await bench.spend("odd", "", Usage(-5, -5, -5, money=-5.0), "")
    told = await bench.asked(7, "7", Role.OWNER, dict.fromkeys(BUDGETS, 10**9))
    assert max(len(line) for line in told.splitlines()) <= WIDTH
    assert "… and 4 more" in told
    assert not re.search(r"-\d|nan|none|inf", told, re.I)


ROW = st.builds(
    Spent, st.sampled_from(["", HERE, PRIVATE]), st.sampled_from(["t:7", "t:8", ""]), st.sampled_from(["m", "n"]),
    st.integers(1, 10**6), st.integers(0, 10**12), st.integers(0, 10**9), st.integers(0, 10**9),
    st.floats(0, 10**6), st.integers(0, 10**6), st.integers(0, 10),
)  # fmt: skip


@given(st.lists(ROW, max_size=12), st.randoms(use_true_random=False))
def test_lines_are_narrow_and_their_order_is_that_of_the_sums(rows: list[Spent], dice: object) -> None:
    shuffled = list(rows)
    dice.shuffle(shuffled)  # type: ignore[attr-defined]
    assert Total.of(rows) == Total.of(shuffled)
    lines = [*times([rows, rows, rows]), *listed("By model", rows, lambda row: row.model)]
    assert max(len(line) for line in lines) <= WIDTH
    assert not re.search(r"-\d|nan|none", "\n".join(lines), re.I)


@pytest.mark.parametrize(
    ("used", "limit", "text"),
    [(0, 100, "0 of 100 tokens, 0 %"), (99, 100, "99 of 100 tokens, 99 %"), (999, 1000, "999 of 1.0k tokens, 99 %"),
     (100, 100, "100 of 100 tokens, 100 %"), (250, 100, "250 of 100 tokens, 250 %")],
)  # fmt: skip
def test_a_share_is_rounded_down(used: int, limit: int, text: str) -> None:
    assert share("tokens", Total(prompt=used), limit, figures=True) == text


def test_the_budgets_that_are_set(tmp_path: Path) -> None:
    environment = {"JARVIS_HOME": str(tmp_path), "JARVIS_GUARDS__BUDGET__DAY_MONEY": "2.5"}
    assert load(environment).settings.guards.budget.limits() == {"day_money": 2.5}


@pytest.mark.parametrize(
    ("prices", "budget", "warnings"),
    [
        ('{"m": {"in": 1, "out": 2}}', "DAY_MONEY", 0),
        ('{"n": {"in": 1, "out": 2}}', "DAY_MONEY", 1),
        ("{}", "USER_DAY_MONEY", 1),
        ("{}", "DAY_TOKENS", 0),
    ],
)
def test_a_budget_in_money_that_has_no_price_is_warned_of(
    tmp_path: Path, prices: str, budget: str, warnings: int
) -> None:
    name = f"JARVIS_GUARDS__BUDGET__{budget}"
    loaded = load({"JARVIS_HOME": str(tmp_path), "JARVIS_MODEL__NAME": "m", "JARVIS_MODEL__PRICES": prices, name: "5"})
    assert [warning.startswith(name) for warning in loaded.warnings] == [True] * warnings


async def test_the_command_on_the_whole_service(tmp_path: Path) -> None:
    env = {"JARVIS_MODEL__PRICES": '{"scripted": {"in": 1, "out": 2}}', "JARVIS_GUARDS__BUDGET__DAY_TOKENS": "5000"}
    cost = Usage(2000, 100)
    lines = [
        Said(at=0, text="", calls=(call("mark", {"word": "x"}, "c1"),), usage=cost),
        Said(at=0, text="done", usage=cost),
    ]
    async with office(lines, tmp_path, env=env) as desk:
        await desk.channel.say("go", str(OPERATOR), OPERATOR)
        told = await shown(desk, str(OPERATOR), "done")
        assert re.search(r"^done\n\n1 file · \d+ s · 4\.2k tokens · \$0\.0044$", told)
        for person, chat, expect in (
            (OPERATOR, str(OPERATOR), "Usage, yours\nToday: 2 calls · $0.0044"),
            (ADMIN, str(ADMIN), "all: 4.2k of 5.0k tokens, 84 %"),
            (VIEWER, str(VIEWER), "Nothing was spent yet."),
            (OPERATOR, GROUP, "Usage, this chat\nNothing was spent yet."),
        ):
            await desk.channel.say("/usage", chat, person)
            assert expect in await shown(desk, chat, "Usage")


async def shown(desk: Office, chat: str, text: str) -> str:
    """The newest message that begins so, once it is there: some of the work is done in threads."""
    for _ in range(200):
        await desk.pass_time(0.1)
        if found := [letter.text for letter in desk.letters(chat) if letter.text.startswith(text)]:
            return found[-1]
        await asyncio.sleep(0.005)
    raise AssertionError(f"nothing begins with {text!r}: {[letter.text for letter in desk.letters(chat)]}")
