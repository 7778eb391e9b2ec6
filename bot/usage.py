"""/usage: what the model took, by time, model and person, and how much of the budgets is left.

In private everybody sees their own figures and admins those of all. A group sees its own chat's, since what is shown
there is shown to all in it; an admin who asks there gets people and the totals, too.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence

from agent import Clock, Spent, Store
from bot import words
from bot.access import Access, Role
from bot.channel import Arrival, Place
from bot.oneline import clip
from bot.roster import short
from bot.spent import PERIODS, WIDTH, Total, amount, clip_indented, listed, share, times


class Usages:
    """`budgets` are the limits that are set, by the names of their settings (run_tokens, user_day_money, ...)."""

    def __init__(
        self, store: Store, access: Access, clock: Clock, zone: datetime.tzinfo, budgets: Mapping[str, float]
    ) -> None:
        self._store, self._access, self._clock, self._zone, self._budgets = store, access, clock, zone, budgets

    async def command(self, arrival: Arrival, role: Role) -> str:
        """The answer to /usage. Raises StoreError."""
        periods = [await self._store.spent(self._since(days), math.inf) for days in PERIODS]
        admin, me = role >= Role.ADMIN, f"{arrival.place.channel}:{arrival.sender}"
        if not arrival.private:
            here = [[row for row in rows if _is_of(row, arrival.place)] for rows in periods]
            lines = [words.USAGE_HERE, *times(here), *_models(here[-1])]
            lines += [*self._people(here[-1], me), *_totals(periods)] if admin else []
        elif admin:
            lines = [words.USAGE_ALL, *times(periods), *_models(periods[-1]), *self._people(periods[-1], me)]
        else:
            mine = [[row for row in rows if row.user == me] for rows in periods]
            lines = [words.USAGE_YOURS, *times(mine), *_models(mine[-1])]
        return "\n".join([*lines, *self._limits(periods[0], me, arrival.private, admin)])

    def _since(self, days: int) -> float:
        """When the first of so many days began, today being the last."""
        today = datetime.datetime.fromtimestamp(self._clock.now(), self._zone).date()
        first = today - datetime.timedelta(days=days - 1)
        return datetime.datetime.combine(first, datetime.time(), self._zone).timestamp()

    def _people(self, rows: Sequence[Spent], me: str) -> list[str]:
        return listed(words.BY_PERSON, rows, lambda row: self._named(row.user, me))

    def _named(self, user: str, me: str) -> str:
        number = user.partition(":")[2]
        known = self._access.person(int(number)) if number.isdecimal() else None
        name = words.YOU if user == me else short(known.name) if known else ""
        return words.numbered(number, name) if number else words.UNKNOWN

    def _limits(self, today: Sequence[Spent], me: str, private: bool, admin: bool) -> list[str]:
        """The budgets, with the share used. What a person has used elsewhere is no group's business, and what all have
        used together only an admin's, as a figure."""
        if not self._budgets:
            return []
        total, mine = Total.of(today), Total.of(row for row in today if row.user == me)
        lines = []
        for name, limit in self._budgets.items():
            scope, _, measure = name.rpartition("_")
            if scope == "run":
                lines.append(f"{words.BUDGET[scope]}: {amount(measure, limit)}")
            elif scope == "user_day" and private:
                lines.append(f"{words.BUDGET[scope]}: {share(measure, mine, limit, figures=True)}")
            elif scope == "day" and (private or admin):
                lines.append(f"{words.BUDGET[scope]}: {share(measure, total, limit, figures=admin)}")
        lines += [] if private else [words.IN_PRIVATE]
        zone = datetime.datetime.fromtimestamp(self._clock.now(), self._zone).tzname()
        return ["", words.BUDGETS, *map(clip_indented, lines), clip(words.day_begins(zone or ""), WIDTH)]


def _is_of(row: Spent, place: Place) -> bool:
    """Whether it was spent in this chat, whatever the topic."""
    if not row.place:
        return False
    other = Place.of(row.place)
    return (other.channel, other.bot, other.chat) == (place.channel, place.bot, place.chat)


def _models(rows: Sequence[Spent]) -> list[str]:
    return listed(words.BY_MODEL, rows, lambda row: words.SPENDERS.get(row.model, row.model) or words.UNKNOWN)


def _totals(periods: Sequence[Sequence[Spent]]) -> list[str]:
    totals = [(words.PERIODS[days], Total.of(rows)) for days, rows in zip(PERIODS, periods, strict=True)]
    return ["", words.ALL_CHATS, *[clip(f"{title}: {total.short()}", WIDTH) for title, total in totals]]
