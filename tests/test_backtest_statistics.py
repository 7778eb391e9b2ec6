"""The figures of a rule: rates and intervals, the gap matched for length, medians and percentiles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.backtest.statistics import (
    Rate,
    Trial,
    first_index,
    matched_gap,
    per_hundred,
    percentile,
    rate,
    stratum,
)


def trials(*rows: tuple[int, bool | None, tuple[int, ...]]) -> list[Trial]:
    return [Trial(*row) for row in rows]


@pytest.mark.parametrize(
    ("hits", "runs", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17, 1998, table I, method 3 (score interval)
        (81, 263, 25.53, 36.62),
        (15, 148, 6.24, 16.05),
        (0, 20, 0.0, 16.11),
        (1, 29, 0.61, 17.18),
    ],
)
def test_wilsons_interval(hits: int, runs: int, low: float, high: float) -> None:
    interval = Rate(hits, runs).interval
    assert interval is not None
    assert interval == (pytest.approx(low, abs=0.006), pytest.approx(high, abs=0.006))


def test_no_runs_no_rate() -> None:
    assert (Rate(0, 0).percent, Rate(0, 0).interval) == (None, None)


@given(st.integers(0, 500), st.integers(1, 500))
def test_the_interval_holds_the_rate_and_stays_in_range(hits: int, runs: int) -> None:
    of = Rate(min(hits, runs), runs)
    assert of.interval is not None and of.percent is not None
    low, high = of.interval
    assert 0 <= low <= of.percent + 1e-9 and of.percent - 1e-9 <= high <= 100


def test_a_rate_counts_runs_not_alarms_and_leaves_unknown_outcomes_out() -> None:
    some = trials((5, True, (1, 2, 3)), (5, True, ()), (5, False, ()), (5, None, (1,)))
    assert (rate(some, True), rate(some, False)) == (Rate(1, 2), Rate(0, 1))


@pytest.mark.parametrize(
    ("length", "number"), [(1, 1), (12, 12), (13, 13), (16, 13), (17, 14), (20, 14), (21, 15), (100, 22)]
)
def test_long_runs_share_a_stratum(length: int, number: int) -> None:
    assert stratum(length) == number


def test_a_gap_that_is_length_alone_is_gone() -> None:
    """The rule speaks on every run of 10 calls and on none of 2; failed runs are simply longer."""
    long, short = (10, (5,)), (2, ())
    rows = [(long, False)] * 9 + [(long, True)] * 3 + [(short, True)] * 9 + [(short, False)] * 3
    some = [Trial(length, success, spoke) for (length, spoke), success in rows]
    assert rate(some, False).percent == 75 and rate(some, True).percent == 25
    assert matched_gap(some) == pytest.approx(0)


def test_strata_weigh_by_their_pairs() -> None:
    some = trials(
        *[(3, False, (1,))] * 2, *[(3, True, ())] * 2,  # difference 1, weight 2 * 2 / 4
        *[(7, False, ())] * 6, *[(7, True, ())] * 3,  # difference 0, weight 6 * 3 / 9
        *[(9, False, (1,))] * 50,  # nobody to compare with
    )  # fmt: skip
    assert matched_gap(some) == pytest.approx(100 * 1 / (1 + 2))


def test_no_pair_no_gap() -> None:
    assert matched_gap(trials((3, False, (1,)), (4, True, ()))) is None


def test_alarms_a_hundred_calls_are_of_successful_runs() -> None:
    assert per_hundred(trials((30, True, (1, 2)), (20, True, ()), (10, False, (1,)))) == pytest.approx(4)
    assert per_hundred(trials((10, False, (1,)))) is None


def test_the_first_index_is_the_median_of_failed_runs_that_it_spoke_on() -> None:
    assert first_index(trials((9, False, (3, 4)), (9, False, (8,)), (9, False, ()), (9, True, (1,)))) == 5.5
    assert first_index(trials((9, True, (1,)))) is None


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [([], 0.99, None), ([7], 0.99, 7), (list(range(100, 0, -1)), 0.99, 99), ([3, 1, 2], 0.5, 2)],
)
def test_a_percentile_is_one_of_the_values(values: list[int], share: float, expected: float | None) -> None:
    assert percentile(values, share) == expected
