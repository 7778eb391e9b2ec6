"""What a chat has chosen for itself, kept over restarts: how much it reads, and in which language."""

from __future__ import annotations

from dataclasses import dataclass, field

from agent import Clock, Store, Switch
from bot.channel import Place


@dataclass(slots=True)
class Preferences:
    store: Store
    clock: Clock
    _chosen: dict[str, str] = field(default_factory=dict)  # name of a switch -> value

    async def load(self) -> None:
        """At start. Raises StoreError."""
        self._chosen = {row.name: row.value for row in await self.store.switches() if row.name.count(":") >= 4}

    def of(self, place: Place, name: str) -> str:
        """What this place, or else the whole of its chat, has chosen; "" if nothing."""
        whole = Place(place.channel, place.bot, place.chat)
        return self._chosen.get(f"{name}:{place.key}") or self._chosen.get(f"{name}:{whole.key}", "")

    async def choose(self, place: Place, name: str, value: str, by: str) -> None:
        """Raises StoreError."""
        if self.of(place, name) == value:
            return
        key = f"{name}:{place.key}"
        await self.store.switch(Switch(key, value, by=by, at=self.clock.now()))
        self._chosen[key] = value

    async def moved(self, old: Place, new: Place) -> None:
        """A group got another address. Raises StoreError."""
        for key, value in list(self._chosen.items()):
            name, _, place = key.partition(":")
            newer = f"{name}:{new.key}" in self._chosen
            if Place.of(place) == old and not newer:
                await self.choose(new, name, value, "moved")
