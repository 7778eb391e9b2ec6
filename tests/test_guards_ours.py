"""Panel ours as a whole: benign courses stay undisturbed, weak ones are ended, order and replay change nothing."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterator
from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.commandline import simple_commands
from agent.guards._effects import changes, waits
from agent.guards._literal import literal
from agent.guards._targets import target
from agent.guards.failure import Failure
from agent.guards.loops import Loops
from agent.guards.repeated import Repeated
from agent.guards.shellwrite import Shellwrite, written
from agent.guards.sticky import Sticky
from agent.guards.streak import Streak
from agent.guards.stuck import Stuck
from agent.panel import Panel
from agent.ports import Guard
from agent.steps import Change, Level, Nudged, Outcome, Step
from tests.fakes.course import Course

Move = Callable[[Course, int], object]


def guards() -> tuple[Guard, ...]:
    return (Failure(), Loops(), Repeated(), Shellwrite(), Sticky(), Streak(), Stuck())


def edited(course: Course, number: int, *, file: str = "a.py") -> None:
    wrote = (Change(f"/w/{file}", str(number), str(number + 1)),)
    course.service("edit_file", {"path": file, "n": number}, f"edited {file}, line {number}", write=True, files=wrote)


def edit_and_test(course: Course, number: int, out: str, code: int) -> None:
    edited(course, number)
    course.shell("pytest -q", out=out, code=code, files=())


BENIGN: dict[str, tuple[int, Move]] = {
    "a growing log": (15, lambda c, n: c.shell("tail -n 2 build.log", out=f"unit {n - 1}\nunit {n}\n", files=())),
    "a log that stands still": (15, lambda c, n: c.shell("sleep 20; tail -n 2 build.log", out="unit 1\n", files=())),
    "a job": (15, lambda c, n: c.service("jobs", {"wait": "j1"}, "j1 is running", write=False)),
    "twelve edits": (12, lambda c, n: edited(c, n, file=f"mod{n}.py")),
    "twelve writes": (12, lambda c, n: c.service("write_file", {"path": f"m{n}"}, "ok", write=True, files=None)),
    "thirty reads": (30, lambda c, n: c.shell(f"cat host{n}.txt", out=f"host{n} users {n * n}\n", files=())),
    "thirty reads with a tool": (30, lambda c, n: c.service("read_file", {"path": n}, f"line {n}", write=False)),
    "ten greps without a match": (10, lambda c, n: c.shell(f"grep -n panic svc{n}.log", code=1, files=())),
    "ten searches without a match": (
        10,
        lambda c, n: c.service("search", {"q": n}, "no match", Outcome.ANSWERED_NO, write=False),
    ),
    "five edits, the tests pass": (5, lambda c, n: edit_and_test(c, n, "5 passed in 0.1 s\n", 0)),
    "five edits, the tests fail alike": (5, lambda c, n: edit_and_test(c, n, "E   assert 1 == 2\n1 failed\n", 1)),
    "five edits, each failing in its way": (5, lambda c, n: edit_and_test(c, n, f"E   assert {n} == 0\n", 1)),
}


@pytest.mark.parametrize("name", BENIGN)
def test_benign_courses_are_left_alone(name: str) -> None:
    times, move = BENIGN[name]
    course = Course(*guards())
    for number in range(times):
        move(course, number)
    judged = [each for each in course.said() if each.guard != "failure"]  # that is a part of the result
    assert {each.level for each in judged} <= {Level.NOTE}
    assert len(judged) <= 1, [each.text for each in judged]
    assert not course.held


WEAK: dict[str, Move] = {
    "one call": lambda c, n: c.shell("echo same", out="same\n", files=()),
    "one call that writes": lambda c, n: c.shell("echo tick >> /tmp/o; echo same", out="same\n", files=()),
    "one failing call": lambda c, n: c.shell("bash scan.sh", err="scan.sh: line 6: zap: command not found", code=127),
    "many calls, one result": lambda c, n: c.shell(f"curl page/{n}", out="404 page not found\n", code=22),
    "many commands, one cause": lambda c, n: c.shell(
        f"tool{n % 6} {n}", err=f"tool{n % 6}: d.db: Permission denied", code=1
    ),
    "a cycle of five": lambda c, n: c.shell(f"cat {n % 5}", out=f"content {n % 5}\n", files=()),
    "six files round and round": lambda c, n: c.shell(f"cat notes{n % 6}.txt", out=f"point {n % 6}\n", files=()),
}


@pytest.mark.parametrize("name", WEAK)
def test_weak_courses_are_told_and_then_ended(name: str) -> None:
    course = Course(*guards())
    told = stopped = 0
    for number in range(1, 16):
        WEAK[name](course, number)
        told = told or (number if course.said(Level.NOTE, guard="loops") or course.said(guard="repeated") else 0)
        stopped = stopped or (number if course.said(Level.STOP) else 0)
    circling = name in ("a cycle of five", "six files round and round")
    assert told <= (10 if circling else 3)
    assert told < stopped <= (13 if circling else 8)


def test_the_broken_script_is_named_repeated_and_ended() -> None:
    course = Course(*guards())
    error = "scan.sh: line 6: $ZAP_CMD: command not found\n"
    tries = [
        "bash {}",
        "PATH=/opt bash {}",
        "chmod +x {0} && ./{0}",
        "bash -x {}",
        "env A=1 bash {}",
        "bash {} 2>&1; false",
    ]
    for number in range(8):
        course.shell(tries[number % 6].format("scan.sh") + f" http://{number}", err=error, code=127, files=())
    assert "unexpanded variable" in course.said(guard="failure")[0].text
    assert course.said(guard="repeated")[0].text.count("ZAP_CMD") == 1
    assert "scan.sh" in course.said(guard="sticky")[0].text
    assert course.said(Level.STOP)


# -- any journal -------------------------------------------------------------------------------------------------------
SHELL = ("ls", "cat a.txt", "bash scan.sh", "make", "rm a.txt", "echo x > b", "sleep 1; ls", "pytest -q")
TEXT = ("", "same\n", "other\n", "bash: line 1: zap: command not found\n", "E   AssertionError: 3\n")
MOVES = st.one_of(
    st.tuples(st.just("shell"), st.sampled_from(SHELL), st.sampled_from(TEXT), st.sampled_from((0, 1, 127))),
    st.tuples(st.sampled_from(("edit", "read", "bad", "ask", "end", "hand", "wait"))),
)
JOURNALS = st.lists(MOVES, max_size=45)


def play(course: Course, moves: list[tuple[object, ...]]) -> None:
    for move in moves:
        match move:
            case ("shell", str(command), str(text), int(code)):
                course.shell(command, err=text if code else "", out="" if code else text, code=code)
            case ("edit",):
                edited(course, course.calls % 3)
            case ("read",):
                course.service("read_file", {"path": "a"}, "content", write=False)
            case ("bad",):
                course.call("edit_file", {}, Outcome.BAD_ARGUMENTS, text="no such field")
            case ("ask",):
                course.ask("go on")
            case ("end",):
                course.end()
                course.ask("next")
            case ("hand",):
                course.hand()
            case _:
                course.at += 61.0


def nudges(panel: Panel, journal: list[Step]) -> list[Nudged]:
    """What a fresh panel says to the journal without its nudges."""
    said = [each for step in journal if not isinstance(step, Nudged) for each in panel.observe(step)]
    assert not panel.faults
    return [each for each in said if isinstance(each, Nudged)]


@settings(max_examples=60, deadline=None)
@given(JOURNALS)
def test_a_replay_gives_the_same_nudges(moves: list[tuple[object, ...]]) -> None:
    course = Course(*guards())
    play(course, moves)
    assert nudges(Panel(deepcopy(guards())), course.steps) == course.nudges


@settings(max_examples=40, deadline=None)
@given(JOURNALS, st.integers(0, 200))
def test_a_reopened_journal_goes_on_as_if_nothing_had_happened(moves: list[tuple[object, ...]], cut: int) -> None:
    course = Course(*guards())
    play(course, moves)
    at = min(cut, len(course.steps))
    while at < len(course.steps) and isinstance(course.steps[at], Nudged):
        at += 1  # a step and its nudges are one append
    panel = Panel(guards())
    panel.replay(course.steps[:at])
    assert nudges(panel, course.steps[at:]) == [each for each in course.steps[at:] if isinstance(each, Nudged)]


def test_the_order_of_the_guards_changes_nothing() -> None:
    rng = random.Random(7)
    course = Course(*guards())
    for _ in range(120):
        command, text, code = rng.choice(SHELL), rng.choice(TEXT), rng.choice((0, 1, 127))
        play(course, [("shell", command, text, code)])
    journal = [step for step in course.steps if not isinstance(step, Nudged)]

    def told(order: tuple[Guard, ...]) -> set[tuple[object, ...]]:
        """Named anew, so that the panel watches them in this order."""
        seated = []
        for number, guard in enumerate(order):
            guard = deepcopy(guard)
            guard.name = f"{number}"
            seated.append(guard)
        return {(each.about, each.event, each.level, each.text) for each in nudges(Panel(seated), journal)}

    orders = itertools.islice(itertools.permutations(guards()), 0, None, 997)
    assert len({frozenset(told(order)) for order in orders}) == 1


# -- bounded -----------------------------------------------------------------------------------------------------------
PARTS = (
    "a", " ", "$", "'", '"', "\\", "$A ", "a=b ", "> ", ">", "&", "|", ";", "(", "\n", "-i ", "sed ", "tail -", "#",
    "é", "x: ", ": not found", "$A: not found\n", "/", "<<", "{", "$(", "0", "echo > ",
)  # fmt: skip


def hostile() -> Iterator[str]:
    for part in PARTS:
        yield part * (1_000_000 // len(part))


@pytest.mark.parametrize(
    "function", [changes, waits, simple_commands, target, written, literal], ids=lambda each: each.__name__
)
def test_a_megabyte_of_anything_is_no_burden(function: Callable[[str], object]) -> None:
    for text in hostile():
        began = time.process_time()
        function(text)
        assert time.process_time() - began < 1.0, text[:20]  # a hang takes minutes


def test_a_megabyte_through_the_whole_panel() -> None:
    course = Course(*guards())
    for text in hostile():
        began = time.process_time()
        course.shell(text[:100_000], err=text[:16_000], out=text[:16_000], code=1)
        assert time.process_time() - began < 5.0, text[:20]
