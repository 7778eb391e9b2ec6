"""Baseline rule: five equal calls in a row."""

from __future__ import annotations

import pytest

from agent.guards.baseline.repeat_5 import Repeat5
from tests.fakes.runs import asked, made, spoke


@pytest.mark.parametrize(
    ("calls", "spoken"),
    [
        ("a a a a", []),
        ("a a a a a", [5]),
        ("a=1 a=2 a=3 a=4 a=5 a=6", [5, 6]),
        ("a a a a b a", []),
    ],
)
def test_five_in_a_row_end_the_run(calls: str, spoken: list[int]) -> None:
    assert spoke(Repeat5(), made(calls)) == [(number, "STOP") for number in spoken]


def test_a_message_starts_the_count_anew() -> None:
    assert spoke(Repeat5(), [*made("a a a a"), asked(), *made("a")]) == []
