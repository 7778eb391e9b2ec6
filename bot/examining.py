"""/doctor: the checks of `jarvis doctor`, told in chat when they are through."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from agent import StoreError
from bot import words
from bot.access import Role
from bot.channel import Arrival
from bot.markup import plain
from bot.notices import Notices

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Examining:
    """`exam` returns the report as text and raises nothing. One examination at a time."""

    exam: Callable[[], Awaitable[str]]
    notices: Notices
    mask: Callable[[str], str]
    _running: asyncio.Task[None] | None = field(default=None)

    async def command(self, arrival: Arrival, role: Role) -> str:
        """Begin, and say so: a model that is slow to answer keeps nobody waiting."""
        if self._running and not self._running.done():
            return words.DOCTOR_BUSY
        self._running = asyncio.create_task(self._examine(arrival), name="doctor")
        return words.DOCTOR_BEGUN

    async def close(self) -> None:
        if self._running:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def _report(self) -> str:
        try:
            return self.mask(await self.exam())
        except Exception:  # whoever asked waits for an answer
            logger.exception("the examination broke")
            return words.BROKEN

    async def _examine(self, arrival: Arrival) -> None:
        try:
            report = await self._report()
            for number, letter in enumerate(plain(report)):
                await self.notices.tell(arrival.place, letter, f"doctor:{arrival.ref}:{number}")
        except StoreError as error:
            logger.warning("the doctor's report could not be told: %s", error)
