"""The mode in force: the settings' standing one, or what somebody set by chat for a while; it returns by itself.

Chat can tighten, and an admin may. To loosen is the owner's, for eight hours at most; full only in private.
"""

from __future__ import annotations

import asyncio
import datetime
import logging
import math
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from agent import Clock, Store, StoreError, Switch
from bot import modelwords, words
from bot.access import Role
from bot.channel import Arrival

logger = logging.getLogger(__name__)

LOOSENESS = {"ask": 0, "sandbox": 1, "full": 2}
MOST_S = 8 * 3600.0  # of a mode looser than the standing one
USUAL_S = 3600.0
LONGEST_S = 30 * 86_400.0  # of any
RECHECK_S = 60.0  # wall clocks jump
SWITCH = "mode"
_TIME = re.compile(r"([0-9]{1,5})\s*(m|min|h|)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Spell:
    """A mode until a wall time, and the standing one after that; inf: until somebody ends it."""

    mode: str
    until: float = math.inf


def loosens(old: Spell, new: Spell, standing: str) -> bool:
    """Whether anything is looser under `new` than under `old`, at any time from now on."""

    def at(spell: Spell, when: float) -> int:
        return LOOSENESS[spell.mode if when < spell.until else standing]

    moments = [-math.inf, *(end for end in (old.until, new.until) if end < math.inf)]
    return any(at(new, moment) > at(old, moment) for moment in moments)


def refusal(old: Spell, new: Spell, standing: str, role: Role, private: bool) -> str:
    """Why this person may not change the mode so; "" if they may."""
    if role < Role.ADMIN:
        return words.only("admin")
    if new.mode == "full" and (role < Role.OWNER or not private):
        return words.FULL_IN_PRIVATE
    return words.OWNER_LOOSENS if role < Role.OWNER and loosens(old, new, standing) else ""


def wanted(args: str, standing: str, now: float) -> Spell | str:
    """What the words after /mode ask for, or what is wrong with them."""
    mode, _, rest = args.strip().lower().partition(" ")
    if mode not in LOOSENESS:
        return words.MODE_USAGE
    if mode == standing:
        return Spell(mode) if not rest or _TIME.fullmatch(rest.strip()) else words.MODE_USAGE
    looser = LOOSENESS[mode] > LOOSENESS[standing]
    if not rest:
        return Spell(mode, now + USUAL_S if looser else math.inf)
    given = _TIME.fullmatch(rest.strip())
    if given is None or not int(given[1]):
        return words.MODE_USAGE
    seconds = int(given[1]) * (60.0 if given[2].startswith("m") else 3600.0)
    if seconds > (MOST_S if looser else LONGEST_S):
        return words.MODE_TOO_LONG
    return Spell(mode, now + seconds)


class Modes:
    """`changed(by)` tells the runs that go on, `returned(mode)` the owner; both are awaited, may raise StoreError."""

    def __init__(
        self,
        standing: str,
        store: Store,
        clock: Clock,
        zone: datetime.tzinfo,
        changed: Callable[[str], Awaitable[None]],
        returned: Callable[[str], Awaitable[None]],
    ) -> None:
        self.standing = standing
        self._store, self._clock, self._zone = store, clock, zone
        self._changed, self._returned = changed, returned
        self._spell = Spell(standing)
        self._ends = math.inf  # monotonic: a wall clock that is set back doesn't lengthen it
        self._task: asyncio.Task[None] | None = None

    async def load(self) -> None:
        """Go on with what was set before a restart. Raises StoreError."""
        self._begin(Spell(self.standing))
        for row in await self._store.switches():
            mode, _, over = row.value.partition(" over ")
            if row.name != SWITCH or mode not in LOOSENESS or mode == self.standing:
                continue
            looser = LOOSENESS[mode] > LOOSENESS[self.standing]
            if looser and (over != self.standing or row.until is None):
                continue  # it was a tightening of what the settings said then
            self._begin(Spell(mode, math.inf if row.until is None else row.until))

    def current(self, now: float) -> tuple[str, float | None]:
        """The mode in force at wall time `now`, and when it ends (None: nothing ends by itself)."""
        return self.temporary(now) or (self.standing, None)

    def temporary(self, now: float) -> tuple[str, float | None] | None:
        """What was set by chat, and until when; None while the standing mode is in force."""
        spell = self._in_force(now)
        if spell.mode == self.standing:
            return None
        return spell.mode, None if spell.until == math.inf else spell.until

    def told(self) -> str:
        """The mode in words, with the time of its return."""
        mode, until = self.current(self._clock.now())
        return words.mode_is(mode, self.standing, "" if until is None else self._time(until))

    def short(self) -> str:
        """The mode for a line of the status."""
        mode, until = self.current(self._clock.now())
        return mode if until is None else words.until(mode, self._time(until))

    async def command(self, arrival: Arrival, role: Role) -> str:
        """/mode [sandbox|ask|full] [time]. Raises StoreError, and then nothing has changed."""
        if not arrival.args:
            return self.told()
        now = self._clock.now()
        said = min(now, arrival.date or now)  # what waited while we were away asked for a time from then on
        new = wanted(arrival.args, self.standing, said)
        if isinstance(new, str):
            return new if role >= Role.ADMIN else words.only("admin")
        if new.until <= now:
            return words.MODE_OVER
        if why := refusal(self._in_force(now), new, self.standing, role, arrival.private):
            return why
        by = f"{arrival.place.channel}:{arrival.sender}"
        await self._keep(new, by, now)
        self._begin(new)
        logger.info("mode %s, by %s", new.mode, by)
        await self._changed(by)
        return self.told()

    async def close(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    # -- the return ---------------------------------------------------------------------------------------------------
    def _in_force(self, now: float) -> Spell:
        over = now >= self._spell.until or self._clock.monotonic() >= self._ends
        return Spell(self.standing) if over else self._spell

    def _begin(self, spell: Spell) -> None:
        left = spell.until - self._clock.now()
        if LOOSENESS[spell.mode] > LOOSENESS[self.standing]:
            left = min(left, MOST_S)
        self._spell, self._ends = spell, self._clock.monotonic() + left
        if self._task:
            self._task.cancel()
        self._task = asyncio.create_task(self._watch(), name="mode") if left < math.inf else None

    async def _watch(self) -> None:
        """Wait for the end by both clocks, then put the standing mode back and say so, however long that takes."""
        while (left := self._left()) > 0:
            await self._clock.sleep(min(left, RECHECK_S))
        self._spell, self._ends = Spell(self.standing), math.inf
        while True:
            try:
                await self._keep(self._spell, "clock", self._clock.now())
                await self._changed("clock")
                await self._returned(self.standing)
                break
            except StoreError as error:
                logger.warning("the return of the mode is not written down yet: %s", error)
                await self._clock.sleep(1.0)

    def _left(self) -> float:
        return min(self._spell.until - self._clock.now(), self._ends - self._clock.monotonic())

    async def _keep(self, spell: Spell, by: str, now: float) -> None:
        until = None if spell.until == math.inf else spell.until
        await self._store.switch(Switch(SWITCH, f"{spell.mode} over {self.standing}", until, by, now))

    def _time(self, until: float) -> str:
        return modelwords.at_time(until, self._clock.now(), self._zone)
