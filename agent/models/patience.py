"""How long one reply may take: to its first byte, between two pieces, and in all."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from agent.why import Why

T = TypeVar("T")


class Late(Exception):
    """A deadline passed: `why` says which, of so many `seconds`."""

    def __init__(self, why: Why, seconds: float) -> None:
        super().__init__(why.value, seconds)
        self.why, self.seconds = why, seconds


class Patience:
    """Deadlines of one attempt, all in seconds. They run on the event loop's monotonic clock, for they are timers on a
    real socket: a hand-moved clock would not wake them."""

    def __init__(self, first_byte: float, idle: float, total: float) -> None:
        loop = asyncio.get_running_loop()
        self._now = loop.time
        self._total = total
        self._end = self._now() + total
        self._idle = idle
        self._next = self._now() + first_byte
        self._silence = (Why.NO_FIRST_WORD, first_byte)

    async def wait(self, step: Awaitable[T]) -> T:
        """Await `step` until the next deadline. Raises Late."""
        try:
            async with asyncio.timeout_at(min(self._next, self._end)):
                return await step
        except TimeoutError:
            if self._now() >= self._end:
                raise Late(Why.TOOK_TOO_LONG, self._total) from None
            if self._now() >= self._next:
                raise Late(*self._silence) from None
            raise

    def heard(self) -> None:
        """A piece came: the next one has the idle time."""
        self._next = self._now() + self._idle
        self._silence = (Why.FELL_SILENT, self._idle)

    def hurry(self, seconds: float) -> None:
        """All that matters is here: wait at most `seconds` more, whatever comes."""
        self._end = min(self._end, self._now() + seconds)
