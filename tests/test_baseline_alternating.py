"""Baseline rule: A-B-A-B-A-B with equal observations."""

from __future__ import annotations

import pytest

from agent.guards.baseline.alternating import Alternating
from tests.fakes.runs import asked, made, spoke


@pytest.mark.parametrize(
    ("calls", "spoken"),
    [
        ("a b a b a", []),
        ("a b a b a b", [6]),
        ("a b a b a b a", [6, 7]),
        ("a b a b a b=2", []),
        ("a b c a b c", []),
        ("a a a a a a", [6]),
    ],
)
def test_six_alternating_steps_end_the_run(calls: str, spoken: list[int]) -> None:
    assert spoke(Alternating(), made(calls)) == [(number, "STOP") for number in spoken]


def test_a_message_starts_anew() -> None:
    assert spoke(Alternating(), [*made("a b a b a"), asked(), *made("b")]) == []
