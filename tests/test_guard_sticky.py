"""Sticky: what failed three times stands in the tail until it succeeds, is deleted or is dropped."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agent.guards.sticky import Sticky
from agent.steps import Change, Level, Outcome
from tests.fakes.course import Course

ERROR = "scan.sh: line 6: zap: command not found\n"
WROTE = (Change("/w/a", "1", "2"),)


def fail(course: Course, command: str = "bash scan.sh", error: str = ERROR) -> None:
    course.shell(command, err=error, code=127, files=())


def standing(course: Course) -> str:
    """What the tail holds."""
    return course.nudges[-1].text if course.nudges else ""


@pytest.mark.parametrize(("times", "stands"), [(2, False), (3, True), (9, True)])
def test_three_attempts_without_success(times: int, stands: bool) -> None:
    course = Course(Sticky())
    for _ in range(times):
        fail(course)
    assert bool(standing(course)) == stands
    if stands:
        nudge = course.nudges[-1]
        assert (nudge.event, nudge.slot, nudge.level) == ("sticky.surfaced", "sticky", Level.NOTE)
        assert nudge.text == f"Still open: `scan.sh` failed {times} times: {ERROR.strip()}"


@pytest.mark.parametrize(
    "commands",
    [
        ("bash scan.sh", "./scan.sh x", "cd /w && PATH=$PATH:/opt bash -x scan.sh 2>&1 | tail"),
        ("sudo env A=1 timeout 5 bash scan.sh", "bash scan.sh; false", "ls; bash scan.sh"),
        ("npm run build", "cd app && npm run build", "NODE_ENV=x npm run build"),
        ("python3 -m pytest -x", "pytest tests", "timeout 60 pytest -q | tail -5"),
        ("cat notes.txt", "cat ./notes.txt", "cat /w/notes.txt"),
    ],
)
def test_which_commands_are_about_the_same(commands: tuple[str, ...]) -> None:
    course = Course(Sticky())
    for command in commands:
        fail(course, command)
    assert standing(course)


@pytest.mark.parametrize(
    "commands",
    [
        ("cat a.txt", "cat b.txt", "cat c.txt"),
        ("npm run build", "npm run test", "npm run lint"),
        ("git push", "git pull", "git fetch"),
        ("bash a.sh", "bash b.sh", "bash c.sh"),
    ],
)
def test_which_are_not(commands: tuple[str, ...]) -> None:
    course = Course(Sticky())
    for command in commands:
        fail(course, command)
    assert not standing(course)


@pytest.mark.parametrize(
    ("happens", "gone"),
    [
        (lambda c: c.shell("bash scan.sh", out="done\n"), True),
        (lambda c: c.shell("cat other", out="x\n"), False),
        (lambda c: c.shell("bash scan.sh || true", out=ERROR), False),  # the exit code was thrown away
        (lambda c: c.shell("rm scan.sh", files=(Change("/w/scan.sh", "1", ""),)), True),
        (lambda c: c.shell("rm a", files=(Change("/w/a", "1", ""),)), False),
        (lambda c: c.service("plan", {"items": ["write it"]}, "ok", write=False), True),
        (lambda c: c.service("plan", {"items": ["run scan.sh"]}, "ok", write=False), False),
    ],
    ids=["success", "another's", "hidden", "deleted", "another deleted", "plan drops it", "plan keeps it"],
)
def test_until_when_it_stands(happens: Callable[[Course], object], gone: bool) -> None:
    course = Course(Sticky())
    course.service("plan", {"items": ["run scan.sh", "write it"]}, "ok", write=False)
    for _ in range(3):
        fail(course)
    happens(course)
    assert (standing(course) == "") == gone
    assert not gone or course.nudges[-1].event == "sticky.cleared"


@pytest.mark.parametrize(("edits", "stands"), [(4, False), (5, False), (6, True)])
def test_an_attempt_after_a_change_counts_a_third(edits: int, stands: bool) -> None:
    course = Course(Sticky())
    fail(course, "pytest")
    for number in range(edits):
        course.service("edit_file", {"n": number}, "ok", write=True, files=WROTE)
        fail(course, "pytest")
    assert bool(standing(course)) == stands


def test_two_lines_at_most_by_attempts() -> None:
    course = Course(Sticky())
    for name, times in (("a", 3), ("b", 5), ("c", 4)):
        for _ in range(times):
            fail(course, f"bash {name}.sh", f"{'é' * 200} error\n")
    lines = standing(course).splitlines()
    assert [line.split("`")[1] for line in lines] == ["b.sh", "c.sh"]
    assert all(len(line.encode()) <= 120 for line in lines)


def test_it_is_told_only_when_its_text_changes() -> None:
    course = Course(Sticky())
    for _ in range(3):
        fail(course)
    for number in range(5):
        course.shell(f"cat {number}", out=f"{number}\n")
    assert len(course.nudges) == 1


def test_a_new_run_starts_afresh_and_a_checkpoint_does_not() -> None:
    course = Course(Sticky())
    fail(course)
    course.hand()
    fail(course)
    fail(course)
    assert standing(course)
    course.end()
    course.ask("again")
    fail(course)
    fail(course)
    assert len(course.nudges) == 1


def test_services_have_no_stem() -> None:
    course = Course(Sticky())
    for number in range(5):
        course.service("edit_file", {"n": number}, "no match", Outcome.FAILED, write=True)
    assert not course.nudges
