"""The model as a chat meets it: waits that can be cancelled, runs that can be tried again, another one by /model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agent import steps
from bot.access import Role
from bot.channel import Arrival, Place
from bot.choosing import Choosing
from bot.parked import Kill, ParkedNotices
from bot.retries import Retries


@dataclass(frozen=True, slots=True)
class ModelSide:
    parked: ParkedNotices
    retries: Retries
    choosing: Choosing

    def watch(self, session: str, seq: int, step: steps.Step) -> None:
        """A watcher of the hub's."""
        self.parked.watch(session, seq, step)

    def restore(self, session: str, place: Place, journal: Sequence[tuple[int, steps.Step]]) -> None:
        """After a restart, before anything runs."""
        self.parked.restore(session, place, journal)

    async def press(self, arrival: Arrival, role: Role, kill: Kill) -> str | None:
        """A button was pressed: the toast, or None if it isn't one of these. Raises StoreError."""
        toast = await self.parked.press(arrival, role, kill)
        return toast if toast is not None else await self.retries.press(arrival, role)
