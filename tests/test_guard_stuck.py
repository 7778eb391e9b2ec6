"""Stuck: T1, T2 and T3 at, under and over; the ways out there are; quiet, then reads held, then STOP."""

from __future__ import annotations

import pytest

from agent.guards.stuck import Stuck
from agent.steps import Change, Level, Outcome
from tests.fakes.course import TOOLS, Course

WROTE = (Change("/w/a", "1", "2"),)


def run(course: Course, pattern: str) -> None:
    """r reads something new, k reads what is known (with other arguments), w changes a file."""
    for kind in pattern:
        number = course.calls
        if kind == "r":
            course.shell(f"cat {number}", out=f"content {number}\n", files=())
        elif kind == "k":
            course.shell(f"tac {number}", out="known content\n", files=())
        else:
            course.service("edit_file", {"n": number}, f"edited {number}", write=True, files=WROTE)


def fired(course: Course) -> str:
    return "".join(each.text.partition(" (T")[2][:1] for each in course.said(Level.NOTE))


@pytest.mark.parametrize(
    ("pattern", "which"),
    [
        ("w" + "k" * 8 + "r" * 5 + "k", "2"),  # one first sight, then 8 of the last 15 known
        ("www" + "k" * 8 + "wwww", ""),  # 7 of 15
        ("www" + "k" * 9 + "www", ""),  # the last one says nothing old
        ("www" + "k" * 9 + "wwk", "2"),
        ("w" + "r" * 9 + "kkk", "3"),  # 12 without a change, 2 repeats
        ("w" + "r" * 8 + "kkk", ""),  # 11
        ("w" + "r" * 10 + "kk", ""),  # 1 repeat
        ("wrrrwrrrrkkkkkk", "1"),  # 13 reads, 2 changes, 5 repeats
        ("wrrrwrrrrrkkkkk", ""),  # 4 repeats
        ("wrrwrrwrrkkkkkk", ""),  # 3 changes
    ],
)
def test_when_it_speaks(pattern: str, which: str) -> None:
    course = Course(Stuck())
    run(course, pattern)
    assert fired(course) == which


@pytest.mark.parametrize(
    ("tools", "ways"),
    [
        (TOOLS, ("PRODUCE",)),
        ((*TOOLS, "web_search"), ("PRODUCE", "WEB SEARCH")),
        ((*TOOLS, "debate", "blocked"), ("PRODUCE", "DEBATE", "DECLARE BLOCKED")),
        ((*TOOLS, "web_search", "debate", "blocked"), ("PRODUCE", "WEB SEARCH", "DEBATE", "DECLARE BLOCKED")),
    ],
)
def test_the_ways_out_are_those_that_exist(tools: tuple[str, ...], ways: tuple[str, ...]) -> None:
    course = Course(Stuck(), tools=tools)
    run(course, "w" + "r" * 9 + "kkk")
    (note,) = course.nudges
    assert note.text.startswith("[CRITICAL] You are stuck: nothing was changed in the last 12 calls")
    assert (note.event, note.level, note.slot) == ("stuck.halt", Level.NOTE, None)
    assert len(note.text.encode()) <= 400
    every = ("PRODUCE", "WEB SEARCH", "DEBATE", "DECLARE BLOCKED")
    assert tuple(way for way in every if way in note.text) == ways


def test_window_cleared_then_reads_held_then_stopped() -> None:
    course = Course(Stuck())
    run(course, "k" * 12)
    assert [each.level for each in course.nudges] == [Level.NOTE]
    run(course, "k" * 11)
    assert len(course.nudges) == 1
    course.shell("cat this", out="known content\n", files=())
    assert [each.level for each in course.nudges] == [Level.NOTE, Level.NOTE]
    assert "Reads that were made before are not run again" in course.nudges[-1].text
    assert not course.held
    course.shell("cat this", out="known content\n", files=())
    assert course.held == 1
    assert course.nudges[-1].text.startswith("Not run: you are stuck")
    run(course, "k" * 11)
    stop = course.nudges[-1]
    assert stop.level is Level.STOP
    assert stop.text.startswith("I stopped: ")
    assert stop.text.endswith("How shall I go on?")


@pytest.mark.parametrize("free", ["a change", "a word", "a checkpoint"])
def test_reads_are_held_until_something_happens(free: str) -> None:
    course = Course(Stuck())
    run(course, "k" * 23)
    course.shell("cat this", out="known content\n", files=())
    assert len(course.said(Level.NOTE)) == 2
    match free:
        case "a change":
            run(course, "w")
        case "a word":
            course.ask("go on")
        case _:
            course.hand()
    course.shell("cat this", out="known content\n", files=())
    assert not course.held


def test_a_long_way_between_two_firings_starts_anew() -> None:
    course = Course(Stuck())
    for _ in range(4):
        run(course, "k" * 15)
        run(course, "w" + "rrw" * 12)
    assert {each.level for each in course.nudges} == {Level.NOTE}
    assert not course.held


def test_held_calls_are_stale_and_waiting_is_not() -> None:
    course = Course(Stuck())
    run(course, "r" * 11)
    for number in range(4):
        course.call("shell", {"command": f"sleep 9; tail {number}"}, Outcome.OK, code=0, out="known\n", err="")
        course.service("jobs", {"wait": number}, "still running", write=False)
    assert not course.nudges


def test_wrong_arguments_are_neither_reads_nor_changes() -> None:
    course = Course(Stuck())
    for number in range(20):
        course.call("edit_file", {"n": number}, Outcome.BAD_ARGUMENTS, text="no such field")
    assert not course.nudges


def test_a_new_run_starts_afresh() -> None:
    course = Course(Stuck())
    run(course, "k" * 11)
    course.end()
    course.ask("again")
    run(course, "k" * 11)
    assert not course.nudges
