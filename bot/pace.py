"""How fast a channel may be written to: a token bucket a chat, sliding windows a group and in all. Pure: time is given.

Rates are Telegram's published ones (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this):
about one message a second a chat with short bursts, 20 a minute a group, 30 a second in all.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

SOON = 1e-6  # seconds; below this a wait is rounding, not a wait
FORGET_AT = 1000  # chats; above this, full buckets are dropped


@dataclass(slots=True)
class Window:
    """At most `most` calls in any `span` seconds."""

    most: int
    span: float
    calls: deque[float] = field(default_factory=deque)

    def next(self, now: float) -> float:
        """The first moment, not before `now`, at which one more call fits."""
        if not self.calls:
            return now
        after = self.calls[-1]  # booked moments never run backwards
        if len(self.calls) == self.most:
            after = max(after, self.calls[0] + self.span)
        return max(now, after)

    def book(self, at: float) -> None:
        if len(self.calls) == self.most:
            self.calls.popleft()
        self.calls.append(at)


@dataclass(slots=True)
class Bucket:
    """`burst` tokens, refilled at `rate` a second."""

    rate: float
    burst: float
    tokens: float
    at: float

    def level(self, now: float) -> float:
        return min(self.burst, self.tokens + max(0.0, now - self.at) * self.rate)

    def delay(self, now: float) -> float:
        return max(0.0, (1.0 - self.level(now)) / self.rate + max(0.0, self.at - now))

    def book(self, at: float) -> None:
        self.tokens = self.level(at) - 1.0
        self.at = max(self.at, at)


class Pace:
    """When the next message or edit may go. Moments are monotonic seconds; chats are ids, negative ones are groups.

    A message asks `delay` and sleeps it off, then `take`s its turn and sleeps for what that says. An edit asks
    `spare`, which is 0 only while no message of any chat has a turn booked.
    """

    def __init__(
        self, chat_rate: float = 1.0, chat_burst: int = 3, group_minute: int = 20, all_second: int = 30
    ) -> None:
        self._chat_rate = chat_rate
        self._chat_burst = chat_burst
        self._group_minute = group_minute
        self._buckets: dict[str, Bucket] = {}
        self._groups: dict[str, Window] = {}
        self._all = Window(all_second, 1.0)

    def delay(self, chat: str, now: float) -> float:
        """Seconds until this chat's own limits allow one more call; 0 = now."""
        wait = 0.0
        if bucket := self._buckets.get(chat):
            wait = bucket.delay(now)
        if group := self._groups.get(chat):
            wait = max(wait, group.next(now) - now)
        return wait if wait > SOON else 0.0

    def spare(self, chat: str, now: float) -> float:
        """Seconds until an edit may go: as `delay`, and the limit over all chats isn't used up by messages either."""
        wait = max(self.delay(chat, now), self._all.next(now) - now)
        return wait if wait > SOON else 0.0

    def take(self, chat: str, now: float) -> float:
        """Book the next call to this chat; returns the seconds to wait before making it. First come, first served.

        Raises ValueError while `delay` is not 0.
        """
        if self.delay(chat, now):
            raise ValueError(f"chat {chat} has to wait for its own limits first")
        at = self._all.next(now)
        self._all.book(at)
        self._bucket(chat, now).book(at)
        if chat.startswith("-"):
            self._groups.setdefault(chat, Window(self._group_minute, 60.0)).book(at)
        return at - now

    def _bucket(self, chat: str, now: float) -> Bucket:
        if chat not in self._buckets and len(self._buckets) >= FORGET_AT:
            self._forget(now)
        return self._buckets.setdefault(chat, Bucket(self._chat_rate, self._chat_burst, self._chat_burst, now))

    def _forget(self, now: float) -> None:
        """Drop what limits nobody any more."""
        self._buckets = {c: b for c, b in self._buckets.items() if b.level(now) < b.burst}
        self._groups = {c: g for c, g in self._groups.items() if g.calls[-1] + g.span > now}
