"""Probe usage: what was spent today, by all and by one user, of every run on this home.

What earlier processes spent is read from the usage table once, at start; what this one spends is counted as its steps
are written, so that a look costs no read.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from agent.lineage import SPAWNS
from agent.ports import CallContext
from agent.steps import Asked, Ended, Failed, Finished, Said, Seen, Step, Usage
from agent.tables import UsageTable


@dataclass(slots=True)
class Sum:
    """Tokens, US dollars as far as they are known, replies. Only ever grows."""

    tokens: int = 0
    money: float = 0.0
    calls: int = 0

    def add(self, tokens: int, money: float, calls: int) -> None:
        self.tokens += max(0, tokens)
        self.money += max(0.0, money)
        self.calls += calls

    def shown(self) -> dict[str, float]:
        return {"tokens": self.tokens, "money": self.money, "calls": self.calls}


@dataclass(slots=True)
class UsageProbe:
    """`now` is wall time and `zone` decides when a day begins. `load` comes before the first step is written."""

    now: Callable[[], float] = lambda: 0.0
    zone: datetime.tzinfo = datetime.UTC
    name: str = "usage"
    timeout_s: float = 5.0
    _users: dict[str, str] = field(default_factory=dict)  # session -> who began its run
    _sums: dict[datetime.date, dict[str, Sum]] = field(default_factory=dict)  # by user

    async def load(self, table: UsageTable) -> None:
        """Take in what earlier processes spent today. Raises StoreError."""
        today = self._day(self.now())
        sums = self._sums.setdefault(today, {})
        for row in await table.spent(self._midnight(today).timestamp(), math.inf):
            sums.setdefault(row.user, Sum()).add(row.prompt + row.completion, row.money, row.calls)

    async def look(self, call: CallContext, args: str) -> str:
        """`args` is {user}. The answer: {day, user: {tokens, money, calls}, frees: when the next day begins, in words}.
        Raises ValueError for other arguments."""
        asked = json.loads(args)
        user = asked.get("user") if isinstance(asked, dict) else None
        if not isinstance(user, str):
            raise ValueError("usage is asked for a user")
        today = self._day(self.now())
        sums = self._sums.get(today, {})
        return json.dumps(
            {
                "day": _total(sums.values()).shown(),
                "user": sums.get(user, Sum()).shown(),
                "frees": self._midnight(today + datetime.timedelta(days=1)).strftime("%Y-%m-%d %H:%M %Z"),
            }
        )

    def watch(self, session: str, seq: int, step: Step) -> None:
        """A watcher of the hub's. Never blocks, never raises."""
        match step:
            case Asked():
                self._users.setdefault(session, step.author)
            case Ended():
                self._users.pop(session, None)
            case Said():
                self._count(session, step.at, step.usage)
            case Failed() if step.usage.tokens > 0 or step.usage.money:
                self._count(session, step.at, step.usage)
            case Seen(usage=Usage() as usage):
                self._count(session, step.at, usage)
            case Finished(usage=Usage() as usage) if step.tool != SPAWNS:  # a child's replies are counted one by one
                self._count(session, step.at, usage)
            case _:
                pass

    def restore(self, session: str, journal: Iterable[tuple[int, Step]]) -> None:
        """After a restart: whose run it is that goes on."""
        for seq, step in journal:
            if isinstance(step, Asked | Ended):
                self.watch(session, seq, step)

    def _count(self, session: str, at: float, usage: Usage) -> None:
        day = self._day(at)
        if day not in self._sums:  # yesterday is over; a run that ends over midnight still finds it
            self._sums = {known: sums for known, sums in self._sums.items() if (day - known).days <= 1}
        one = self._sums.setdefault(day, {}).setdefault(self._users.get(session, ""), Sum())
        one.add(max(0, usage.prompt) + max(0, usage.completion), usage.money or 0.0, 1)

    def _day(self, at: float) -> datetime.date:
        return datetime.datetime.fromtimestamp(at, self.zone).date()

    def _midnight(self, day: datetime.date) -> datetime.datetime:
        return datetime.datetime.combine(day, datetime.time(), self.zone)


def _total(sums: Iterable[Sum]) -> Sum:
    total = Sum()
    for each in sums:
        total.add(each.tokens, each.money, each.calls)
    return total


probe = UsageProbe
