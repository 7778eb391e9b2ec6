"""Baseline rule: a reading call gives the same result a second time."""

from __future__ import annotations

import pytest

from agent.guards.baseline.same_read_2 import SameRead2
from tests.fakes.runs import asked, made, spoke


@pytest.mark.parametrize(
    ("calls", "spoken"),
    [
        ("a", []),
        ("a a", [2]),
        ("a b a", [3]),
        ("a=1 a=2", []),
        ("a=1 a=2 a=1", []),
        ("a! a!", []),  # failures have their own rule
        ("a a! a", []),
    ],
)
def test_a_second_equal_result_is_warned_about(calls: str, spoken: list[int]) -> None:
    assert spoke(SameRead2(), made(calls, reads=True)) == [(number, "NOTE") for number in spoken]


def test_a_call_that_changes_something_is_no_reading() -> None:
    assert spoke(SameRead2(), made("a a")) == []


def test_a_change_in_between_makes_no_difference() -> None:
    assert spoke(SameRead2(), [*made("a", reads=True), *made("b"), *made("a", reads=True)]) == [(3, "NOTE")]


def test_a_message_starts_the_count_anew() -> None:
    assert spoke(SameRead2(), [*made("a", reads=True), asked(), *made("a", reads=True)]) == []
