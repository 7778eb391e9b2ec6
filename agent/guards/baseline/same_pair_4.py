"""Baseline: four equal actions with four equal observations end the run.

Source: OpenHands (repository All-Hands-AI/OpenHands), openhands/controller/stuck.py and its page "Stuck Detector":
the first scenario, counted since the newest message of the user.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.guards.baseline._calls import Calls, Done, note
from agent.ports import Nudge
from agent.steps import Asked, Level, Step


@dataclass(slots=True)
class SamePair4:
    """`at` equal pairs in a row."""

    at: int = 4
    name: str = "same_pair_4"
    strict: bool = False
    _calls: Calls = field(default_factory=Calls, repr=False)
    _last: Done | None = field(default=None, repr=False)
    _count: int = field(default=0, repr=False)

    def observe(self, step: Step) -> Nudge | None:
        if isinstance(step, Asked):
            self._last, self._count = None, 0
        if (done := self._calls.finished(step)) is None:
            return None
        self._count = self._count + 1 if done == self._last else 1
        self._last = done
        if self._count < self.at:
            return None
        return note(self.name, f"{self._count} equal actions gave equal observations.", Level.STOP)


guard = SamePair4
