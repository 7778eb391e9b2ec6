"""So many requests to the model at a time; who waits is served in order, and told how many are before them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

Tell = Callable[[int], None]


@dataclass(eq=False, slots=True)
class _Waiter:
    turn: asyncio.Future[None]
    tell: Tell


class Slots:
    """`size` of them. `tell` of `one` is called with the number of requests before this one whenever it changes, and
    with 0 when a wait is over; never for a request that didn't have to wait."""

    def __init__(self, size: int) -> None:
        self._free = size
        self._queue: deque[_Waiter] = deque()

    @asynccontextmanager
    async def one(self, tell: Tell) -> AsyncIterator[None]:
        """Hold a slot for as long as the block runs."""
        await self._take(tell)
        try:
            yield
        finally:
            self._give()

    async def _take(self, tell: Tell) -> None:
        if self._free:
            self._free -= 1
            return
        waiter = _Waiter(asyncio.get_running_loop().create_future(), tell)
        self._queue.append(waiter)
        tell(len(self._queue))
        try:
            await waiter.turn
        except asyncio.CancelledError:
            if waiter in self._queue:
                self._queue.remove(waiter)
                self._tell_all()
            elif not waiter.turn.cancelled():  # its turn came in the same moment
                self._give()
            raise
        tell(0)

    def _give(self) -> None:
        while self._queue:
            waiter = self._queue.popleft()
            if not waiter.turn.cancelled():  # cancelled, and not yet awake to leave the queue itself
                waiter.turn.set_result(None)
                self._tell_all()
                return
        self._free += 1

    def _tell_all(self) -> None:
        for before, waiter in enumerate(self._queue, start=1):
            waiter.tell(before)
