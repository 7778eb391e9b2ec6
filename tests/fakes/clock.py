"""A clock that only moves when a test moves it."""

from __future__ import annotations

import asyncio
import heapq
from itertools import count

TURNS = 60  # passes of the event loop that count as "everything that can run has run"


class HandClock:
    """Implements agent.ports.Clock; wall and monotonic time move together, in seconds."""

    def __init__(self, start: float = 1_700_000_000.0) -> None:
        self._start = start
        self._passed = 0.0
        self._order = count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def now(self) -> float:
        return self._start + self._passed

    def monotonic(self) -> float:
        return self._passed

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._passed + seconds, next(self._order), woken))
        await woken

    @property
    def sleeping(self) -> int:
        """How many are asleep."""
        return sum(not woken.done() for _, _, woken in self._sleepers)

    async def settle(self, turns: int = TURNS) -> None:
        """Let everything run that needs no time to pass. Threads and sockets are not waited for."""
        for _ in range(turns):
            await asyncio.sleep(0)

    async def advance(self, seconds: float) -> None:
        """Let `seconds` pass: sleepers wake at their own times, in order; what one starts is run before the next."""
        until = self._passed + seconds
        await self.settle()
        while self._sleepers and self._sleepers[0][0] <= until:
            due, _, woken = heapq.heappop(self._sleepers)
            if woken.done():  # cancelled meanwhile
                continue
            self._passed = max(self._passed, due)
            woken.set_result(None)
            await self.settle()
        self._passed = until
        await self.settle()
