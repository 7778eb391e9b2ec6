"""Baseline rule: the same call fails a second time."""

from __future__ import annotations

import pytest

from agent.guards.baseline.failing_call_2 import FailingCall2
from tests.fakes.runs import Made, asked, made, spoke


@pytest.mark.parametrize(
    ("calls", "spoken"),
    [
        ("a!", []),
        ("a! a!", [2]),
        ("a! b! a!", [3]),  # not in a row
        ("a! b!", []),
        ("a! a a!", []),  # it worked in between
        ("a! b a!", []),  # something was changed in between
        ("a a", []),
    ],
)
def test_a_second_failure_is_warned_about(calls: str, spoken: list[int]) -> None:
    assert spoke(FailingCall2(), made(calls)) == [(number, "NOTE") for number in spoken]


def test_reading_in_between_changes_nothing() -> None:
    assert spoke(FailingCall2(), [*made("a!"), Made("b", reads=True), *made("a!")]) == [(3, "NOTE")]


def test_a_message_starts_the_count_anew() -> None:
    assert spoke(FailingCall2(), [*made("a!"), asked(), *made("a!")]) == []
