"""The Continue button of a checkpoint: at whatever time, the session goes on from there, and from there alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agent import Clock, DuplicateRef, Hub, Start, steps
from bot import modelwords, words
from bot.access import Role
from bot.answers import PRESSED
from bot.channel import Arrival, Place
from bot.control import author_of
from bot.roster import short
from bot.routes import Routes

VERB = "cont"


@dataclass(frozen=True, slots=True)
class Continuing:
    """`start_of` tells where a place's legs begin."""

    hub: Hub
    routes: Routes
    clock: Clock
    start_of: Callable[[Place], Start]

    async def press(self, arrival: Arrival, role: Role) -> str | None:
        """The toast, or None if the button isn't one of these. Raises StoreError."""
        verb, _, rest = arrival.data.partition(":")
        if verb != VERB:
            return None
        if role < Role.OPERATOR:
            return words.VIEWERS_READ
        number, _, session = rest.partition(":")
        place = await self.routes.place_of(session) if session else None
        if place != arrival.place or not (number.isascii() and number.isdecimal() and len(number) <= 12):
            return words.EXPIRED
        current = self.routes.known(arrival.place)
        todo = self.hub.todo(current) if current else None
        if todo and todo.running:  # led to another session, the place could no longer stop it
            return modelwords.RUN_GOES_ON
        asked = steps.Asked(
            at=self.clock.now(),
            text=words.GO_ON,
            author=author_of(arrival),
            ref=f"{PRESSED}{arrival.place.bot}:{arrival.press_id}",  # one press, one run, over a crash, too
            name="" if arrival.private else short(arrival.name),
            role=role.name.lower(),
        )
        await self.routes.point(arrival.place, session)
        try:
            done = await self.hub.go_on(session, int(number), asked, self.start_of(arrival.place))
        except DuplicateRef:
            done = True
        return words.GOES_ON if done else words.EXPIRED
