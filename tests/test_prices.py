"""Prices: what a reply costs by the table, what the provider says, and what no table may hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.models.priced import Priced
from agent.models.scripted import ScriptedModel
from agent.models.tokens import usage_of
from agent.prices import Prices, money_of
from agent.steps import Failed, Said, Trouble, Usage
from tests.fakes.clock import HandClock
from tests.fakes.settings import reader

TABLE: dict[str, object] = {"GPT-x": {"in": 2, "out": 8, "cached": 0.5}, "plain": {"in": 1.0, "out": 0}}


@pytest.mark.parametrize(
    ("model", "usage", "money"),
    [
        ("gpt-x", Usage(1_000_000, 0), 2.0),
        ("GPT-X", Usage(0, 1_000_000), 8.0),
        ("gpt-x", Usage(1_000_000, 0, cached=1_000_000), 0.5),
        ("gpt-x", Usage(1000, 100, cached=600), 0.0019),
        ("plain", Usage(1_000_000, 0, cached=1_000_000), 1.0),  # without a price of their own, cached ones cost as much
        ("plain", Usage(0, 500), 0.0),
        ("other", Usage(1000, 100), None),  # unknown is not free
        ("other", Usage(1000, 100, money=0.25), 0.25),
        ("gpt-x", Usage(1000, 100, money=0.25), 0.25),  # who was paid knows best
        ("gpt-x", Usage(1000, 100, money=0.0), 0.0),
    ],
)
def test_what_a_reply_costs(model: str, usage: Usage, money: float | None) -> None:
    charged = Prices.parse(TABLE).charge(model, usage).money
    assert charged == (None if money is None else pytest.approx(money))


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"m": 3}',
        '{"m": {"in": 1}}',
        '{"m": {"in": 1, "out": 2, "per": "token"}}',
        '{"m": {"in": "1", "out": 2}}',
        '{"m": {"in": -1, "out": 2}}',
        '{"m": {"in": true, "out": 2}}',
        '{"m": {"in": NaN, "out": 2}}',
        '{"m": {"in": 1, "out": Infinity}}',
        '{"m": {"in": 1, "out": 2, "cached": null}}',
        '{"m": {"in": 1, "out": 1000001}}',
        '{"good": {"in": 1, "out": 2}, "' + "m" * 99 + '": {"in": 1}}',
    ],
)
def test_junk_gives_no_prices_and_one_warning(tmp_path: Path, text: str) -> None:
    loaded = reader(tmp_path)({"JARVIS_MODEL__PRICES": text})
    assert loaded.settings.model.prices == {}
    assert len(loaded.warnings) == 1
    assert loaded.warnings[0].startswith("JARVIS_MODEL__PRICES must")
    assert loaded.warnings[0].endswith("; the default is used.")
    assert len(loaded.warnings[0]) < 200


def test_a_table_is_read(tmp_path: Path) -> None:
    loaded = reader(tmp_path)({"JARVIS_MODEL__PRICES": '{"m": {"in": 1, "out": 2}, "n": {"in": 0, "out": 0}}'})
    assert loaded.warnings == ()
    prices = Prices.parse(loaded.settings.model.prices)
    assert (prices.knows("M"), prices.knows("o")) == (True, False)


@pytest.mark.parametrize(
    ("cost", "money"),
    [(0.95, 0.95), (0, 0.0), (10_000, 10_000.0), (10_001, None), (-0.1, None), (float("nan"), None), ("0.1", None),
     (True, None), (None, None), ([], None), (10**400, None), (float("inf"), None)],
)  # fmt: skip
def test_what_a_provider_says(cost: object, money: float | None) -> None:
    assert money_of(cost) == money
    assert usage_of({"prompt_tokens": 1, "completion_tokens": 1, "cost": cost}, 4, 4) == Usage(1, 1, money=money)


@pytest.mark.parametrize(
    ("report", "usage"),
    [
        ({"prompt_tokens": 100, "completion_tokens": 7}, Usage(100, 7)),
        ({"prompt_tokens": 50_400, "completion_tokens": 7}, Usage(50_400, 7)),  # a provider adds a prompt of its own
        ({"prompt_tokens": 50_401, "completion_tokens": 7}, Usage(100, 7, estimated=True)),  # 400 bytes can't be that
        ({"prompt_tokens": 100, "completion_tokens": 20_000_001}, Usage(100, 10, estimated=True)),
        ({"prompt_tokens": 10**400, "completion_tokens": 10**400}, Usage(100, 10, estimated=True)),
        ({"prompt_tokens": -5, "completion_tokens": -1, "total_tokens": -6}, Usage(100, 10, estimated=True)),
        ({"prompt_tokens": "many", "completion_tokens": None}, Usage(100, 10, estimated=True)),
        ({"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 900}},
         Usage(100, 7, cached=100)),
        ({"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": -9}}, Usage(100, 7)),
        ({"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": "x"}, Usage(100, 7)),
        (None, Usage(100, 10, estimated=True)),
        ([1], Usage(100, 10, estimated=True)),
    ],
)  # fmt: skip
def test_usage_that_makes_no_sense_is_estimated(report: object, usage: Usage) -> None:
    assert usage_of(report, sent=400, received=40) == usage


JUNK = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just({}) | st.just([1])
REPORT = JUNK | st.fixed_dictionaries({}, optional={
    "prompt_tokens": JUNK, "completion_tokens": JUNK, "cost": JUNK, "prompt_cache_hit_tokens": JUNK,
    "prompt_tokens_details": JUNK | st.fixed_dictionaries({"cached_tokens": JUNK}),
})  # fmt: skip


@given(REPORT, st.integers(0, 10**6), st.integers(0, 10**6))
def test_no_report_makes_a_figure_negative_or_breaks_anything(report: Any, sent: int, received: int) -> None:
    usage = Prices.parse(TABLE).charge("plain", usage_of(report, sent, received))
    assert 0 <= usage.cached <= usage.prompt <= sent + 50_000
    assert usage.completion >= 0
    assert usage.money is not None
    assert 0 <= usage.money <= 10_000


async def test_each_reply_and_each_failed_attempt_is_charged_to_the_model_that_it_names() -> None:
    cost = Usage(1_000_000, 0)
    lines = [
        Said(at=0, text="hello", usage=cost, model="gpt-x"),
        Said(at=0, text="hello", usage=cost),
        Failed(at=0, trouble=Trouble.RETRY, text="cut", usage=cost, model="gpt-x"),
    ]
    model = Priced(ScriptedModel(lines, HandClock(), name="plain"), Prices.parse(TABLE))
    ends = [[part async for part in model.reply([], [])][-1] for _ in lines]
    assert [end.usage.money for end in ends if isinstance(end, Said | Failed)] == [2.0, 1.0, 2.0]
    assert model.name == "plain"
