"""/new: a fresh session; and /new forget, which deletes a chat's conversation for good, after a tap."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from agent import Clock, Hub, Store
from bot import words
from bot.access import Role
from bot.channel import Arrival, Button, Letter
from bot.choosing import Choosing
from bot.control import Control, Stopped, author_of
from bot.notices import Notices
from bot.routes import Routes

VERB, KEPT, KIND = "forget", "kept", "forget"
OFFERED_S = 600.0


@dataclass(frozen=True, slots=True)
class Fresh:
    """`settled` waits until everything recorded so far is in the outbox."""

    hub: Hub
    store: Store
    routes: Routes
    control: Control
    choosing: Choosing
    notices: Notices
    clock: Clock
    settled: Callable[[], Awaitable[None]]

    async def command(self, arrival: Arrival, role: Role) -> str:
        """/new, /new forget. Raises StoreError."""
        match arrival.args.strip().lower():
            case "":
                return await self._renew(arrival, role)
            case "forget":
                return await self._offer(arrival, role)
        return words.NEW_USAGE

    async def _renew(self, arrival: Arrival, role: Role) -> str:
        killed = await self.control.kill(arrival, role)
        if killed is None:
            return words.NOT_YOURS
        if session := self.routes.known(arrival.place):
            more = await self.hub.edges.host.jobs.end(session)  # nobody could look after them any more
            killed = Stopped(killed.run, killed.jobs + more)
        old = await self.routes.session_of(arrival.place)
        await self.routes.renew(arrival.place)
        await self.choosing.carry(old, arrival.place, author_of(arrival))
        return f"{killed.told()} {words.NEW}" if killed else words.NEW

    async def _offer(self, arrival: Arrival, role: Role) -> str:
        if not _may(arrival, role):
            return words.FORGET_ADMINS
        found = await self.store.sessions_at(arrival.place.key, 1_000)
        ref = secrets.token_urlsafe(16)
        await self.store.remember(ref, KIND, arrival.place.key, self.clock.now() + OFFERED_S)
        row = (Button(words.FORGET_DO, f"{VERB}:{ref}"), Button(words.KEEP, f"{KEPT}:{ref}"))
        letter = Letter(words.forget_offer(len(found)), buttons=(row,))
        await self.notices.tell(arrival.place, letter, f"forget:{arrival.ref}")
        return ""

    async def press(self, arrival: Arrival, role: Role) -> str | None:
        """The tap: the toast, or None if the button isn't one of these. Raises StoreError."""
        verb, _, ref = arrival.data.partition(":")
        if verb not in (VERB, KEPT):
            return None
        if not _may(arrival, role):
            return words.FORGET_ADMINS
        known = await self.store.recall(ref)
        right = known is not None and known.kind == KIND and known.body == arrival.place.key
        if known is None or not right or known.used or known.expires < self.clock.now():
            return words.EXPIRED
        if verb == KEPT:
            return words.FORGET_KEPT if await self.store.use(ref) is not None else words.EXPIRED
        if await self.control.kill(arrival, role) is None:
            return words.NOT_YOURS
        await self._forget(arrival)
        await self.notices.tell(arrival.place, Letter(words.FORGOTTEN), f"forgotten:{ref}")
        await self.store.use(ref)  # last: a crash before it makes the same press do the same again
        return ""

    async def _forget(self, arrival: Arrival) -> None:
        """Runs have been stopped: first no session of the place is left in memory, then none in the store."""
        place = arrival.place
        fresh = await self.routes.renew(place)
        for each in await self.store.sessions_at(place.key, 100_000):
            await self.hub.stop(each.session, author_of(arrival))
            await self.hub.edges.host.jobs.end(each.session)
            await self.hub.evict(each.session)
        await self.settled()
        for session in await self.store.forget(place.key, fresh):
            self.routes.forget(session)


def _may(arrival: Arrival, role: Role) -> bool:
    """In private whoever may use it; in a group it is everybody's, so an admin's to delete."""
    return role >= (Role.OPERATOR if arrival.private else Role.ADMIN)
