"""The panic switch: every run is stopped, and nobody below the owner may talk until the owner unlocks."""

from __future__ import annotations

import asyncio

from agent import Clock, Hub, steps
from bot.access import Access, Role


class Lockdown:
    def __init__(self, hub: Hub, access: Access, clock: Clock) -> None:
        self._hub, self._access, self._clock = hub, access, clock
        self._kills: set[asyncio.Task[int]] = set()
        self._killed = 0  # since the last `on`

    def engage(self, by: str) -> None:
        """At once, past every queue and without the store: nobody may talk, and what runs is being killed."""
        self._access.locked = True
        task = asyncio.create_task(self._stop_all(by), name="lock")
        self._kills.add(task)
        task.add_done_callback(self._count)

    async def on(self, by: str) -> int:
        """Lock durably; returns how many runs were stopped by it. Raises StoreError."""
        self._access.locked = True
        await self._settled()
        stopped = await self._stop_all(by)
        await self._access.lock(by, self._clock.now())
        stopped, self._killed = stopped + self._killed, 0
        return stopped

    async def off(self, by: str) -> None:
        """Raises StoreError, and then it stays locked."""
        await self._access.unlock(by, self._clock.now())

    def watch(self, session: str, seq: int, step: steps.Step) -> None:
        """A watcher of the hub's: what had passed the desk just before the lock is stopped as soon as it begins."""
        if self._access.locked and isinstance(step, steps.Asked) and not self._by_owner(step.author):
            task = asyncio.create_task(self._stop(session), name=f"lock {session}")
            self._kills.add(task)
            task.add_done_callback(self._count)

    def _by_owner(self, author: str) -> bool:
        person = author.partition(":")[2]
        return person.isdigit() and self._access.role(int(person)) is Role.OWNER

    async def _stop(self, session: str) -> int:
        return int(await self._hub.stop(session, "lock"))

    async def _stop_all(self, by: str) -> int:
        results = await asyncio.gather(*(self._hub.stop(session, by) for session in self._hub.running()))
        await self._hub.edges.host.jobs.end()
        return sum(results)

    async def _settled(self) -> None:
        if self._kills:
            await asyncio.wait(set(self._kills))
            await asyncio.sleep(0)  # the counts come by callback

    def _count(self, task: asyncio.Task[int]) -> None:
        self._kills.discard(task)
        if not task.cancelled() and task.exception() is None:
            self._killed += task.result()
