"""/checkpoint: how the session stands now, kept so that one can go on from it later."""

from __future__ import annotations

from dataclasses import dataclass

from agent import Hub
from bot import words
from bot.access import Role
from bot.channel import Arrival
from bot.routes import Routes


@dataclass(frozen=True, slots=True)
class Keeping:
    hub: Hub
    routes: Routes

    async def command(self, arrival: Arrival, role: Role) -> str:
        """The checkpoint comes as a message of the journal's: "". Raises StoreError."""
        session = await self.routes.session_of(arrival.place)
        return "" if await self.hub.checkpoint(session) else words.NO_CHECKPOINT
