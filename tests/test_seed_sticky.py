"""Seed rule `sticky`: a stem with three attempts or three kinds of error, every turn until it is cleared."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.guards.seed.sticky import Sticky
from agent.steps import Outcome
from tests.fakes.iterations import ENDED, HELD, OK, THREW, Iteration, Ran, each, words


def bad(command: str, error: str = "E: no") -> Ran:
    return Ran(command, exit_code=1, stderr=error)


MAKE, MADE = bad("make"), Ran("make")
A, B, C = (bad("make", error) for error in ("E: a", "E: b", "E: c"))


@pytest.mark.parametrize(
    ("iterations", "spoken"),
    [
        (each(MAKE, MAKE), []),
        (each(MAKE, MAKE, MAKE), [3]),
        (each(MAKE, MAKE, MAKE, MAKE), [3, 4]),
        (each(MAKE, MAKE, MAKE, OK, OK), [3, 4, 5]),  # every turn
        (each(MAKE, MAKE, MAKE, OK, MADE, OK), [3, 4]),  # until it is cleared
        (each(MAKE, MAKE, MADE, MAKE, MAKE), []),  # a success starts the attempts anew
        (each(A, MADE, B, MADE, OK), []),  # two kinds of error
        (each(A, MADE, B, MADE, C), [5]),  # three
        (each(A, MADE, B, MADE, C, OK, MADE, OK, A), [5, 6, 9]),
        (each(A, MADE, B, MADE, B), []),
        (each(bad("make a"), bad("/usr/bin/make b"), bad("make -k")), [3]),  # one stem
        (each(bad("make"), bad("cmake"), bad("pip x")), []),
        (each(replace(MAKE, stderr=""), replace(MAKE, stderr=""), replace(MAKE, stderr="")), [3]),
        (each(THREW, THREW, THREW), [3]),
        (each(MAKE, HELD, MAKE, replace(HELD, command="make"), MAKE), [5]),
        ([(MAKE, MAKE, MAKE)], [1]),
        ([(MAKE,), (MAKE,), ENDED, (MAKE,)], []),
        ([(MAKE,), (MAKE,), (MAKE,), ENDED, (OK,)], [3]),
    ],
)
def test_when_a_stem_sticks(iterations: list[Iteration], spoken: list[int]) -> None:
    assert list(words(Sticky(), iterations)) == spoken


@pytest.mark.parametrize(
    ("attempts", "named"),
    [
        ({"make": 3}, ["make"]),
        ({"make": 3, "pip": 2}, ["make"]),
        ({"make": 3, "pip": 4}, ["pip", "make"]),
        ({"make": 3, "pip": 5, "npm": 4}, ["pip", "npm"]),
        ({"make": 3, "pip": 3, "npm": 3}, ["make", "pip"]),  # of equals the one that failed first
    ],
)
def test_two_at_most_by_attempts(attempts: dict[str, int], named: list[str]) -> None:
    made = tuple(bad(stem) for stem, count in attempts.items() for _ in range(count))
    lines = words(Sticky(), [made])[1].splitlines()[1:]
    assert [line.partition(":")[0] for line in lines] == [f"- {stem}" for stem in named]


def test_a_line_tells_attempts_kinds_and_the_newest_error() -> None:
    (text,) = words(Sticky(), each(A, A, B)).values()
    assert text.splitlines()[1] == '- make: failed 3x, 2 kinds of error, last "E: b"'


def test_a_tool_is_its_own_stem_and_so_are_arguments_that_are_no_command() -> None:
    junk = Ran(tool="edit_file", exit_code=None, outcome=Outcome.BAD_ARGUMENTS, stdout="bad")
    assert "- edit_file: failed 3x" in words(Sticky(), each(junk, junk, junk))[3]


def test_long_names_and_errors_are_cut() -> None:
    (text,) = words(Sticky(), each(*[bad("x" * 500, "y" * 500)] * 3)).values()
    assert len(text) < 180
