"""The poll loop: fetch raw updates, hand them over, and confirm them to Telegram only after they are stored.

Source: https://core.telegram.org/bots/api#getupdates: an update is confirmed, and gone for good, as soon as
getUpdates is called with an offset above its id.
"""

from __future__ import annotations

import asyncio
import logging
import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from telegram import Bot
from telegram.error import TelegramError
from telegram.warnings import PTBUserWarning

from agent import Clock, StoreError, TokenRefused
from bot.channel import Health, Intake, Received
from bot.channels._telegram_address import Me
from bot.channels._telegram_errors import words
from bot.channels._telegram_intake import batch
from bot.channels._telegram_parse import KINDS
from bot.channels._telegram_wire import ApiRefusal

log = logging.getLogger(__name__)

CONFLICTS_SHOWN = 3  # in a row; a restart of ours beside a dying poll makes one or two
HASTE_S = 0.5
REFUSED = (
    "Telegram refuses the bot token ({why}). Check the token in your settings, or get a new one from @BotFather, "
    "then start again."
)


class Backoff:
    """Waiting times in seconds: `first`, doubled up to `top`, less up to a quarter of chance."""

    def __init__(self, first: float, top: float) -> None:
        self._first = first
        self._top = top
        self.failures = 0

    def next(self) -> float:
        wait: float = min(self._top, self._first * 2 ** min(self.failures, 30))
        self.failures += 1
        return wait * random.uniform(0.75, 1.0)

    def reset(self) -> None:
        self.failures = 0


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a poll is held by the server, and how much longer we wait for it; all in seconds."""

    hold: int = 50
    grace: float = 10.0
    whole: float = 180.0  # the read time-out starts anew with each byte; this one doesn't


class Poll:
    """One loop for one bot. `health.kind` is set for as long as updates don't come in."""

    def __init__(
        self, bot: Bot, me: Me, clock: Clock, health: Health, reach: Callable[[str], None], pace: Pace | None = None
    ) -> None:
        self._bot = bot
        self._me = me
        self._clock = clock
        self._health = health
        self._reach = reach
        self._pace = pace or Pace()
        self._offset: int | None = None
        self._lost = Backoff(0.5, 30.0)  # network and server failures
        self._conflict = Backoff(1.0, 30.0)
        self._stuck = Backoff(1.0, 30.0)  # batches that move nothing forward
        self._webhook_removed = False
        # "Please use 'Bot.getUpdates'": that one parses the whole batch at once, and fails as a whole.
        warnings.filterwarnings("ignore", message=r"Please use 'Bot\.getUpdates'", category=PTBUserWarning)

    async def run(self, intake: Intake) -> NoReturn:
        """Until cancelled. Raises TokenRefused."""
        while True:
            began = self._clock.monotonic()
            try:
                elements = await self._fetch()
            except ApiRefusal as refusal:
                await self._refused(refusal)
            except Exception as error:
                await self._failed(error)
            else:
                self._well()
                if elements:
                    await self._take(elements, intake)
                elif self._clock.monotonic() - began < HASTE_S:  # a server that doesn't hold polls
                    await self._clock.sleep(HASTE_S)

    async def _fetch(self) -> object:
        # After a failure a short poll tells at once whether all is well again.
        hold = 1 if self._lost.failures else self._pace.hold
        call: dict[str, object] = {"timeout": hold, "allowed_updates": list(KINDS)}
        if self._offset is not None:
            call["offset"] = self._offset
        async with asyncio.timeout(self._pace.whole):
            return await self._bot.do_api_request("getUpdates", api_kwargs=call, read_timeout=hold + self._pace.grace)

    async def _take(self, elements: object, intake: Intake) -> None:
        received = batch(elements, self._me, self._clock.now())
        if not received:
            log.warning("Telegram sent updates without a usable update_id; they can't be confirmed")
            await self._clock.sleep(self._stuck.next())
            return
        self._reach("K0")
        await self._store(received, intake)
        self._reach("K1")
        self._offset = max(one.row.update_id for one in received) + 1
        self._stuck.reset()

    async def _store(self, received: list[Received], intake: Intake) -> None:
        """Nothing is confirmed before this returns, however long the store is away."""
        wait = Backoff(0.5, 5.0)
        while True:
            try:
                await intake(received)
            except Exception as error:
                if not wait.failures:
                    unforeseen = None if isinstance(error, StoreError) else error
                    log.error("Updates can't be stored; trying again, none is confirmed", exc_info=unforeseen)
                    self._trouble("unstored", type(error).__name__)
                await self._clock.sleep(wait.next())
            else:
                if wait.failures:
                    log.info("Updates can be stored again")
                    self._trouble("")
                return

    async def _refused(self, refusal: ApiRefusal) -> None:
        match refusal.code:
            case 401 | 404 if refusal.api:
                raise TokenRefused(REFUSED.format(why=refusal.description))
            case 409 if "webhook" in refusal.description.lower() and not self._webhook_removed:
                await self._remove_webhook()
            case 409:
                await self._conflicted()
            case _ if refusal.retry_after is not None:
                await self._clock.sleep(refusal.retry_after)
            case _:
                await self._failed(refusal)

    async def _remove_webhook(self) -> None:
        log.warning("A webhook is set for this bot, which excludes polling: removing it; pending updates are kept")
        try:
            await self._bot.delete_webhook(drop_pending_updates=False)
            self._webhook_removed = True
        except TelegramError as error:
            await self._failed(error)

    async def _conflicted(self) -> None:
        wait = self._conflict.next()
        if self._conflict.failures == CONFLICTS_SHOWN:
            self._trouble("conflict")
            log.warning("%s", self._health.problem)
        await self._clock.sleep(wait)

    async def _failed(self, error: Exception) -> None:
        wait = self._lost.next()
        if self._lost.failures == 1:
            log.warning("Polling Telegram failed: %s; trying again, at most every 30 s", words(error))
        if self._lost.failures == 2:
            self._trouble("unreachable", words(error))
        await self._clock.sleep(wait)

    def _well(self) -> None:
        if failures := self._lost.failures + self._conflict.failures:
            log.info("Polling Telegram works again after %d failures", failures)
        self._lost.reset()
        self._conflict.reset()
        self._trouble("")

    def _trouble(self, kind: str, detail: str = "") -> None:
        if (kind, detail) != (self._health.kind, self._health.detail):
            self._health.told(kind, detail)
            self._health.since = self._clock.now()
