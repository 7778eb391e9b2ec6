"""Streak: most of the last calls failed; wrong arguments counted apart, with a hint from the schema."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from agent.guards.streak import Streak
from agent.steps import Level, Outcome
from tests.fakes.course import Course

SCHEMA = (
    '{"type": "object", "properties": {"path": {"type": "string"}, "mode": {"type": "string"}}, "required": ["path"]}'
)


def run(course: Course, pattern: str) -> None:
    """F fails, each in its own way; o goes well; w warns; n answers no; b has wrong arguments."""
    for number, kind in enumerate(pattern):
        outcome = {
            "F": Outcome.FAILED, "o": Outcome.OK, "w": Outcome.WARNED, "n": Outcome.ANSWERED_NO,
            "b": Outcome.BAD_ARGUMENTS, "t": Outcome.TIMED_OUT, "c": Outcome.CANCELLED,
        }[kind]  # fmt: skip
        course.call("shell", {"command": f"make x{number}"}, outcome, code=1, out="", err=f"error {number}")


@pytest.mark.parametrize(
    ("pattern", "times"),
    [
        ("FFFFFF", 0),
        ("FFFFFFF", 1),  # 7 of 7
        ("FFFoFFFF", 1),  # 7 of 8
        ("FFoFFoFFFF", 0),  # 6 of 8
        ("FFoFFFFFF", 1),
        ("tttttttt", 1),
        ("FFFbbbFFFF", 1),  # wrong arguments leave no gap
        ("FFFcFFFF", 1),
        ("FFFFFFww", 0),  # a warning is no failure
        ("nnnnnnnn", 0),
        ("F" * 13, 1),  # counted anew once it spoke
        ("F" * 14, 2),
    ],
)
def test_seven_of_the_last_eight(pattern: str, times: int) -> None:
    course = Course(Streak())
    run(course, pattern)
    assert len(course.nudges) == times
    assert all(
        (each.event, each.level, each.slot) == ("nudge.streak", Level.NOTE, None) and len(each.text.encode()) <= 400
        for each in course.nudges
    )


def test_a_new_run_starts_afresh() -> None:
    course = Course(Streak())
    run(course, "FFFFFF")
    course.end()
    course.ask("again")
    run(course, "F")
    assert not course.nudges


@pytest.mark.parametrize(
    ("tools", "times"),
    [
        (["write_file", "write_file"], 0),
        (["write_file", "write_file", "write_file"], 1),
        (["write_file", "edit_file", "write_file", "write_file"], 0),
        (["write_file"] * 6, 1),
    ],
)
def test_wrong_arguments_get_a_hint_from_the_schema(tools: Sequence[str], times: int) -> None:
    course = Course(Streak(), schema=SCHEMA)
    for tool in tools:
        course.call(tool, {}, Outcome.BAD_ARGUMENTS, text="no such field")
    assert len(course.nudges) == times
    for each in course.nudges:
        assert "path (string), mode (string, may be left out)" in each.text


@pytest.mark.parametrize("schema", ["", "{", "{}", "[]", '{"properties": 3}', '{"properties": {"a": 1}}'])
def test_without_a_readable_schema_there_is_no_hint(schema: str) -> None:
    course = Course(Streak(), schema=schema)
    for _ in range(4):
        course.call("write_file", {}, Outcome.BAD_ARGUMENTS, text="no such field")
    assert not course.nudges
