"""Signs of life: small calls that show that somebody is at it. One a chat, at once or hardly later, or not at all."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from agent import Clock
from bot.channel import Place

AT_ONCE = 16  # they share the connections with what matters
RECEIPTS = 4  # of those; who gets one has seen a sign before
TYPING_S = 3.0  # seconds after which "typing" is no sign any more: the answer itself is
RECEIPT_S = 10.0  # ... and a receipt
SHOWN_S = 4.0  # "typing" stands for five: https://core.telegram.org/bots/api#sendchataction
FEW = 8  # signs that get through beside everything else
RUSH_S = 0.5  # real seconds that a rush of them may take
FORGET_AT = 1000  # places

Call = Callable[[], Awaitable[object]]
Make = Callable[[Call], Awaitable[float | None]]


@dataclass(frozen=True, slots=True)
class _Sign:
    call: Call
    until: float  # monotonic; later it isn't worth making


class Signs:
    """Makes them in the background, some at a time; "typing" goes before receipts.

    `make` makes a call, whatever comes of it, and returns for how many seconds the service wants no more of them.
    """

    def __init__(self, clock: Clock, make: Make) -> None:
        self._clock, self._make = clock, make
        self._typing: dict[Place, _Sign] = {}
        self._receipts: deque[tuple[Place, _Sign]] = deque()
        self._receipting = 0
        self._shown: dict[Place, float] = {}  # where "typing" stands, until when
        self._silent_until = float("-inf")
        self._tasks: set[asyncio.Task[None]] = set()

    def typing(self, place: Place, call: Call) -> None:
        """Show it there, unless it stands there."""
        now = self._clock.monotonic()
        if self._shown.get(place, now) <= now:
            self._typing.setdefault(place, _Sign(call, now + TYPING_S))
            self._start()

    def receipt(self, place: Place, call: Call) -> None:
        """Show that a message was seen. Where many wait, a chat's newest stands for those before it."""
        if len(self._receipts) >= FEW:
            self._receipts = deque(each for each in self._receipts if each[0] != place)
        self._receipts.append((place, _Sign(call, self._clock.monotonic() + RECEIPT_S)))
        self._start()

    def overtaken(self, place: Place) -> None:
        """A message goes there, with which "typing" ends; none is to come after it."""
        self._typing.pop(place, None)
        self._shown.pop(place, None)

    async def made(self) -> None:
        """Where many wait: until they are made. What they are signs of would keep the loop from making them."""
        await asyncio.sleep(0)  # those that were asked for by tasks of their own are known then
        if self._tasks and len(self._typing) > FEW:
            await asyncio.wait(set(self._tasks), timeout=RUSH_S)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self) -> None:
        if len(self._tasks) < AT_ONCE:
            task = asyncio.create_task(self._work())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _work(self) -> None:
        while call := self._next_typing():
            await self._call(call)
        if self._receipting < RECEIPTS:
            self._receipting += 1
            try:
                while call := self._next_typing() or self._next_receipt():
                    await self._call(call)
            finally:
                self._receipting -= 1

    async def _call(self, call: Call) -> None:
        if seconds := await self._make(call):
            self._silent_until = self._clock.monotonic() + seconds

    def _next_typing(self) -> Call | None:
        """The next call that is worth making."""
        now = self._clock.monotonic()
        if now < self._silent_until:
            self._typing.clear()
            self._receipts.clear()
        while self._typing:
            place = next(iter(self._typing))
            if now < (sign := self._typing.pop(place)).until:
                self._note(place, now)
                return sign.call
        return None

    def _next_receipt(self) -> Call | None:
        while self._receipts:
            _, sign = self._receipts.popleft()
            if self._clock.monotonic() < sign.until:
                return sign.call
        return None

    def _note(self, place: Place, now: float) -> None:
        if len(self._shown) >= FORGET_AT:
            self._shown = {each: until for each, until in self._shown.items() if until > now}
        self._shown[place] = now + SHOWN_S
