"""Baseline rule: cycles of two to four calls, three laps."""

from __future__ import annotations

import pytest

from agent.guards.baseline.cycles_2_4 import Cycles
from tests.fakes.runs import asked, made, spoke


@pytest.mark.parametrize(
    ("calls", "spoken"),
    [
        ("a b a b a", []),
        ("a b a b a b", [6]),
        ("x a b c a b c a b", []),
        ("x a b c a b c a b c", [10]),
        ("a b c d a b c d a b c", []),
        ("a b c d a b c d a b c d", [12]),
        ("a b c d e " * 3, []),  # longer than the rule looks
        ("a b a b a b=2", []),
        ("a a a a a a", []),  # one call is no cycle
    ],
)
def test_three_laps_are_warned_about(calls: str, spoken: list[int]) -> None:
    assert spoke(Cycles(), made(calls)) == [(number, "NOTE") for number in spoken]


def test_a_message_starts_anew() -> None:
    assert spoke(Cycles(), [*made("a b a b a"), asked(), *made("b")]) == []
