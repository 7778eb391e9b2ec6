"""Sums of usage as lines that fit a phone in portrait. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from agent import Spent
from bot import words
from bot.amounts import cost, money, tokens
from bot.oneline import clip

WIDTH = 36  # columns
MOST = 6  # models, and people, that are listed
PERIODS = (1, 7, 30)  # days


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of some rows."""

    calls: int = 0
    prompt: int = 0
    completion: int = 0
    cached: int = 0
    money: float = 0.0
    priced: int = 0
    estimated: int = 0

    @classmethod
    def of(cls, rows: Iterable[Spent]) -> Total:
        rows = list(rows)
        return cls(
            sum(row.calls for row in rows),
            sum(row.prompt for row in rows),
            sum(row.completion for row in rows),
            sum(row.cached for row in rows),
            math.fsum(row.money for row in rows),
            sum(row.priced for row in rows),
            sum(row.estimated for row in rows),
        )

    @property
    def tokens(self) -> int:
        return self.prompt + self.completion

    @property
    def cost(self) -> str:
        """Never nothing where it is unknown."""
        return cost(self.money, self.priced, self.calls) or (words.COST_UNKNOWN if self.calls else money(0))

    def lines(self, title: str) -> list[str]:
        about = "~" if self.estimated else ""
        cached = tokens(self.cached) if self.cached else ""
        sums = words.in_and_out(f"{about}{tokens(self.prompt)}", cached, f"{about}{tokens(self.completion)}")
        return [
            clip(f"{title}: {words.calls(tokens(self.calls), self.calls)} · {self.cost}", WIDTH),
            clip_indented(sums),
        ]

    def short(self) -> str:
        about = "~" if self.estimated else ""
        return f"{words.tokens_of(about + tokens(self.tokens))} · {self.cost}"


def times(periods: Sequence[Sequence[Spent]]) -> list[str]:
    """Two lines for each of PERIODS."""
    if not periods[-1]:
        return [words.NOTHING_SPENT]
    totals = [(words.PERIODS[days], Total.of(rows)) for days, rows in zip(PERIODS, periods, strict=True)]
    return [line for title, total in totals for line in total.lines(title)]


def listed(title: str, rows: Iterable[Spent], name: Callable[[Spent], str]) -> list[str]:
    """Two lines for each name, the one with the most tokens first."""
    groups: dict[str, list[Spent]] = {}
    for row in rows:
        groups.setdefault(name(row), []).append(row)
    totals = sorted(((Total.of(rows), name) for name, rows in groups.items()), key=lambda pair: -pair[0].tokens)
    lines = [line for total, name in totals[:MOST] for line in (clip(name, WIDTH), clip_indented(total.short()))]
    more = [words.and_more_lines(len(totals) - MOST)] if len(totals) > MOST else []
    return ["", title, *lines, *more] if lines else []


def clip_indented(text: str) -> str:
    return f"  {clip(text, WIDTH - 2)}"


def amount(measure: str, figure: float) -> str:
    """A figure of a budget: of tokens, money, calls or s (seconds)."""
    match measure:
        case "money":
            return money(figure)
        case "s":
            return words.seconds_of_work(figure)
        case _:
            return f"{tokens(int(figure))} {words.MEASURES[measure]}"


def share(measure: str, total: Total, limit: float, *, figures: bool) -> str:
    """How much of a budget is used; without `figures` the share alone."""
    used = {"tokens": total.tokens, "money": total.money, "calls": total.calls}[measure]
    percent = f"{math.floor(100 * used / limit)} %"
    if not figures:
        return words.share_of(percent, measure)
    shown = amount(measure, used).removesuffix(f" {words.MEASURES[measure]}")
    return words.used_of(shown, amount(measure, limit), percent)
