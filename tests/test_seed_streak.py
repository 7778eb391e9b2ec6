"""Seed rule `streak`: three failed calls in a row."""

from __future__ import annotations

import pytest

from agent.guards.seed.streak import Streak
from tests.fakes.iterations import ENDED, GREP, HELD, NO, OK, SILENT, THREW, WARNED, Iteration, each, words


@pytest.mark.parametrize(
    ("iterations", "spoken"),
    [
        (each(NO, NO), []),
        (each(NO, NO, NO), [3]),
        (each(NO, NO, NO, NO), [3]),  # reset after firing
        (each(NO, NO, NO, NO, NO), [3]),
        (each(NO, NO, NO, NO, NO, NO), [3, 6]),
        (each(NO, NO, OK, NO, NO), []),
        (each(NO, NO, OK, NO, NO, NO), [6]),
        (each(NO, NO, WARNED, NO), []),  # exit code 0 is a success
        (each(SILENT, THREW, GREP), [3]),  # by the letter: no stderr needed, any non-zero exit code
        (each(NO, HELD, NO, HELD, NO), [5]),  # neither failed nor succeeded
        ([(NO, NO, NO)], [1]),
        ([(NO, NO, NO, NO, NO, NO)], [1]),  # once an iteration
        ([(NO, NO), (NO, OK)], [2]),  # reached on the way
        ([(NO, NO), (OK, NO)], []),
        ([(NO,), (NO,), ENDED, (NO,)], []),
    ],
)
def test_three_in_a_row(iterations: list[Iteration], spoken: list[int]) -> None:
    assert list(words(Streak(), iterations)) == spoken


@pytest.mark.parametrize(("at", "spoken"), [(1, [1, 2, 3, 4]), (2, [2, 4]), (4, [4]), (5, [])])
def test_the_figure_can_be_set(at: int, spoken: list[int]) -> None:
    assert list(words(Streak(at=at), each(NO, NO, NO, NO))) == spoken
