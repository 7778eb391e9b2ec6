"""A durable letter of a command's own: once a key, however often the command is carried out again."""

from __future__ import annotations

from dataclasses import dataclass

from agent import Outgoing, Store
from bot.channel import Letter, Place
from bot.envelope import encode
from bot.outbox import Sender


@dataclass(frozen=True, slots=True)
class Notices:
    store: Store
    sender: Sender

    async def tell(self, place: Place, letter: Letter, key: str) -> None:
        """Write it down and send it. Raises StoreError."""
        row = Outgoing(key=key, chat=place.chat, body=encode(place, letter), role="notice")
        self.sender.deliver(await self.store.project(f"desk:{place.bot}", 0, [row]))
