"""/log: the journal of this chat's session as a file."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Callable
from dataclasses import dataclass

from agent import Clock, Store
from bot import words
from bot.access import Role
from bot.channel import Arrival, File, Letter
from bot.journal import told
from bot.notices import Notices
from bot.routes import Routes

MOST = 5_000_000  # characters; the newest are kept


@dataclass(frozen=True, slots=True)
class Log:
    """`mask` hides what is shaped like a key; `zone` is for times of day."""

    store: Store
    routes: Routes
    notices: Notices
    clock: Clock
    zone: datetime.tzinfo
    mask: Callable[[str], str]

    async def command(self, arrival: Arrival, role: Role) -> str:
        """The file, "" when it was sent. Raises StoreError."""
        session = await self.routes.session_of(arrival.place)
        journal = await self.store.read(session)
        if not journal:
            return words.NO_LOG
        text = await asyncio.to_thread(lambda: self.mask(told(journal, self.zone)))
        day = datetime.datetime.fromtimestamp(self.clock.now(), self.zone).strftime("%Y-%m-%d-%H%M")
        file = File(f"session-{day}.txt", text[-MOST:])
        letter = Letter(words.log_caption(len(journal), cut=len(text) > MOST), file=file, silent=True)
        await self.notices.tell(arrival.place, letter, f"log:{arrival.ref}")
        return ""
