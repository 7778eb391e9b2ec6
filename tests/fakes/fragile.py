"""A journal that dies with its process: at the nth append, before or after it was written, and never answers again."""

from __future__ import annotations

import asyncio

from agent.steps import Step
from agent.store.memory import MemoryStore


class FragileJournal:
    """Implements agent.ports.Journal over a store that outlives it. `dies_at` counts appends from 1; 0 is never."""

    def __init__(self, store: MemoryStore, dies_at: int = 0, after: bool = False) -> None:
        self.store, self.dies_at, self.after = store, dies_at, after
        self.appends = 0
        self.dead = asyncio.Event()

    async def append(self, session: str, seq: int, batch: str, *steps: Step) -> None:
        self.appends += 1
        dies = self.appends == self.dies_at
        if self.dead.is_set() or (dies and not self.after):
            await self._die()
        await self.store.append(session, seq, batch, *steps)
        if dies:
            await self._die()

    async def _die(self) -> None:
        self.dead.set()
        await asyncio.Event().wait()

    async def read(self, session: str, after: int = 0) -> list[tuple[int, Step]]:
        return await self.store.read(session, after)

    async def unfinished(self) -> list[str]:
        return await self.store.unfinished()

    async def find_ref(self, ref: str) -> tuple[str, int] | None:
        return await self.store.find_ref(ref)
