"""Baseline rule: one call with one result, 20 times of the last 30."""

from __future__ import annotations

import pytest

from agent.guards.baseline.same_20_of_30 import Same20Of30
from tests.fakes.runs import asked, made, spoke


def others(count: int) -> str:
    return " ".join(f"b{number}" for number in range(count))


@pytest.mark.parametrize(
    ("calls", "spoken"),
    [
        ("a " * 19, []),
        ("a " * 20, [20]),
        ("a " * 10 + others(10) + " a" * 10, [30]),
        ("a " * 10 + others(11) + " a" * 10, []),  # the first has left the window
        ("a=1 " * 19 + "a=2", []),
    ],
)
def test_twenty_of_thirty_are_held(calls: str, spoken: list[int]) -> None:
    assert spoke(Same20Of30(), made(calls)) == [(number, "HOLD") for number in spoken]


def test_a_message_empties_the_window() -> None:
    assert spoke(Same20Of30(), [*made("a " * 19), asked(), *made("a")]) == []
