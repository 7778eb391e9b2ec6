"""Loops: each rule at, under and over its threshold; what is held and until when; when it stops."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agent.guards.loops import Loops
from agent.steps import Change, Finished, Level, Outcome, Proposed
from tests.fakes.course import Course, stream

WROTE = (Change("/w/a", "1", "2"),)


def levels(course: Course) -> list[Level]:
    return [each.level for each in course.nudges]


def same(course: Course, times: int = 1, command: str = "ls") -> None:
    for _ in range(times):
        course.shell(command, out="same\n")


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (2, []),
        (3, [Level.NOTE]),
        (4, [Level.NOTE, Level.HOLD, Level.STOP]),
        (9, [Level.NOTE, Level.HOLD, Level.STOP]),
    ],
)
def test_the_same_call_with_the_same_result(times: int, said: list[Level]) -> None:
    course = Course(Loops())
    same(course, times)
    assert levels(course) == said
    assert {each.event for each in course.nudges} <= {"nudge.loop"}


@pytest.mark.parametrize(("between", "speaks"), [(7, True), (8, False)])
def test_within_ten_calls(between: int, speaks: bool) -> None:
    course = Course(Loops())
    same(course, 2)
    for number in range(between):
        course.shell(f"cat {number}", out=f"content {number}\n")
    same(course)
    assert bool(course.nudges) == speaks


@pytest.mark.parametrize(("edits", "times"), [(2, 0), (3, 0), (4, 1)])
def test_a_time_before_a_change_counts_half(edits: int, times: int) -> None:
    course = Course(Loops())
    course.shell("make test", err="1 failed", code=2, files=())
    for number in range(edits):
        course.service("edit_file", {"n": number}, f"edited {number}", write=True, files=WROTE)
        course.shell("make test", err="1 failed", code=2, files=())
    assert len(course.nudges) == times


def test_its_own_change_is_none_between_its_repeats() -> None:
    course = Course(Loops())
    for _ in range(3):
        course.shell("echo tick >> /tmp/out; echo same", out="same\n")
    assert levels(course) == [Level.NOTE]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((0, 1, 2, 3), []),  # judged from five calls
        ((0, 1, 2, 3, 4), [Level.NOTE]),
    ],
)
def test_the_same_result_from_different_calls(arguments: tuple[int, ...], said: list[Level]) -> None:
    course = Course(Loops())
    for number in arguments:
        course.shell(f"curl page/{number}", out="page not found here\n", code=22)
    assert levels(course) == said


@pytest.mark.parametrize(("known", "speaks"), [(3, False), (4, True)])
def test_forty_percent_of_the_last_ten(known: int, speaks: bool) -> None:
    course = Course(Loops())
    for number in range(10):
        course.shell(f"cat {number}", out=f"content {number}\n")
    for number in range(known):
        course.shell(f"tac {number}", out=f"content {number}\n")
    assert bool(course.nudges) == speaks


@pytest.mark.parametrize(("calls", "speaks"), [(5, False), (6, True)])
def test_a_cycle_of_three_laps(calls: int, speaks: bool) -> None:
    course = Course(Loops())
    for number in range(calls):  # each changes something, so that a known result alone weighs too little
        course.shell("ab"[number % 2], out=f"result {number % 2}\n", files=WROTE)
    assert bool(course.nudges) == speaks
    assert not speaks or "in circles: the same 2 calls" in course.nudges[0].text


@pytest.mark.parametrize(
    "benign",
    [
        lambda course, n: course.shell(f"grep -n panic {n}.log", code=1),
        lambda course, n: course.shell(f"mkdir {n}", files=WROTE),
        lambda course, n: course.shell(f"sed -i s/a/b/ {n}", files=WROTE),
        lambda course, n: course.shell(f"git add {n}", files=()),
        lambda course, n: course.service("send_mail", {"to": n}, "sent, thank you", write=True),
        lambda course, n: course.service("write_file", {"n": n}, '{"status": "ok"}', write=True, files=WROTE),
        lambda course, n: course.shell("tail -n 2 build.log", out=f"unit {n}\n"),
        lambda course, n: course.service("jobs", {"wait": 1}, "still running", write=False),
        lambda course, n: course.shell("sleep 5; tail -n 2 build.log", out="unit 3\n"),
    ],
    ids=["greps", "mkdirs", "seds", "git adds", "mails", "writes", "growing log", "jobs", "sleeping"],
)
def test_what_is_no_loop(benign: Callable[[Course, int], object]) -> None:
    course = Course(Loops())
    for number in range(15):
        benign(course, number)
    assert not course.nudges


@pytest.mark.parametrize(
    "wait",
    [
        lambda course: course.service("jobs", {"action": "wait", "id": "j1"}, "j1: running", write=False),
        lambda course: course.shell("sleep 5; tail -n 2 build.log", out="unit 3\n"),
    ],
    ids=["jobs", "sleeping"],
)
def test_waiting_is_no_loop_after_a_warning_about_something_else_either(wait: Callable[[Course], object]) -> None:
    course = Course(Loops())
    same(course, 3)
    for _ in range(15):
        wait(course)
    assert levels(course) == [Level.NOTE]


def test_short_results_of_reads_get_a_note_and_no_stop() -> None:
    course = Course(Loops())
    for number in range(14):
        course.call("sql", {"query": f"select {number}"}, Outcome.OK, out="[]", write=False)
    assert levels(course) == [Level.NOTE]


def test_the_held_text_is_the_earlier_result_and_says_so() -> None:
    course = Course(Loops())
    same(course, 4)
    held = next(each for each in course.nudges if each.level is Level.HOLD)
    assert held.text.startswith("exit 0\nsame\n\n[Not run again: ")
    assert course.held == 1


def warned() -> Course:
    """A course whose newest call is known three times over, and the model was told."""
    course = Course(Loops())
    same(course, 3)
    assert levels(course) == [Level.NOTE]
    return course


def wait(seconds: float) -> Callable[[Course], object]:
    def move(course: Course) -> None:
        course.at += seconds

    return move


@pytest.mark.parametrize(
    ("meanwhile", "held"),
    [
        (lambda course: None, True),
        (lambda course: course.shell("cat other", out="other\n"), True),
        (lambda course: course.shell("touch x", files=None), False),
        (lambda course: course.service("edit_file", {}, "edited", write=True, files=WROTE), False),
        (lambda course: course.service("edit_file", {}, "refused", Outcome.FAILED, write=True), True),
        (lambda course: course.ask("go on"), False),
        (lambda course: course.shell("cd /x", cwd="/x"), False),
        (wait(40.0), True),
        (wait(60.0), False),
    ],
    ids=[
        "at once",
        "after a read",
        "a change",
        "an edit",
        "a refused edit",
        "a word",
        "another folder",
        "40 s",
        "60 s",
    ],
)
def test_until_when_it_is_held(meanwhile: Callable[[Course], object], held: bool) -> None:
    course = warned()
    meanwhile(course)
    same(course)
    assert bool(course.held) == held


def test_only_the_call_that_is_known_is_held() -> None:
    course = warned()
    course.shell("ls -l", out="another\n")
    assert not course.held


def test_an_ignored_note_ends_the_run_after_three_more_repeats() -> None:
    course = Course(Loops())
    for number in range(8):
        course.shell(f"curl page/{number}", out="page not found here\n", code=22)
        if number < 7:
            assert Level.STOP not in levels(course)
    stop = course.nudges[-1]
    assert stop.level is Level.STOP
    assert "I stopped: after a warning 3 more results were as before" in stop.text
    assert stop.text.endswith("How shall I go on?")


def test_a_note_that_was_heeded_is_forgotten() -> None:
    course = Course(Loops())
    same(course, 3)
    for number in range(20):
        course.shell(f"cat {number}", out=f"content {number}\n")
    same(course, 3)
    assert levels(course) == [Level.NOTE, Level.NOTE]


def test_it_does_not_stop_before_the_model_has_read_the_note() -> None:
    course = Course(Loops())
    calls = [course.made("shell", {"command": "ls"}) for _ in range(9)]
    course.reply(*calls)
    for call in calls:
        course.step(Proposed(at=1000.0, call=call, effect="write"))
        course.step(
            Finished(at=1000.0, call_id=call.id, tool="shell", outcome=Outcome.OK, text="same", exit_code=0,
                     stdout=stream("same"), stderr=stream(""))
        )  # fmt: skip
    assert Level.STOP not in levels(course)


def test_it_survives_a_checkpoint() -> None:
    course = Course(Loops())
    same(course, 2)
    course.hand()
    same(course)
    assert levels(course) == [Level.NOTE]
    course.hand()
    same(course)
    assert levels(course)[-1] is Level.STOP


def test_a_new_run_starts_afresh() -> None:
    course = Course(Loops())
    same(course, 2)
    course.end()
    course.ask("once more")
    same(course, 2)
    assert not course.nudges


def test_every_text_fits_a_card() -> None:
    course = Course(Loops())
    for number in range(9):
        course.shell(f"{'é' * 3_000} {number % 2}", out="same\n")
    assert all(len(each.text.encode()) <= 400 for each in course.nudges if each.level is Level.NOTE)
