"""Zero progress across a user's messages: what failed again in message after message with nothing new in between. Pure.

New is what `Progress` counts (SPEC 2.3). A message that is answered without a failure counts for nothing: questions may
be asked, and files be read again, as often as anybody likes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from agent.causes import because, dump, english
from agent.entries import Approach
from agent.why import Why

BEFORE = 2  # earlier messages in which the same error came, with nothing new since
TIMES = 2  # failures with it in this message: the first may be to see it with one's own eyes
KEPT = 50  # signatures
NAMED = 5  # commands that are named


@dataclass(frozen=True, slots=True)
class Stuck:
    """`told` is what a person reads, `causes` the same as JSON text. `at_once`: there is no point in another reply."""

    told: str
    at_once: bool
    causes: str = ""


@dataclass(slots=True)
class Barren:
    """`begun` with each message that starts a run, `failed` with each error to be dealt with, `overcome` when one is
    closed, `renewed` with anything new."""

    message: int = 0
    replies: int = 0  # that failed since something was new
    counted: int = -1  # the reply that was counted last
    failures: dict[str, tuple[int, int, int]] = field(default_factory=dict)  # first and newest message, their number
    here: dict[str, int] = field(default_factory=dict)  # failures in this message, the newest last

    def begun(self) -> None:
        self.message += 1
        self.here.clear()

    def failed(self, signature: str, reply: int) -> None:
        """`reply` is its number in the session: several calls of one reply are one try."""
        first, newest, messages = self.failures.pop(signature, (self.message, -1, 0))
        self.failures[signature] = (first, self.message, messages + (newest != self.message))
        self.here[signature] = self.here.pop(signature, 0) + 1
        self.replies += reply != self.counted
        self.counted = reply
        if len(self.failures) > KEPT:
            del self.failures[next(iter(self.failures))]

    def overcome(self, signature: str) -> None:
        self.failures.pop(signature, None)
        self.here.pop(signature, None)

    def renewed(self) -> None:
        self.failures.clear()
        self.here.clear()
        self.replies = 0

    def stuck(self, leg: int, approaches: Iterable[Approach]) -> Stuck | None:
        """Whether one error came in more than BEFORE messages, or as many replies failed as a leg has, the first of
        them in an earlier message."""
        known = {approach.signature: approach for approach in approaches}
        for signature in reversed(self.here):
            messages = self.failures.get(signature, (0, 0, 0))[2]
            if messages > BEFORE:
                at_once = self.here[signature] >= TIMES or self.replies >= leg
                return _stuck((Why.SAME_ERROR, Why.SAME_ERROR_AS), (messages,), known.get(signature), at_once)
        first = min((each[0] for each in self.failures.values()), default=self.message)
        if self.here and self.replies >= leg and first < self.message:
            newest, counts = known.get(next(reversed(self.here))), (self.replies, self.message - first + 1)
            return _stuck((Why.NO_PROGRESS, Why.NO_PROGRESS_SINCE), counts, newest, at_once=True)
        return None


def _stuck(whys: tuple[Why, Why], counts: tuple[int, ...], approach: Approach | None, at_once: bool) -> Stuck:
    """The second of `whys` names the error, where it is known."""
    causes = [because(whys[0], *counts)]
    if approach is not None:
        named = because(whys[1], *counts, approach.salient or approach.signature)
        causes = [named, because(Why.TRIED, "; ".join(approach.commands[-NAMED:]))]
    causes.append(because(Why.WHAT_CHANGED))
    return Stuck(english(*causes), at_once, dump(*causes))
