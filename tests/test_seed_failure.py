"""Seed rule `failure`: a failed call with stderr in the iteration."""

from __future__ import annotations

import pytest

from agent.guards.seed.failure import Failure
from agent.steps import Outcome
from tests.fakes.iterations import GREP, HELD, NO, OK, SILENT, THREW, WARNED, Iteration, Ran, words


@pytest.mark.parametrize(
    ("iteration", "speaks"),
    [
        ((OK,), False),
        ((NO,), True),
        ((SILENT,), False),  # no stderr
        ((Ran(exit_code=1, stderr=" \n\t"),), False),
        ((Ran(exit_code=1, stdout="E: on stdout"),), False),
        ((WARNED,), False),  # exit code 0
        ((THREW,), True),
        ((Ran(tool="edit_file", outcome=Outcome.BAD_ARGUMENTS, exit_code=None, stdout="no such argument"),), True),
        ((Ran(exit_code=137, outcome=Outcome.KILLED, stderr="Killed"),), True),
        ((Ran(exit_code=None, outcome=Outcome.TIMED_OUT, stderr="waiting"),), True),
        ((GREP,), False),
        ((Ran("grep x y; ls z", 1, "ls: z: no", outcome=Outcome.ANSWERED_NO),), True),  # by the letter
        ((HELD,), False),
        ((OK, NO, OK), True),
        ((NO, OK), True),
        ((NO, NO, NO), True),
        ((SILENT, WARNED), False),  # the stderr is not that of the failed call
    ],
)
def test_a_failed_call_with_stderr_is_spoken_of(iteration: Iteration, speaks: bool) -> None:
    assert (1 in words(Failure(), [iteration])) is speaks


def test_it_speaks_of_its_own_iteration_only() -> None:
    assert list(words(Failure(), [(NO,), (OK,), (OK, NO), (OK,)])) == [1, 3]


def test_it_names_both_streams_and_the_trace() -> None:
    text = words(Failure(), [(NO,)])[1]
    assert all(word in text for word in ("stdout", "stderr", "bash -x"))
