"""Baseline: two actions that alternate for six steps, with equal observations, end the run.

Source: OpenHands (repository All-Hands-AI/OpenHands), openhands/controller/stuck.py and its page "Stuck Detector":
the scenario A-B-A-B-A-B, counted since the newest message of the user. Six equal steps satisfy it as well, as there.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from agent.guards.baseline._calls import Calls, Done, note
from agent.ports import Nudge
from agent.steps import Asked, Level, Step

STEPS = 6


@dataclass(slots=True)
class Alternating:
    """It has no figure to set: the pattern is the rule."""

    name: str = "alternating"
    strict: bool = False
    _calls: Calls = field(default_factory=Calls, repr=False)
    _last: deque[Done] = field(default_factory=lambda: deque(maxlen=STEPS), repr=False)

    def observe(self, step: Step) -> Nudge | None:
        if isinstance(step, Asked):
            self._last.clear()
        if (done := self._calls.finished(step)) is None:
            return None
        self._last.append(done)
        last = list(self._last)
        if len(last) < STEPS or any(last[i] != last[i + 2] for i in range(STEPS - 2)):
            return None
        return note(self.name, "Two actions alternate with equal observations.", Level.STOP)


guard = Alternating
