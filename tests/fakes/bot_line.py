"""The Telegram channel on a fake API, with a clock whose sleeps take no time and an inbox that can be broken."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence

import httpx
from telegram.error import NetworkError, TimedOut

from bot.channel import Received
from bot.channels._telegram_poll import Pace
from bot.channels.telegram import TelegramChannel
from tests.fakes.bot_request import Answer, Breaks, FakeBotApi

TOKEN = "1000:SECRET-token"


class RushClock:
    """Sleeps take no time; `slept` has how long they were meant to be."""

    def __init__(self, api: FakeBotApi) -> None:
        self.slept: list[float] = []
        self._api = api

    def now(self) -> float:
        return 1_800_000_000.0 + sum(self.slept)

    def monotonic(self) -> float:
        return sum(self.slept)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._api.bell.ring()
        await asyncio.sleep(0)


class Line:
    """`broken` are exceptions that the next intakes end in; `reached` are the failpoints passed."""

    def __init__(self, pace: Pace | None = None) -> None:
        self.api = FakeBotApi()
        self.clock = RushClock(self.api)
        self.reached: list[str] = []
        self.channel = TelegramChannel(
            TOKEN, "http://fake", self.clock, reach=self.reached.append, transport=self.api.request, pace=pace
        )
        self.batches: list[list[Received]] = []
        self.broken: list[Exception] = []
        self.confirmed_early: list[int | None] = []

    async def intake(self, batch: Sequence[Received]) -> None:
        self.confirmed_early += self.offsets[-1:]
        if self.broken:
            raise self.broken.pop(0)
        self.batches.append(list(batch))
        self.api.bell.ring()

    @property
    def received(self) -> list[Received]:
        return [one for batch in self.batches for one in batch]

    @property
    def ids(self) -> list[int]:
        return [one.row.update_id for one in self.received]

    @property
    def offsets(self) -> list[int | None]:
        return [poll.get("offset") for poll in self.api.made("getUpdates")]

    def polls(self, *answers: Answer) -> None:
        self.api.on("getUpdates", *answers)

    async def got(self, count: int) -> None:
        await self.api.until(lambda: len(self.received) >= count)

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator[asyncio.Task[None]]:
        await self.channel.connect()
        task = asyncio.create_task(self.channel.listen(self.intake))
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await self.channel.close()


def over(cause: Exception) -> Breaks:
    """A network error as python-telegram-bot's httpx request raises it."""
    error = TimedOut() if isinstance(cause, httpx.TimeoutException) else NetworkError(f"httpx: {cause}")
    error.__cause__ = cause
    return Breaks(error)
