"""Baseline rule: a tool fails a third time."""

from __future__ import annotations

import pytest

from agent.guards.baseline.failing_tool_3 import FailingTool3
from tests.fakes.runs import Made, asked, made, spoke


@pytest.mark.parametrize(
    ("calls", "spoken"),
    [
        ("a! b!", []),
        ("a! b! c!", [3]),
        ("a! b! c! d!", [3, 4]),
        ("a! b! c d!", []),
    ],
)
def test_a_third_failure_is_warned_about(calls: str, spoken: list[int]) -> None:
    assert spoke(FailingTool3(), made(calls)) == [(number, "NOTE") for number in spoken]


def test_tools_are_counted_apart() -> None:
    assert spoke(FailingTool3(), [*made("a! b!"), *made("c!", tool="edit_file")]) == []


def test_a_change_by_another_tool_ends_the_count_and_a_read_does_not() -> None:
    assert spoke(FailingTool3(), [*made("a! b!"), Made("x", tool="write_file"), *made("c!")]) == []
    assert spoke(FailingTool3(), [*made("a! b!"), Made("x", tool="read_file", reads=True), *made("c!")]) == [
        (4, "NOTE")
    ]


def test_a_message_starts_the_count_anew() -> None:
    assert spoke(FailingTool3(), [*made("a! b!"), asked(), *made("c!")]) == []
