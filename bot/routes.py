"""Which session a place talks to: the store's routes; those in use are in memory, so that /stop needs no store."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace

from agent import Clock, Store
from bot.channel import Place


class Routes:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._sessions: dict[str, str] = {}  # place key -> session
        self._places: dict[str, Place] = {}  # session -> place
        self.chat_now: Callable[[str], str] = lambda chat: chat  # a message may name the former id of a group

    def known(self, place: Place) -> str | None:
        """The session of a place, if it was used since the start. What runs is always known."""
        return self._sessions.get(self._now(place).key)

    def where(self, session: str) -> Place | None:
        """The place of a session that was used since the start."""
        return self._places.get(session)

    async def session_of(self, place: Place) -> str:
        """The current session of a place; a new one if it has none."""
        place = self._now(place)
        if (known := self.known(place)) is not None:
            return known
        session = await self._store.route(place.key)
        if session is None:
            return await self.renew(place)
        self._remember(place, session)
        return session

    async def renew(self, place: Place) -> str:
        """Give the place a fresh session."""
        place = self._now(place)
        session = f"{int(self._clock.now() * 1000):x}-{secrets.token_hex(4)}"
        await self._store.move(place.key, session)
        self._remember(place, session)
        return session

    async def point(self, place: Place, session: str) -> None:
        """Lead the place back to an older session of its own."""
        if self.known(place) != session:
            await self._store.move(place.key, session)
            self._remember(place, session)

    async def place_of(self, session: str) -> Place | None:
        """Where a session's messages go, also after its place has moved on to another session."""
        if session not in self._places:
            key = await self._store.place_of(session)
            if key is None:
                return None
            self._places[session] = Place.of(key)
            if await self._store.route(key) == session:
                self._sessions[key] = session
        return self._places[session]

    async def moved(self, old: Place, new: Place) -> None:
        """A group got a new address: its session goes with it."""
        await self._store.rename(old.key, new.key)
        if (session := self._sessions.pop(old.key, None)) is not None:
            self._remember(new, session)

    def forget(self, session: str) -> None:
        """There is no such session any more, or soon won't be."""
        self._places.pop(session, None)
        self._sessions = {place: known for place, known in self._sessions.items() if known != session}

    def _now(self, place: Place) -> Place:
        return replace(place, chat=self.chat_now(place.chat))

    def _remember(self, place: Place, session: str) -> None:
        self._sessions[place.key] = session
        self._places[session] = place
