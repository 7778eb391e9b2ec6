"""Measures panels on files of recorded runs: what was said, what the panel cost, what each guard costs alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent.backtest.replay import Replayed, clock, replay, rules
from agent.backtest.runs import Run, read, source_of
from agent.backtest.statistics import (
    Rate,
    Trial,
    first_index,
    matched_gap,
    per_hundred,
    percentile,
    rate,
)
from agent.ports import Guard

NANOSECONDS = 1_000.0  # in a microsecond


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one rule of one panel on one source. Costs are microseconds a call; of a whole, the panel's."""

    panel: str
    source: str
    rule: str
    failed: Rate
    success: Rate
    gap: float | None
    per100: float | None
    first: float | None
    us_mean: float | None
    us_p99: float | None


@dataclass(slots=True)
class _Seen:
    """What one panel did on one source."""

    replays: list[Replayed] = field(default_factory=list)
    whole: list[int] = field(default_factory=list)
    each: dict[str, list[int]] = field(default_factory=dict)


def measure(files: Sequence[Path], panels: Mapping[str, Sequence[Guard]], complain: Callable[[str], None]) -> list[Row]:
    """The rows of every panel (by name, with its guards), source and rule, in the order of the table.

    Deterministic but for the costs. `complain` gets sentences on what was left out, and on guards that raised. Raises
    ConfigError for a file that can't be used.
    """
    seen: dict[tuple[str, str], _Seen] = {}
    for file in files:
        for run in read(file, complain):
            for panel, guards in panels.items():
                _watch(run, panel, guards, seen.setdefault((panel, source_of(file)), _Seen()))
    rows = []
    for (panel, source), what in sorted(seen.items(), key=lambda item: (list(panels).index(item[0][0]), item[0][1])):
        if faults := sum(each.faults for each in what.replays):
            complain(f"Guards of panel {panel} raised {faults} times on {source}; where they did they count as silent.")
        rows += _rows(panel, source, what, panels[panel])
    return rows


def _watch(run: Run, panel: str, guards: Sequence[Guard], into: _Seen) -> None:
    seen = replay(run, panel, guards)
    into.whole += seen.spent
    for guard in guards:
        into.each.setdefault(guard.name, []).extend(clock(guard, seen.journal))
    seen.journal.clear()
    into.replays.append(seen)


def _rows(panel: str, source: str, seen: _Seen, guards: Sequence[Guard]) -> list[Row]:
    out = []
    for rule, speaker in rules(seen.replays, guards).items():
        trials: list[Trial] = [each.trial(rule) for each in seen.replays]
        spent = seen.each.get(speaker, []) if speaker else seen.whole
        p99 = percentile(spent, 0.99)
        out.append(
            Row(
                panel=panel,
                source=source,
                rule=rule,
                failed=rate(trials, False),
                success=rate(trials, True),
                gap=matched_gap(trials),
                per100=per_hundred(trials),
                first=first_index(trials),
                us_mean=sum(spent) / len(spent) / NANOSECONDS if spent else None,
                us_p99=None if p99 is None else p99 / NANOSECONDS,
            )
        )
    return out
