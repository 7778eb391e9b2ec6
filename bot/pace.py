"""How fast a channel may be written to: sliding windows by chat, by group and over all. Pure: time is given.

Rates are Telegram's published ones (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this):
one message a second a chat with short bursts, 20 a minute a group, 30 a second in all. The burst is counted the
strict way, three in any three seconds: a refilling bucket would let a fourth through after one.

Calls are booked ahead, so that they go out in turn; over all, those that are really made are counted as well. Twenty
chats that are answered at once don't wait.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from bot.underway import Underway

SOON = 1e-6  # seconds; below this a wait is rounding, not a wait
SLACK = 0.05  # seconds added to each window: calls reach the service unevenly
FEW = 2  # calls to a chat in a window of its own, what could be left out included
FORGET_AT = 1000  # chats; above this, those that limit nobody are dropped


@dataclass(slots=True)
class Window:
    """At most `most` calls in any `span` seconds; moments are booked in order."""

    most: int
    span: float
    calls: deque[float] = field(default_factory=deque)

    def next(self, now: float, keep: int = 0) -> float:
        """The first moment, not before `now`, at which one more call fits and leaves room for `keep` others."""
        if not self.calls:
            return now
        over = len(self.calls) - (self.most - keep)
        free = self.calls[over] + self.span + SLACK if over >= 0 else now
        return max(now, self.calls[-1], free)

    def book(self, at: float) -> None:
        if len(self.calls) == self.most:
            self.calls.popleft()
        self.calls.append(at)

    def move(self, to: float) -> None:
        """The newest call counts from then on."""
        if self.calls and self.calls[-1] < to:
            self.calls[-1] = to

    def limits(self, now: float) -> bool:
        """Whether any call still counts."""
        return bool(self.calls) and self.calls[-1] + self.span + SLACK > now


class Pace:
    """When the next message or edit may go. Moments are monotonic seconds; chats are ids, negative ones are groups.

    A message asks `delay` and sleeps it off, then `take`s its turn and sleeps for what that says, then asks `make`
    right before the call, and says `done` once it is back. An edit asks `spare` first, which is 0 only while no message
    of any chat has a turn booked, and what could as well be left out `idle`.
    """

    def __init__(
        self, burst: int = 3, burst_s: float = 3.0, group_minute: int = 20, spread: int = 30, spread_s: float = 1.0
    ) -> None:
        """`spread` calls in `spread_s` over all chats."""
        self._burst = burst
        self._burst_s = burst_s
        self._group_minute = group_minute
        self._chats: dict[str, tuple[Window, ...]] = {}
        self._all, self._made = Window(spread, spread_s), Underway(spread, spread_s + SLACK)

    def delay(self, chat: str, now: float) -> float:
        """Seconds until this chat's own limits allow one more call; 0 = now."""
        return self._own(chat, now, 0)

    def spare(self, chat: str, now: float, keep: int = 0) -> float:
        """Seconds until an edit may go: as `delay` with room left for `keep` other calls, and some of the limit over
        all chats stays free for messages."""
        return max(self._own(chat, now, keep), self._everybody(now, self._all.most // 3))

    def idle(self, chat: str, now: float) -> float:
        """Seconds until what could as well be left out may go: as `spare`, and most of the limits is free."""
        own = max((w.next(now, max(0, w.most - FEW)) for w in self._chats.get(chat, ())), default=now)
        return max(_wait(own - now), self._everybody(now, self._all.most // 2))

    def take(self, chat: str, now: float) -> float:
        """Book the next call to this chat; returns the seconds to wait before making it. First come, first served.

        Raises ValueError while `delay` is not 0.
        """
        if self.delay(chat, now):
            raise ValueError(f"chat {chat} has to wait for its own limits first")
        at = self._all.next(now)
        for window in (self._all, *self._windows(chat, now)):
            window.book(at)
        return _wait(at - now)

    def make(self, now: float) -> float:
        """A booked call is about to be made: 0 counts it as made; else so many seconds later, since others that were
        booked before are late. A loop that stood still would otherwise make all of them at once."""
        wait = _wait(self._made.wait(now))
        if not wait:
            self._made.make(now)
        return wait

    def done(self, chat: str, made: float, now: float) -> None:
        """The call that was made then is back: up to now the service may have counted it."""
        self._made.done(made, now)
        for window in self._chats.get(chat, ()):
            window.move(now)

    def _own(self, chat: str, now: float, keep: int) -> float:
        return _wait(max((w.next(now, keep) for w in self._chats.get(chat, ())), default=now) - now)

    def _everybody(self, now: float, keep: int) -> float:
        return _wait(max(self._all.next(now, keep) - now, self._made.wait(now, keep)))

    def _windows(self, chat: str, now: float) -> tuple[Window, ...]:
        if chat not in self._chats:
            if len(self._chats) >= FORGET_AT:
                self._chats = {c: ws for c, ws in self._chats.items() if any(w.limits(now) for w in ws)}
            group = (Window(self._group_minute, 60.0),) if chat.startswith("-") else ()
            self._chats[chat] = (Window(self._burst, self._burst_s), *group)
        return self._chats[chat]


def _wait(seconds: float) -> float:
    return seconds if seconds > SOON else 0.0
