"""Updates that can't be read: set aside, a flood of them in a few lines of the log, the owner told once a day."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from agent import Clock, Inbound
from bot import words
from bot.access import Access
from bot.channel import Letter, Place
from bot.languages import Languages
from bot.notices import Notices

logger = logging.getLogger(__name__)
DAY_S = 86_400.0


@dataclass(slots=True)
class Unread:
    """`channel` is its name."""

    channel: str
    access: Access
    notices: Notices
    languages: Languages
    clock: Clock
    count: int = 0

    async def set_aside(self, row: Inbound) -> None:
        """Log it, and tell the owner in private. Raises StoreError."""
        self.count += 1
        if self.count & (self.count - 1) == 0:  # 1, 2, 4, 8 ...
            why = row.poison[:200]
            logger.warning("update %d can't be read and is set aside (%d so far): %s", row.update_id, self.count, why)
        if self.access.owner is not None:
            home = Place(self.channel, row.bot, str(self.access.owner))
            key = f"unread:{row.bot}:{self.clock.now() // DAY_S:.0f}"
            with self.languages.telling(home):
                letter = Letter(words.UNREAD, silent=True)
            await self.notices.tell(home, letter, key)
