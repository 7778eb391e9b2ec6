"""Who is turned away: counted, a flood of them in a few lines of the log. A button that they press spins no longer."""

from __future__ import annotations

import logging
from collections import Counter

from agent import Clock
from bot.channel import Arrival

logger = logging.getLogger(__name__)

BURST = 30  # presses answered at once
EACH_S = 2.0  # ... and one more after so long


class Strangers:
    """`counts` are by kind of update."""

    def __init__(self, clock: Clock) -> None:
        self.counts: Counter[str] = Counter()
        self._clock = clock
        self._left, self._at = float(BURST), clock.monotonic()

    def turn_away(self, arrival: Arrival) -> None:
        """Count one."""
        self.counts[arrival.kind] += 1
        total = self.counts.total()
        if total & (total - 1) == 0:  # 1, 2, 4, 8 ...: a flood leaves a few lines
            logger.info("strangers turned away: %d", total)

    def may_be_answered(self, arrival: Arrival) -> bool:
        """Whether this is a person's press, and not one too many."""
        if arrival.kind != "press" or arrival.private or arrival.bot_sender or arrival.sender is None:
            return False
        now = self._clock.monotonic()
        self._left = min(float(BURST), self._left + (now - self._at) / EACH_S)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
