"""Baseline: the same call that fails a second time is warned about.

Source: Hermes Agent (repository NousResearch/hermes-agent), agent/tool_guardrails.py, exact failures: a warning from 2
on, within a turn; a success of the call ends the count, and a change that succeeded in between starts it anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.guards.baseline._calls import Calls, Key, note
from agent.ports import Nudge
from agent.steps import Asked, Step


@dataclass(slots=True)
class FailingCall2:
    """`at` is the number of failures of one call."""

    at: int = 2
    name: str = "failing_call_2"
    strict: bool = False
    _calls: Calls = field(default_factory=Calls, repr=False)
    _failures: dict[Key, int] = field(default_factory=dict, repr=False)

    def observe(self, step: Step) -> Nudge | None:
        if isinstance(step, Asked):
            self._failures.clear()
        if (done := self._calls.finished(step)) is None:
            return None
        if not done.failed:
            self._failures.pop(done.asked, None)
            if not done.reads:
                self._failures.clear()
            return None
        count = self._failures[done.asked] = self._failures.get(done.asked, 0) + 1
        if count < self.at:
            return None
        return note(self.name, f"This call of {done.asked[0]} has failed {count} times unchanged.")


guard = FailingCall2
