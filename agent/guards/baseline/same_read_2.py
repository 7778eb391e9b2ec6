"""Baseline: the same reading call that gives the same result a second time is warned about.

Source: Hermes Agent (repository NousResearch/hermes-agent), agent/tool_guardrails.py, idempotent calls without
progress: a warning from 2 equal results of one call on, within a turn, whatever was changed in between; a failure ends
the count.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.guards.baseline._calls import Calls, Key, note
from agent.ports import Nudge
from agent.steps import Asked, Step


@dataclass(slots=True)
class SameRead2:
    """`at` is the number of equal results of one reading call."""

    at: int = 2
    name: str = "same_read_2"
    strict: bool = False
    _calls: Calls = field(default_factory=Calls, repr=False)
    _results: dict[Key, tuple[str, int]] = field(default_factory=dict, repr=False)

    def observe(self, step: Step) -> Nudge | None:
        if isinstance(step, Asked):
            self._results.clear()
        if (done := self._calls.finished(step)) is None or not done.reads:
            return None
        if done.failed:
            self._results.pop(done.asked, None)
            return None
        result, count = self._results.get(done.asked, ("", 0))
        count = count + 1 if result == done.result else 1
        self._results[done.asked] = (done.result, count)
        return note(self.name, f"{done.asked[0]} gave the same result {count} times.") if count >= self.at else None


guard = SameRead2
