"""The figures of a rule: rates with intervals, a gap that allows for run length, medians and percentiles. Pure.

A successful run ends early, so any counter fires more on failures by exposure alone. The gap is therefore the
Mantel-Haenszel risk difference over strata of run length: in each stratum the rate on failed runs minus the rate on
successful ones, weighted by n1 * n0 / (n1 + n0) (Mantel and Haenszel 1959; for the difference Greenland and Robins,
Biometrics 41, 1985, "Estimation of a common effect parameter from sparse follow-up data"). A stratum without runs of
both kinds has no weight. Lengths up to 12 calls are strata of their own, longer ones share one with what is up to a
quarter longer; what confounding that leaves is small beside the sampling error.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist, median

Z95 = NormalDist().inv_cdf(0.975)
EXACT = 12  # calls
WIDTH = 1.25


@dataclass(frozen=True, slots=True)
class Trial:
    """One run seen by one rule: how long it was (calls), whether it succeeded, at which calls the rule spoke."""

    length: int
    success: bool | None
    spoke: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rate:
    """`hits` of `runs`; percent, and the 95 % interval by Wilson's score (J. Amer. Stat. Assoc. 22, 1927)."""

    hits: int
    runs: int

    @property
    def percent(self) -> float | None:
        return 100 * self.hits / self.runs if self.runs else None

    @property
    def interval(self) -> tuple[float, float] | None:
        if not self.runs:
            return None
        n, p, z2 = self.runs, self.hits / self.runs, Z95 * Z95
        middle = p + z2 / (2 * n)
        reach = Z95 * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
        scale = 100 / (1 + z2 / n)
        return max(0.0, scale * (middle - reach)), min(100.0, scale * (middle + reach))


def rate(trials: Iterable[Trial], success: bool) -> Rate:
    """How many of the runs that succeeded (or failed) the rule spoke on."""
    spoke = [bool(trial.spoke) for trial in trials if trial.success is success]
    return Rate(sum(spoke), len(spoke))


def stratum(length: int) -> int:
    """The number of the stratum of a run of that many calls."""
    return length if length <= EXACT else EXACT + 1 + int(math.log(length / (EXACT + 1), WIDTH))


def matched_gap(trials: Sequence[Trial]) -> float | None:
    """Percentage points between failed and successful runs of the same length; None where no lengths meet."""
    total, weight = 0.0, 0.0
    strata: dict[int, list[Trial]] = {}
    for trial in trials:
        strata.setdefault(stratum(trial.length), []).append(trial)
    for _, members in sorted(strata.items()):
        failed, succeeded = rate(members, False), rate(members, True)
        if failed.runs and succeeded.runs:
            w = failed.runs * succeeded.runs / (failed.runs + succeeded.runs)
            total += w * (failed.hits / failed.runs - succeeded.hits / succeeded.runs)
            weight += w
    return 100 * total / weight if weight else None


def per_hundred(trials: Iterable[Trial]) -> float | None:
    """Alarms a hundred calls of successful runs; a call on which the rule spoke is one alarm."""
    counted = [(len(trial.spoke), trial.length) for trial in trials if trial.success]
    calls = sum(length for _, length in counted)
    return 100 * sum(alarms for alarms, _ in counted) / calls if calls else None


def first_index(trials: Iterable[Trial]) -> float | None:
    """The median number of the first call on which the rule spoke, over the failed runs on which it did (from 1)."""
    firsts = [trial.spoke[0] for trial in trials if trial.success is False and trial.spoke]
    return float(median(firsts)) if firsts else None


def percentile(values: Sequence[int], share: float) -> float | None:
    """The nearest-rank percentile of what is sorted here; None of nothing."""
    if not values:
        return None
    return float(sorted(values)[max(0, math.ceil(share * len(values)) - 1)])
