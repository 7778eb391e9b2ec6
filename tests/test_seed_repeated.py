"""Seed rule `repeated`: the first stderr line, three times in the run, then at the end of every iteration."""

from __future__ import annotations

import pytest

from agent.guards.seed.repeated import Repeated
from tests.fakes.iterations import ENDED, NO, OK, SILENT, THREW, WARNED, Iteration, Ran, each, words

B = Ran(exit_code=2, stderr="E: other")


def error(stderr: str) -> Ran:
    return Ran(exit_code=1, stderr=stderr)


@pytest.mark.parametrize(
    ("iterations", "spoken"),
    [
        (each(NO, NO), []),
        (each(NO, NO, NO), [3]),
        (each(NO, NO, NO, NO), [3, 4]),
        (each(NO, NO, NO, OK, B, OK), [3, 4, 5, 6]),  # failing or not
        (each(NO, OK, OK, NO, B, B, OK, NO, OK), [8, 9]),  # never reset
        (each(NO, NO, B, B), []),
        ([(NO, NO, NO)], [1]),  # parallel calls count one by one, it speaks once
        ([(NO, NO), (OK, NO, OK)], [2]),
        (each(SILENT, SILENT, SILENT), []),
        (each(WARNED, WARNED, WARNED), []),  # not failed
        (each(THREW, THREW, THREW), [3]),
        ([(NO,), (NO,), ENDED, (NO,), (OK,)], []),  # another run
        ([(NO,), (NO,), (NO,), ENDED, (OK,)], [3]),
    ],
)
def test_from_the_third_on_at_every_end(iterations: list[Iteration], spoken: list[int]) -> None:
    assert list(words(Repeated(), iterations)) == spoken


@pytest.mark.parametrize(("at", "first"), [(1, 1), (2, 2), (4, 4)])
def test_the_figure_can_be_set(at: int, first: int) -> None:
    assert min(words(Repeated(at=at), each(NO, NO, NO, NO, NO))) == first


def test_the_line_is_trimmed_and_the_first_that_is_not_empty() -> None:
    calls = each(error("E: no"), error("\n\t E: no  \nmore"), error("E: no\r\nother"))
    assert "3 times" in words(Repeated(), calls)[3] and '"E: no"' in words(Repeated(), calls)[3]


def test_lines_that_differ_are_different_errors() -> None:
    assert words(Repeated(), each(error("line 1: x"), error("line 2: x"), error("line 3: x"))) == {}


@pytest.mark.parametrize(("length", "shown"), [(199, 199), (200, 200), (201, 200), (9_000, 200)])
def test_at_most_two_hundred_characters_are_quoted(length: int, shown: int) -> None:
    text = words(Repeated(), each(*[error("é" * length)] * 3))[3]
    quote = text[text.index('"') + 1 : text.rindex('"')]
    assert (len(quote), quote.endswith("…")) == (shown, length > 200)


def test_the_count_goes_on_and_the_most_frequent_is_quoted_the_newest_of_equals() -> None:
    said = words(Repeated(), each(NO, NO, NO, B, B, B, NO))
    assert ["no" if '"E: no"' in text else "other" for text in said.values()] == ["no", "no", "no", "other", "no"]
    assert "4 times" in said[7]
