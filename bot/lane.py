"""The way to one chat: when the next call may go, and what waits for it. Messages first, cards in the gaps."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from agent import Clock, Outgoing
from bot.channel import Letter, Place
from bot.pace import Pace

EDIT_S = 1.5  # seconds between two edits in a private chat
DRAFT_S = 1.5  # ... and between two views of what is being written
MEANT_S = 10.0  # seconds that messages wait at most after a preview was one call too many
CARD_S = 0.25  # how often a preview looks whether a card still waits, and the other way round
GROUP_EDIT_S = 4.0  # ... and in a group, where 20 calls a minute are all there is
FIRST_RETRY_S = 0.5
LAST_RETRY_S = 30.0


@dataclass(slots=True)
class Backoff:
    """Waits that double, with jitter so that chats don't come back all at once."""

    next: float = FIRST_RETRY_S

    def step(self) -> float:
        """Seconds to wait now."""
        wait, self.next = self.next, min(LAST_RETRY_S, self.next * 2)
        return wait * random.uniform(0.75, 1.0)


@dataclass(slots=True)
class LiveCard:
    """A message that is edited in place. `stale`: what is on the screen is older than `letter`."""

    place: Place
    key: str
    letter: Letter
    final: bool = False
    stale: bool = True
    shown: Letter | None = None
    message_id: int | None = None
    stored: bool = False
    backoff: Backoff = field(default_factory=Backoff)
    live: bool = False  # its first state was not its last one
    tried: bool = False
    renewed: bool = False  # its message was gone and it got another one, which happens once
    lost: bool = False  # there is no message of it that could be edited: give up

    @property
    def late(self) -> bool:
        """Whether what it would have told was over before there was a gap for it, and there is nothing to press."""
        return self.live and self.final and not (self.tried or self.message_id or self.letter.buttons)

    @property
    def passing(self) -> bool:
        """Whether it is progress, which gives way to words and leaves room for the answer behind it."""
        return self.message_id is not None and not self.final and self.letter.silent


@dataclass(eq=False, slots=True)
class Preview:
    """A text that is still being written. `compose` gives it as it is now, None if there is nothing to show yet; what
    stands on the screen is `shown`; `lost`: showing it has failed, and isn't tried again."""

    place: Place
    draft_id: int
    compose: Callable[[], Letter | None]
    shown: Letter | None = None
    lost: bool = False


@dataclass(slots=True)
class Lane:
    """One chat's queue. `parked`: the chat can't be written to until somebody writes from there."""

    chat: str
    clock: Clock
    pace: Pace
    rows: deque[Outgoing] = field(default_factory=deque)
    cards: dict[str, LiveCard] = field(default_factory=dict)
    previews: list[Preview] = field(default_factory=list)  # those that wait to be shown
    parked: bool = False
    quiet: asyncio.Event = field(default_factory=asyncio.Event)  # no message waits
    sending: asyncio.Task[None] | None = None
    showing: asyncio.Task[None] | None = None
    drawing: asyncio.Task[None] | None = None
    drawn: asyncio.Event = field(default_factory=asyncio.Event)  # no preview is on its way
    _flooded_until: float = 0.0  # monotonic
    _edited_at: float = float("-inf")
    _drawn_at: float = float("-inf")

    def __post_init__(self) -> None:
        self.quiet.set()
        self.drawn.set()

    def flood(self, seconds: float) -> None:
        """The service wants no call to this chat for so long."""
        self._flooded_until = max(self._flooded_until, self.clock.monotonic() + seconds)

    def flood_previews(self, seconds: float) -> None:
        """The service wants no preview for so long. Whether it means messages, too, is found out after a short while:
        what could as well be left out is not to hold up an answer for hours."""
        self.flood(min(seconds, MEANT_S))
        self._drawn_at = self.clock.monotonic() + seconds - DRAFT_S

    @property
    def flooded(self) -> float:
        """Seconds until this chat may be called again; 0 = now."""
        return max(0.0, self._flooded_until - self.clock.monotonic())

    async def turn(self) -> float:
        """Wait until a message may go, and count it until `done`. Returns the moment, for that.

        A preview that is on its way goes first: it must not arrive after the message that it is a preview of.
        """
        while True:
            await self.drawn.wait()
            if wait := max(self.flooded, self.pace.delay(self.chat, self.clock.monotonic())):
                await self.clock.sleep(wait)
                continue
            if wait := self.pace.take(self.chat, self.clock.monotonic()):
                await self.clock.sleep(wait)
            while wait := self.pace.make(made := self.clock.monotonic()):
                await self.clock.sleep(wait)
            if not self.flooded:
                return made
            self.done(made)

    async def gap(self, card: LiveCard) -> float | None:
        """Wait until the card may be shown, or edited, without taking a message's turn, and count it as `turn` does.
        None, and nothing is counted, once it is too late for it."""
        edit = card.message_id is not None
        while not card.late:
            await self.quiet.wait()
            now = self.clock.monotonic()
            pause = (GROUP_EDIT_S if self.chat.startswith("-") else EDIT_S) if edit else 0.0
            yields = card.passing and self._words_turn
            wait = max(self.flooded, self._edited_at + (2 * pause if yields else pause) - now)
            wait = max(wait, self.pace.spare(self.chat, now, keep=int(card.passing)))
            if wait <= 0 and not card.late:
                self._edited_at = now
                return self._count(now)
            await self.clock.sleep(min(wait, CARD_S) if yields else wait)
        return None

    async def lull(self) -> bool:
        """Wait until a preview may be shown: nothing else waits for this chat, and room is left for what comes. False
        once none waits any more."""
        while self.previews and not self.parked:
            await self.quiet.wait()
            now = self.clock.monotonic()
            card = CARD_S if any(self._precedes(card) for card in self.cards.values()) else 0.0
            wait = max(self.flooded, self._drawn_at + DRAFT_S - now, self.pace.idle(self.chat, now), card)
            if wait <= 0:
                return bool(self.previews)
            await self.clock.sleep(wait)
        return False

    @property
    def _words_turn(self) -> bool:
        """Whether a preview waits, and the newest call was for a card: in a run that talks and works each has its turn,
        for both together would have more calls than a chat is allowed."""
        return bool(self.previews) and self._drawn_at < self._edited_at

    def _precedes(self, card: LiveCard) -> bool:
        """Whether it goes before what is still being written."""
        return card.stale and not (card.passing and self._words_turn)

    def count_draft(self) -> float:
        """A preview is about to be shown. Returns the moment, for `done`."""
        self._drawn_at = self.clock.monotonic()
        return self._count(self._drawn_at)

    def done(self, made: float) -> None:
        """The call that was counted at this moment is over, whatever came of it."""
        self.pace.done(self.chat, made, self.clock.monotonic())

    def _count(self, now: float) -> float:
        self.pace.take(self.chat, now)
        self.pace.make(now)
        return now
