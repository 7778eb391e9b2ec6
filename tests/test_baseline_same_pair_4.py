"""Baseline rule: four equal actions with equal observations."""

from __future__ import annotations

import pytest

from agent.guards.baseline.same_pair_4 import SamePair4
from tests.fakes.runs import asked, made, spoke


@pytest.mark.parametrize(
    ("calls", "spoken"),
    [
        ("a a a", []),
        ("a a a a", [4]),
        ("a! a! a! a!", [4]),
        ("a=1 a=1 a=1 a=2", []),
        ("a a a b a", []),
        ("a a a a!", []),  # the outcome is part of the observation
    ],
)
def test_four_equal_pairs_end_the_run(calls: str, spoken: list[int]) -> None:
    assert spoke(SamePair4(), made(calls)) == [(number, "STOP") for number in spoken]


def test_a_message_starts_the_count_anew() -> None:
    assert spoke(SamePair4(), [*made("a a a"), asked(), *made("a")]) == []
