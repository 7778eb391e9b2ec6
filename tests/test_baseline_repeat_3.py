"""Baseline rule: three equal calls in a row."""

from __future__ import annotations

import pytest

from agent.guards.baseline.repeat_3 import Repeat3
from tests.fakes.runs import asked, made, spoke


@pytest.mark.parametrize(
    ("calls", "spoken"),
    [
        ("a a", []),
        ("a a a", [3]),
        ("a a a a", [3, 4]),
        ("a=1 a=2 a=3", [3]),  # whatever came back
        ("a a b a a", []),
        ("a a b a a a", [6]),
    ],
)
def test_three_in_a_row_ask_a_human(calls: str, spoken: list[int]) -> None:
    assert spoke(Repeat3(), made(calls)) == [(number, "ASK") for number in spoken]


def test_another_tool_is_another_call() -> None:
    assert spoke(Repeat3(), [*made("a a"), *made("a", tool="read_file")]) == []


def test_a_message_starts_the_count_anew() -> None:
    assert spoke(Repeat3(), [*made("a a"), asked(), *made("a")]) == []
