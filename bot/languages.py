"""Who is spoken to in which language: that of their client, remembered for the chat over restarts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from agent import Delta, parent_of, steps
from bot import words
from bot.channel import Arrival, Place
from bot.control import author_of
from bot.preferences import Preferences
from bot.routes import Routes

NAME = "language"
Watch = Callable[[str, int, steps.Step], None]


@dataclass(frozen=True, slots=True)
class Languages:
    preferences: Preferences
    routes: Routes

    def of(self, place: Place | None) -> str:
        """The language of a chat, "" if nobody's client has said."""
        return self.preferences.of(place, NAME) if place else ""

    def answering(self, arrival: Arrival | None) -> AbstractContextManager[None]:
        """Within it, words are in the language of whoever sent this."""
        own = words.known(arrival.language) if arrival else ""
        return words.speaking(own or self.of(arrival.place if arrival else None))

    def telling(self, place: Place | None) -> AbstractContextManager[None]:
        """Within it, words are in the language of this chat."""
        return words.speaking(self.of(place))

    async def heard(self, arrival: Arrival) -> None:
        """Remember for the chat what the one who was last heard there speaks. Raises StoreError."""
        if arrival.addressed or arrival.kind == "press":
            await self.met(arrival)

    async def met(self, arrival: Arrival) -> None:
        """The same of somebody at the door. Raises StoreError."""
        if own := words.known(arrival.language):
            await self.preferences.choose(arrival.place, NAME, own, author_of(arrival))

    def watching(self, watch: Watch) -> Watch:
        """The same watcher of the hub's, in the language of each session's chat."""

        def spoken(session: str, seq: int, step: steps.Step) -> None:
            with self.telling(self.routes.where(parent_of(session) or session)):
                watch(session, seq, step)

        return spoken

    def hearing(self, hear: Callable[[str, Delta], None]) -> Callable[[str, Delta], None]:
        """The same for what streams."""

        def spoken(session: str, delta: Delta) -> None:
            with self.telling(self.routes.where(parent_of(session) or session)):
                hear(session, delta)

        return spoken
