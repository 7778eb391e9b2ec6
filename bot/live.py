"""Cards that are edited in place: the newest state wins, progress gives way to messages, the final state is shown."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from agent import Outgoing, Store, StoreError
from bot.channel import Ambiguous, Channel, Flooded, Letter, Passing, Place, Refused, SendFailed, Unreachable
from bot.envelope import encode
from bot.lane import Lane, LiveCard

logger = logging.getLogger(__name__)

SESSION = "cards"  # whose rows these are in the outbox; it has no journal
Unreached = Callable[[Lane, Place, Unreachable], Awaitable[None]]


class LiveCards:
    """Shows the cards of all lanes, one task a lane and only while something is stale."""

    def __init__(self, store: Store, channel: Channel, unreached: Unreached) -> None:
        self._store, self._channel, self._unreached = store, channel, unreached

    def show(self, lane: Lane, place: Place, key: str, letter: Letter, final: bool) -> None:
        """Have the card `key` show this, in place of what waited to be shown."""
        card = lane.cards.setdefault(key, LiveCard(place, key, letter, live=not final))
        card.letter, card.final = letter, card.final or final
        card.stale = not card.lost and letter != card.shown
        if not card.stale and card.final:
            lane.cards.pop(key)
        self.start(lane)

    def withdraw(self, lane: Lane, key: str) -> Letter | None:
        """The letter of a card that nothing has been done for yet, which is forgotten; else None."""
        card = lane.cards.get(key)
        return None if card is None or card.stored else lane.cards.pop(key).letter

    def start(self, lane: Lane) -> None:
        if lane.showing is None and not lane.parked and _stale(lane):
            lane.showing = asyncio.create_task(self._run(lane), name=f"cards to {lane.chat}")

    async def _run(self, lane: Lane) -> None:
        try:
            while (card := _stale(lane)) and not lane.parked:
                await self._remember(card)
                if card.lost:
                    self._settle(lane, card)
                    continue
                if (made := await lane.gap(card)) is None:
                    await self._give_up(lane, card)
                    continue
                try:
                    if not lane.parked:
                        await self._put(lane, card)
                finally:
                    lane.done(made)
        except Exception:
            logger.exception("a status card could not be shown")
        finally:
            lane.showing = None

    async def _remember(self, card: LiveCard) -> None:
        """Learn whether an earlier process has shown this card already."""
        if card.stored:
            return
        card.stored = True
        row = Outgoing(card.key, card.place.chat, encode(card.place, card.letter), role="card", state="sending")
        try:
            if not await self._store.project(SESSION, 0, [row]):
                known = await self._store.find(card.key)
                card.message_id = known.message_id if known else None
                card.lost = card.message_id is None
        except StoreError as error:
            logger.warning("a status card is shown but not remembered: %s", error)

    async def _put(self, lane: Lane, card: LiveCard) -> None:
        letter, card.stale, card.tried = card.letter, False, True
        try:
            if card.message_id is not None:
                await self._channel.edit(card.place, card.message_id, letter)
            else:
                card.message_id = await self._channel.send(card.place, letter)
                await self._mark(card)
        except SendFailed as failure:
            await self._failed(lane, card, failure)
        else:
            card.shown, card.stale = letter, card.letter != letter
            self._settle(lane, card)

    async def _failed(self, lane: Lane, card: LiveCard, failure: SendFailed) -> None:
        """Progress that didn't get through is dropped; a final state is tried again."""
        match failure:
            case Flooded():
                lane.flood(failure.seconds)
                card.stale = True
            case Unreachable():
                card.stale = card.final
                await self._unreached(lane, card.place, failure)
            case Ambiguous() if card.message_id is None:  # it may be there, and we'll never know its number
                return await self._give_up(lane, card)
            case Passing() | Ambiguous():
                if card.final:
                    await lane.clock.sleep(card.backoff.step())
                card.stale = card.stale or card.final
            case Refused() if card.message_id is not None and not card.renewed:  # deleted, or its group has moved
                card.message_id, card.renewed, card.stale = None, True, True
            case Refused() | _:
                logger.debug("a status card is given up: %s", failure)
                return await self._give_up(lane, card)
        return self._settle(lane, card)

    async def _give_up(self, lane: Lane, card: LiveCard) -> None:
        card.lost = True
        await self._mark(card)
        self._settle(lane, card)

    def _settle(self, lane: Lane, card: LiveCard) -> None:
        card.stale = card.stale and not card.lost
        if card.final and not card.stale:
            lane.cards.pop(card.key, None)

    async def _mark(self, card: LiveCard) -> None:
        try:
            await self._store.mark(card.key, "sent", card.message_id)
        except StoreError as error:
            logger.warning("a status card is shown but not remembered: %s", error)


def _stale(lane: Lane) -> LiveCard | None:
    """The card to show next: final ones first."""
    stale = [card for card in lane.cards.values() if card.stale]
    return next((card for card in stale if card.final), stale[0] if stale else None)
