"""Injected trouble for chosen calls, and the service's flood limits."""

from __future__ import annotations

import math
import re
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.fakes.telegram.wire import ApiCall, ApiError, Json

COUNTED = re.compile(r"(?!sendChatAction)(send|edit)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What happens to the next `times` calls that match: wait `delay` s, then hang, reset, answer `status`, or go on.

    `apply` carries the call out first, so that with `reset` only the answer is lost. A `body` that is a str is sent
    as a HTML page, as gateways do.
    """

    method: str = "*"
    times: int = 1
    match: Callable[[ApiCall], bool] = lambda call: True
    delay: float = 0.0
    hang: bool = False
    reset: bool = False
    apply: bool = False
    status: int = 0
    body: Json = None


class Faults:
    def __init__(self) -> None:
        self._left: list[list[Fault]] = []

    def add(self, fault: Fault) -> None:
        self._left.append([fault] * fault.times)

    def clear(self) -> None:
        self._left.clear()

    def take(self, call: ApiCall) -> Fault | None:
        for stack in self._left:
            if stack and stack[-1].method in ("*", call.method) and stack[-1].match(call):
                return stack.pop()
        return None


@dataclass(frozen=True, slots=True)
class FloodLimits:
    """The published limits; 0 switches one off."""

    chat_per_s: float = 1
    chat_burst: int = 3
    group_per_min: int = 20
    all_per_s: int = 30


class Flood:
    """Counts messages and edits in sliding windows; off while `limits` is None."""

    def __init__(self) -> None:
        self.limits: FloodLimits | None = None
        self._sent: defaultdict[tuple[str, int], deque[float]] = defaultdict(deque)

    def check(self, call: ApiCall) -> None:
        """Raises ApiError 429 with retry_after (whole seconds)."""
        if self.limits is None or not COUNTED.match(call.method):
            return
        now = time.monotonic()
        windows = list(self._windows(self.limits, call.chat or 0))
        for key, most, seconds in windows:
            sent = self._sent[key]
            while sent and sent[0] <= now - seconds:
                sent.popleft()
            if len(sent) >= most:
                wait = max(1, math.ceil(sent[0] + seconds - now))
                raise ApiError(429, f"Too Many Requests: retry after {wait}", {"retry_after": wait})
        for key, _most, _seconds in windows:
            self._sent[key].append(now)

    def _windows(self, limits: FloodLimits, chat: int) -> Iterator[tuple[tuple[str, int], int, float]]:
        if limits.all_per_s:
            yield ("all", 0), limits.all_per_s, 1.0
        if limits.group_per_min and chat < 0:
            yield ("group", chat), limits.group_per_min, 60.0
        if limits.chat_per_s:
            yield ("chat", chat), limits.chat_burst, limits.chat_burst / limits.chat_per_s
