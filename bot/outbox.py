"""The one sender of a channel: durable letters in order by chat, each chat on its own, whatever the service does."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from agent import Clock, Outgoing, Store
from bot import words
from bot.channel import Channel, Letter, Place, Unreachable
from bot.delivery import REPEATED, Delivery, Telling
from bot.envelope import decode, encode
from bot.lane import Lane, Preview
from bot.live import LiveCards
from bot.pace import Pace
from bot.previews import Previews

__all__ = ["Sender", "decode", "encode"]

logger = logging.getLogger(__name__)

OnUnreachable = Callable[[Place, str, str], Awaitable[None]]


async def _nobody(place: Place, why: str, moved_to: str) -> None:
    return None


class Sender:
    """Delivers what `store.project` returned as new, and shows status cards.

    `reach` is the failpoint hook. `on_unreachable(place, why, moved_to)` is awaited once when a chat can't be written
    to (any more): its letters stay queued until `wake`, or follow it to `moved_to`.
    """

    def __init__(
        self,
        store: Store,
        channel: Channel,
        clock: Clock,
        reach: Callable[[str], None] = lambda name: None,
        on_unreachable: OnUnreachable = _nobody,
        pace: Pace | None = None,
    ) -> None:
        self._store, self._channel, self._clock = store, channel, clock
        self._reach, self._on_unreachable = reach, on_unreachable
        self.telling: Telling = lambda place: words.speaking("")
        self._delivery = Delivery(store, channel, clock, reach, lambda place: self.telling(place))
        self._pace = pace or Pace()
        self._cards = LiveCards(store, channel, self._unreached)
        self._previews = Previews(channel)
        self._lanes: dict[str, Lane] = {}
        self._moved: dict[str, str] = {}
        self._keys: set[str] = set()  # rows in a lane
        self._done: set[str] | None = None  # rows delivered while `resume` reads

    def deliver(self, rows: Sequence[Outgoing]) -> None:
        """Queue rows that stand in the outbox; within a chat they go out in this order. Returns at once."""
        for row in rows:
            if row.key not in self._keys:
                self._keys.add(row.key)
                self._queue(row)

    def card(self, place: Place, key: str, letter: Letter, final: bool = False) -> None:
        """Show a status card, or edit it in place; `key` is its key in the outbox. Returns at once.

        The newest letter wins. A `final` one is shown after the chat's messages, however long that takes.
        """
        place = self._at(place)
        self._cards.show(self._lane(place.chat), place, key, letter, final)

    def withdraw(self, place: Place, key: str) -> Letter | None:
        """Take back a card that waits to be shown for the first time; None if there is none, or it is on its way."""
        return self._cards.withdraw(self._lane(self._at(place).chat), key)

    def previews(self, place: Place) -> bool:
        """Whether a text can be shown there while it is being written."""
        return self._previews.wanted(self._lane(self._at(place).chat))

    def preview(self, preview: Preview) -> None:
        """Show it in the gaps, or not at all; the message itself comes by `deliver`. Returns at once."""
        preview.place = self._at(preview.place)
        self._previews.show(self._lane(preview.place.chat), preview)

    def unpreview(self, preview: Preview) -> None:
        """What waits to be shown of it is dropped."""
        self._previews.drop(self._lane(preview.place.chat), preview)

    def wake(self, place: Place) -> None:
        """Something arrived from there: it can be written to again."""
        lane = self._lanes.get(self._at(place).chat)
        if lane and lane.parked:
            lane.parked = False
            self._start(lane)

    def follow(self, old: str, new: str) -> None:
        """A group got another id: what waits for the old one goes there. A second time changes nothing.

        Letters that are on their way stay in their order: they are sent to the new id, or are refused and follow then.
        """
        if old == new or self._moved.get(old) == new:
            return
        self._moved[old] = new
        lane = self._lanes.get(old)
        if lane and lane.sending is None:
            self._emptied(lane)

    def flooded(self, place: Place) -> float:
        """Seconds until anything, typing included, may be sent there; 0 = now."""
        lane = self._lanes.get(self._at(place).chat)
        return lane.flooded if lane else 0.0

    def flood(self, place: Place, seconds: float) -> None:
        """A call past the queues was refused: the service wants no call to this chat for so long."""
        self._lane(self._at(place).chat).flood(seconds)

    def passed(self, place: Place) -> None:
        """A call past the queues is made: those in them wait as if it were one of theirs."""
        chat, now = self._at(place).chat, self._clock.monotonic()
        if not self._pace.delay(chat, now):
            self._pace.take(chat, now)
            self._pace.make(now)

    def pending(self) -> int:
        """Messages that are not delivered yet, those to unreachable chats included."""
        return len(self._keys)

    async def resume(self) -> None:
        """At start, before anything is delivered and after `channel.connect`: queue what an earlier process left.

        A row that was being sent may or may not have arrived: answers and approvals are sent again, the rest is not.
        Raises StoreError.
        """
        self._done = set()
        for row in await self._store.undelivered():
            if not self._ours(row) or row.key in self._done:
                continue
            if row.role == "card" or (
                row.state == "sending" and row.role not in REPEATED and row.key not in self._keys
            ):
                await self._store.mark(row.key, "sent")
            else:
                self.deliver([row])
        self._done = None

    async def flush(self, timeout_s: float) -> bool:
        """Wait until every message and final card is out, at most `timeout_s`; returns whether they are."""
        timer = asyncio.ensure_future(self._clock.sleep(timeout_s))
        try:
            while busy := self._busy():
                await asyncio.wait({timer, *busy}, return_when=asyncio.FIRST_COMPLETED)
                if timer.done():
                    return not self._busy()
            return True
        finally:
            timer.cancel()

    async def close(self) -> None:
        """Stop sending. What is queued stays in the outbox; what is on its way is ambiguous to the next process."""
        tasks = [t for lane in self._lanes.values() for t in (lane.sending, lane.showing, lane.drawing) if t]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # -- lanes -------------------------------------------------------------------------------------------------------
    def _queue(self, row: Outgoing) -> None:
        lane = self._lane(self._moved.get(row.chat, row.chat))
        lane.rows.append(row)
        lane.quiet.clear()
        self._previews.wipe(lane)
        self._start(lane)

    def _lane(self, chat: str) -> Lane:
        if chat not in self._lanes:
            self._lanes[chat] = Lane(chat, self._clock, self._pace)
        return self._lanes[chat]

    def _start(self, lane: Lane) -> None:
        if lane.parked:
            return
        if lane.rows and lane.sending is None:
            lane.sending = asyncio.create_task(self._run(lane), name=f"letters to {lane.chat}")
        self._cards.start(lane)

    def _busy(self) -> set[asyncio.Task[None]]:
        lanes = [lane for lane in self._lanes.values() if not lane.parked]
        letters = {lane.sending for lane in lanes if lane.sending}
        return letters | {lane.showing for lane in lanes if lane.showing and any(c.final for c in lane.cards.values())}

    async def _run(self, lane: Lane) -> None:
        try:
            while lane.rows and not lane.parked:
                row = lane.rows[0]
                if unreachable := await self._bring(lane, row):
                    await self._unreached(lane, *unreachable)
                    continue
                if lane.rows and lane.rows[0] is row:  # a card may have learnt meanwhile that the chat has moved
                    lane.rows.popleft()
                self._keys.discard(row.key)
                if self._done is not None:
                    self._done.add(row.key)
                if lane.rows:
                    self._reach("K12")
        finally:
            lane.sending = None
            if not lane.rows:
                lane.quiet.set()

    async def _bring(self, lane: Lane, row: Outgoing) -> tuple[Place, Unreachable] | None:
        try:
            place, letter = decode(row.body)
        except ValueError as error:
            logger.error("message %s is not sent: %s", row.key, error)
            await self._delivery.mark(row.key, "dead")
            return None
        place = self._at(place)
        unreachable = await self._delivery.bring(lane, row, place, letter)
        return (place, unreachable) if unreachable else None

    # -- chats that went away ----------------------------------------------------------------------------------------
    async def _unreached(self, lane: Lane, place: Place, failure: Unreachable) -> None:
        """Follow the chat to its new address, or park its letters until somebody writes from there."""
        news = not lane.parked
        if failure.moved_to and failure.moved_to != lane.chat:
            self._moved[lane.chat] = failure.moved_to
            self._emptied(lane)
        else:
            lane.parked = True
        if news:
            logger.warning("chat %s can't be written to: %s", lane.chat, failure)
            try:
                await self._on_unreachable(place, str(failure), failure.moved_to)
            except Exception:
                logger.exception("nobody could be told that chat %s can't be written to", lane.chat)

    def _emptied(self, lane: Lane) -> None:
        """What waits here goes to where the chat is now."""
        rows, lane.rows = lane.rows, deque()
        lane.cards.clear()
        for row in rows:
            self._queue(row)

    def _at(self, place: Place) -> Place:
        return replace(place, chat=self._moved[place.chat]) if place.chat in self._moved else place

    def _ours(self, row: Outgoing) -> bool:
        try:
            place, _ = decode(row.body)
        except ValueError:
            return True  # said and marked dead when its turn comes
        return (place.channel, place.bot) == (self._channel.name, self._channel.bot)
