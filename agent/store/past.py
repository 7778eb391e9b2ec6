"""What a run may read of other sessions: those of its own place, and no other's."""

from __future__ import annotations

from agent.errors import StoreError, ToolError
from agent.steps import Step
from agent.tables import Listed, Store

UNREADABLE = "The sessions can't be read at the moment: the store gives no answer. Try again, or go on without them."


class PastSessions:
    """Implements agent.ports.Past over a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def newest(self, session: str, count: int) -> list[Listed]:
        """See agent.ports.Past."""
        try:
            place = await self._store.place_of(session)
            return await self._store.sessions_at(place, count) if place else []
        except StoreError as error:
            raise ToolError(UNREADABLE) from error

    async def steps(self, session: str, other: str) -> list[tuple[int, Step]] | None:
        """See agent.ports.Past."""
        try:
            place = await self._store.place_of(session)
            if place is None or await self._store.place_of(other) != place:
                return None
            return await self._store.read(other)
        except StoreError as error:
            raise ToolError(UNREADABLE) from error
