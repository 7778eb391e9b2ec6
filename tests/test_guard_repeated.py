"""Repeated: one error from different commands, at, under and over each threshold; cleared, silent, stopped."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from agent.guards.repeated import Repeated
from agent.steps import Finished, Level, Outcome, Proposed
from tests.fakes.course import Course, stream

MISSING = "cat: /w/widget.conf: No such file or directory"


def fail(course: Course, number: int, error: str = MISSING) -> None:
    course.shell(f"cat /w/widget.conf # {number}", err=error, code=1)


def events(course: Course) -> list[tuple[str, Level]]:
    return [(each.event, each.level) for each in course.nudges]


@pytest.mark.parametrize(
    ("commands", "times"),
    [
        (["a", "b"], 0),
        (["a", "b", "c"], 1),
        (["a", "b", "a"], 1),
        (["a", "a", "a"], 0),  # one call again and again is a loop, and another guard's
        (["a", "b", "c", "d"], 1),
        (["a", "b", "c", "d", "e"], 2),  # with the ways out
        (["a", "b", "c", "d", "e", "f", "g"], 2),
        (["a", "b", "c", "d", "e", "f", "g", "h"], 3),  # stopped
    ],
)
def test_how_often_it_speaks(commands: Sequence[str], times: int) -> None:
    course = Course(Repeated())
    for command in commands:
        course.shell(f"{command} /w/widget.conf", err=f"{command}: /w/widget.conf: No such file or directory", code=1)
    assert len(course.nudges) == times


def test_the_note_quotes_the_error_and_names_the_commands() -> None:
    course = Course(Repeated())
    for command in ("cat", "head -n 5", "wc -l"):
        course.shell(f"{command} /w/widget.conf", err=MISSING, code=1)
    (note,) = course.nudges
    assert (note.level, note.event, note.slot) == (Level.NOTE, "nudge.repeated", "unresolved")
    assert "The same error 3 times from 3 different commands" in note.text
    assert MISSING in note.text
    assert all(f"`{command} /w/widget.conf`" in note.text for command in ("cat", "head -n 5", "wc -l"))
    assert "step back" in note.text
    assert len(note.text.encode()) <= 400


def test_the_note_of_a_long_error_fits_and_keeps_its_end() -> None:
    course = Course(Repeated())
    for number in range(5):
        fail(course, number, f"tool: {'é' * 150}: {'x' * 150}/widget.conf: Permission denied")
    assert [len(each.text.encode()) <= 400 for each in course.nudges] == [True, True]
    assert "Permission denied" in course.nudges[0].text


def test_the_stop_says_why_in_words_for_a_person() -> None:
    course = Course(Repeated())
    for number in range(8):
        fail(course, number)
    stop = course.nudges[-1]
    assert (stop.level, stop.event) == (Level.STOP, "nudge.repeated")
    assert stop.text.startswith(f"The same error came back 8 times from 8 different commands: {MISSING}. Tried: ")


@pytest.mark.parametrize(("at", "first"), [(2, 2), (3, 3), (4, 4)])
def test_the_threshold_is_a_setting(at: int, first: int) -> None:
    course = Course(Repeated(at=at))
    for number in range(1, 6):
        fail(course, number)
        assert bool(course.nudges) == (number >= first)


@pytest.mark.parametrize(("between", "speaks"), [(7, True), (8, False)])
def test_the_window_is_ten_calls(between: int, speaks: bool) -> None:
    course = Course(Repeated())
    fail(course, 1)
    for number in range(between):
        course.shell(f"echo {number}", out=f"{number}\n")
    fail(course, 2)
    fail(course, 3)
    assert bool(course.nudges) == speaks


@pytest.mark.parametrize(
    ("errors", "speaks"),
    [
        ([MISSING, "head: cannot open '/x/widget.conf' for reading: No such file or directory", MISSING], True),
        ([MISSING, "cat: /w/other.conf: No such file or directory", MISSING], False),
        (["ValueError: bad 7 at 0x7f3a", "ValueError: bad 8 at 0x7f3b", "ValueError: bad 9 at 0x7f3c"], True),
        (["ValueError: 'a'", "ValueError: 'b'", "ValueError: 'c'"], False),
    ],
)
def test_what_counts_as_the_same_error(errors: Sequence[str], speaks: bool) -> None:
    course = Course(Repeated())
    for number, error in enumerate(errors):
        fail(course, number, error)
    assert bool(course.nudges) == speaks


@pytest.mark.parametrize(
    ("outcome", "speaks"),
    [
        (Outcome.FAILED, True),
        (Outcome.WARNED, True),  # exit 0, error on stderr
        (Outcome.TIMED_OUT, True),
        (Outcome.OK, False),
        (Outcome.ANSWERED_NO, False),
        (Outcome.CANCELLED, False),
    ],
)
def test_which_outcomes_count(outcome: Outcome, speaks: bool) -> None:
    course = Course(Repeated())
    for number in range(3):
        course.call("shell", {"command": f"cat {number}"}, outcome, code=1, out="", err=MISSING)
    assert bool(course.nudges) == speaks


def test_services_and_wrong_arguments_do_not_count() -> None:
    course = Course(Repeated())
    for number in range(9):
        course.service("edit_file", {"n": number}, "Error: no match in a.py", Outcome.FAILED, write=True)
        course.service("edit_file", {"n": number}, "Error: no such field", Outcome.BAD_ARGUMENTS, write=True)
    assert not course.nudges


def test_a_failure_without_an_error_line_goes_by_its_last_line() -> None:
    course = Course(Repeated())
    for number in range(3):
        course.call("shell", {"command": f"page {number}"}, Outcome.FAILED, code=22, out="sorry, gone\n", err="")
    assert "sorry, gone" in course.nudges[0].text


def test_an_exit_code_that_was_thrown_away_hides_nothing() -> None:
    course = Course(Repeated())
    course.shell("bash scan.sh", err="scan.sh: line 6: $ZAP_CMD: command not found", code=127)
    course.shell("bash scan.sh 2>&1 || true", out="scan.sh: line 6: $ZAP_CMD: command not found")
    course.shell("./scan.sh 2>&1; echo done", out="./scan.sh: line 6: $ZAP_CMD: command not found\ndone")
    assert events(course) == [("nudge.repeated", Level.NOTE)]


def test_success_of_the_same_target_clears_it() -> None:
    course = Course(Repeated())
    for command in ("bash scan.sh", "bash -x scan.sh", "PATH=/x bash scan.sh"):
        course.shell(command, err="scan.sh: line 6: zap: command not found", code=127)
    course.shell("cat notes.txt", out="notes")
    assert events(course) == [("nudge.repeated", Level.NOTE)]
    course.shell("bash scan.sh now", out="scanned")
    assert (course.nudges[-1].event, course.nudges[-1].text) == ("repeated.cleared", "")
    course.shell("sudo bash scan.sh", err="scan.sh: line 6: zap: command not found", code=127)
    course.shell("bash ./scan.sh", err="scan.sh: line 6: zap: command not found", code=127)
    assert len(course.nudges) == 2  # counted anew
    course.shell("bash -e scan.sh", err="scan.sh: line 6: zap: command not found", code=127)
    assert course.nudges[-1].text.startswith("[repeated] The same error 3 times")


@pytest.mark.parametrize(("quiet", "cleared"), [(6, False), (7, True)])
def test_it_is_silent_after_six_quiet_turns(quiet: int, cleared: bool) -> None:
    course = Course(Repeated())
    for number in range(3):
        fail(course, number)
    for number in range(quiet):
        course.shell(f"ls {number}", out=f"{number}")
    assert (course.nudges[-1].event == "repeated.cleared") == cleared


def test_a_new_run_starts_afresh_and_a_checkpoint_does_not() -> None:
    course = Course(Repeated())
    fail(course, 1)
    fail(course, 2)
    course.end()
    course.ask("again")
    fail(course, 3)
    assert not course.nudges
    fail(course, 4)
    course.hand()
    fail(course, 5)
    assert len(course.nudges) == 1


def test_it_does_not_stop_before_the_model_has_read_a_note() -> None:
    course = Course(Repeated())
    calls = [course.made("shell", {"command": f"cat {number}"}) for number in range(9)]
    course.reply(*calls)
    for call in calls:
        course.step(Proposed(at=1.0, call=call, effect="write"))
        course.step(
            Finished(at=2.0, call_id=call.id, tool="shell", outcome=Outcome.FAILED, text="", exit_code=1,
                     stdout=stream(""), stderr=stream(MISSING))
        )  # fmt: skip
    assert {each.level for each in course.nudges} == {Level.NOTE}
    fail(course, 9)
    assert course.nudges[-1].level is Level.STOP
