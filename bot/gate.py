"""Who may talk and what runs without asking, wired together for one channel."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Awaitable, Callable

from agent import Clock, Hub, Store
from bot import words
from bot.access import Access
from bot.channel import Channel, Intake, Place
from bot.door import Door
from bot.lockdown import Lockdown
from bot.modes import Modes
from bot.outbox import Sender
from bot.pairing import Pairing
from bot.people import People


class Gate:
    """`mode` is the settings' standing one; `say` prints on the console."""

    def __init__(
        self,
        access: Access,
        store: Store,
        hub: Hub,
        sender: Sender,
        channel: Channel,
        clock: Clock,
        zone: datetime.tzinfo,
        mode: str,
        say: Callable[[str], None],
    ) -> None:
        self.access = access
        self._store, self._channel, self._clock = store, channel, clock
        self.people = People(access, store, sender, clock, zone)
        self.lockdown = Lockdown(hub, access, clock)
        self.modes = Modes(mode, store, clock, zone, hub.mode_changed, self._mode_returned)
        self.pairing = Pairing(clock, say)
        self._pairing: asyncio.Task[None] | None = None
        hub.temporary_mode = self.modes.temporary
        hub.watchers.append(self.lockdown.watch)

    async def load(self) -> None:
        """At start, before anything is picked up or judged: what chat had changed. Raises StoreError."""
        await self.access.load(self._store)
        await self.people.tidy()
        await self.modes.load()

    def door(self, desk: Intake, follow: Callable[[Place, Place], Awaitable[None]]) -> Door:
        """What stands before the desk; while there is no owner, a code is printed on the console from now on."""
        if self.access.owner is None:
            bot = self._channel.health.facts.get("username", "")
            wait = self.pairing.keep_open(lambda: self.access.owner is None, bot)
            self._pairing = asyncio.create_task(wait, name="pairing")
        return Door(self.access, self._store, self.pairing, self.people, self.lockdown, desk, follow)

    async def close(self) -> None:
        await self.modes.close()
        if self._pairing:
            self._pairing.cancel()
            await asyncio.gather(self._pairing, return_exceptions=True)

    async def _mode_returned(self, mode: str) -> None:
        key = f"mode:{self._clock.now():.0f}"
        await self.people.tell_owner(self._channel.name, self._channel.bot, lambda: words.mode_back(mode), key)
