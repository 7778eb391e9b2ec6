"""How many calls the service may be counting right now, whatever the way there and a busy loop make of their moments.

It counts a call somewhere between our making it and its coming back. So no more are made than fit, with those that are
on their way and those that came back within the span, and the service can't see more than that in any one span.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

AGAIN_S = 0.05  # seconds until a look whether one has come back
LOST_S = 5.0  # seconds after which one that doesn't come back is taken for counted long ago


@dataclass(slots=True)
class Underway:
    """At most `most` calls in any `span` seconds. Moments are monotonic seconds."""

    most: int
    span: float
    begun: list[float] = field(default_factory=list)
    back: deque[float] = field(default_factory=deque)

    def wait(self, now: float, keep: int = 0) -> float:
        """Seconds until one more may be made that leaves room for `keep` others; 0 = now. To be asked again then."""
        while self.back and self.back[0] + self.span <= now:
            self.back.popleft()
        self.begun = [each for each in self.begun if each + LOST_S > now]
        over = len(self.begun) + len(self.back) - (self.most - keep)
        if over < 0:
            return 0.0
        return self.back[over] + self.span - now if over < len(self.back) else AGAIN_S

    def make(self, now: float) -> None:
        self.begun.append(now)

    def done(self, made: float, now: float) -> None:
        """The call that was made then is back."""
        if made in self.begun:
            self.begun.remove(made)
            self.back.append(now)
