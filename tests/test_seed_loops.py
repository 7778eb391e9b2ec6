"""Seed rule `loops`: identical tool, arguments and result three times in the run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.guards.seed.loops import Loops
from tests.fakes.iterations import ENDED, NO, OK, READ, WROTE, Iteration, Ran, each, words

LS = Ran("ls", stdout="a b")
OTHER_RESULT = replace(LS, stdout="a b c")
OTHER_ERROR = replace(LS, stderr="?")
OTHER_CODE = replace(LS, exit_code=1)
OTHER_ARGUMENTS = replace(LS, command="ls .")
OTHER_TOOL = replace(READ, tool="search")


@pytest.mark.parametrize(
    ("iterations", "spoken"),
    [
        (each(LS, LS), []),
        (each(LS, LS, LS), [3]),
        (each(LS, LS, LS, LS), [3, 4]),
        (each(LS, NO, WROTE, LS, OK, WROTE, LS), [7]),  # in the run, whatever came between
        (each(LS, LS, LS, OK), [3]),  # of its own iteration only
        (each(LS, LS, OTHER_RESULT), []),
        (each(LS, LS, OTHER_ERROR), []),
        (each(LS, LS, OTHER_CODE), []),
        (each(LS, LS, OTHER_ARGUMENTS), []),
        (each(READ, READ, OTHER_TOOL), []),
        (each(READ, READ, READ), [3]),
        (each(NO, NO, NO), [3]),
        ([(LS, LS, LS)], [1]),
        ([(LS, OK), (OK, LS), (LS, OK)], [3]),
        ([(LS,), (LS,), ENDED, (LS,)], []),
    ],
)
def test_three_identical_calls(iterations: list[Iteration], spoken: list[int]) -> None:
    assert list(words(Loops(), iterations)) == spoken


def test_the_most_frequent_is_named_with_its_count() -> None:
    said = words(Loops(), [(READ, LS), (READ, LS), (LS,), (READ, LS)])
    assert "shell" in said[3] and "3 times" in said[3]
    assert "shell" in said[4] and "4 times" in said[4]
