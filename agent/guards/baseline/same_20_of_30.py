"""Baseline: 20 of the last 30 calls are one call with one result, and the next is not run.

Source: OpenClaw (repository openclaw/openclaw), src/agents/tool-loop-detection.ts and its page "Tool-loop detection":
history of 30, critical threshold of 20 equal calls with an equal outcome.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from agent.guards.baseline._calls import Calls, Done, note
from agent.ports import Nudge
from agent.steps import Asked, Level, Step


@dataclass(slots=True)
class Same20Of30:
    """`at` of the last `window` calls."""

    at: int = 20
    window: int = 30
    name: str = "same_20_of_30"
    strict: bool = False
    _calls: Calls = field(default_factory=Calls, repr=False)
    _last: deque[Done] = field(default_factory=deque, repr=False)

    def observe(self, step: Step) -> Nudge | None:
        if isinstance(step, Asked):
            self._last.clear()
        if (done := self._calls.finished(step)) is None:
            return None
        self._last.append(done)
        if len(self._last) > self.window:
            self._last.popleft()
        same = self._last.count(done)
        if same < self.at:
            return None
        return note(self.name, f"The same call gave the same {same} times of the last {len(self._last)}.", Level.HOLD)


guard = Same20Of30
