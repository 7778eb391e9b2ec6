"""The measured rows as an aligned table for a person and as JSON for a program. Rates in percent."""

from __future__ import annotations

import json
from collections.abc import Sequence

from agent.backtest.rows import Row
from agent.backtest.statistics import Rate

HEAD = ("panel", "source", "rule", "failed %", "95 %", "success %", "95 %", "gap", "per 100", "first", "us", "us p99")
LEFT = 3  # columns of words


def table(rows: Sequence[Row]) -> str:
    """One line a rule; a dash where there was nothing to measure."""
    lines = [HEAD, *(_line(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < LEFT else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def as_json(rows: Sequence[Row]) -> str:
    """{panel: {source: {rule: figures}}}; null where there was nothing to measure."""
    out: dict[str, dict[str, dict[str, object]]] = {}
    for row in rows:
        out.setdefault(row.panel, {}).setdefault(row.source, {})[row.rule] = {
            "failed": _round(row.failed.percent),
            "success": _round(row.success.percent),
            "gap": _round(row.gap),
            "per100": _round(row.per100),
            "first": row.first,
            "us_mean": _round(row.us_mean),
            "us_p99": _round(row.us_p99),
            "failed_95": _pair(row.failed),
            "success_95": _pair(row.success),
            "failed_runs": row.failed.runs,
            "success_runs": row.success.runs,
        }
    return json.dumps(out, indent=1)


def _line(row: Row) -> tuple[str, ...]:
    return (
        *(row.panel, row.source, row.rule),
        *(_figure(row.failed.percent), _interval(row.failed)),
        *(_figure(row.success.percent), _interval(row.success)),
        *(_figure(row.gap, "+.1f"), _figure(row.per100, ".2f"), _figure(row.first, "g")),
        *(_figure(row.us_mean), _figure(row.us_p99)),
    )


def _figure(value: float | None, form: str = ".1f") -> str:
    return "-" if value is None else format(value, form)


def _interval(of: Rate) -> str:
    return "-" if of.interval is None else f"{of.interval[0]:.1f}..{of.interval[1]:.1f}"


def _pair(of: Rate) -> list[float] | None:
    return None if of.interval is None else [round(each, 2) for each in of.interval]


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
