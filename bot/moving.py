"""A group that becomes a supergroup gets another id: its right, session, settings, letters and open questions follow.

Source: https://core.telegram.org/bots/api#message (migrate_to_chat_id) and #responseparameters.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from bot.access import Access
from bot.approvals import Approvals
from bot.channel import Place
from bot.outbox import Sender
from bot.preferences import Preferences
from bot.routes import Routes

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Moves:
    """The move is heard of twice, as a notice in the chat and as the refusal of a letter, and once more after a crash:
    every part of it changes nothing the second time."""

    access: Access
    routes: Routes
    preferences: Preferences
    sender: Sender
    approvals: Approvals

    def __post_init__(self) -> None:
        self.routes.chat_now = self.access.chat_now

    def restore(self) -> None:
        """At start, once the rows are read: letters to a former address go to the present one."""
        for old in self.access.moved:
            self.sender.follow(old, self.access.chat_now(old))

    async def follow(self, old: Place, new: Place) -> None:
        """Only an allowed group can move, and nothing else gains a right. Raises StoreError."""
        if await self.access.move(old.chat, new.chat):
            logger.info("group %s has moved to %s, with right, session, settings and letters", old.chat, new.chat)
        if self.access.chat_now(old.chat) != new.chat:
            return
        await self.routes.moved(old, new)
        await self.preferences.moved(old, new)
        self.sender.follow(old.chat, new.chat)
        await self.approvals.moved(old, new)
