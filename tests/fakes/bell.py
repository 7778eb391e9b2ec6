"""Waiting for a server's state to change, without sleeping and without polling."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Bell:
    """`ring()` after every change; `until()` looks again at each ring. Ringing never yields to other tasks."""

    def __init__(self) -> None:
        self._sleepers: set[asyncio.Future[None]] = set()

    def ring(self) -> None:
        for sleeper in self._sleepers:
            if not sleeper.done():
                sleeper.set_result(None)

    async def until(self, find: Callable[[], T | None], timeout: float) -> T:
        """The first truthy answer of `find`. Raises TimeoutError after `timeout` seconds."""
        async with asyncio.timeout(timeout):
            while not (found := find()):
                sleeper: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._sleepers.add(sleeper)
                try:
                    await sleeper
                finally:
                    self._sleepers.discard(sleeper)
        return found
