"""Baseline: a tool that fails a third time, whatever its arguments, is warned about.

Source: Hermes Agent (repository NousResearch/hermes-agent), agent/tool_guardrails.py, failures of one tool: a warning
from 3 on, within a turn; a success of the tool ends its count, a change that succeeded ends them all.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.guards.baseline._calls import Calls, note
from agent.ports import Nudge
from agent.steps import Asked, Step


@dataclass(slots=True)
class FailingTool3:
    """`at` is the number of failures of one tool."""

    at: int = 3
    name: str = "failing_tool_3"
    strict: bool = False
    _calls: Calls = field(default_factory=Calls, repr=False)
    _failures: dict[str, int] = field(default_factory=dict, repr=False)

    def observe(self, step: Step) -> Nudge | None:
        if isinstance(step, Asked):
            self._failures.clear()
        if (done := self._calls.finished(step)) is None:
            return None
        tool = done.asked[0]
        if not done.failed:
            self._failures.pop(tool, None)
            if not done.reads:
                self._failures.clear()
            return None
        count = self._failures[tool] = self._failures.get(tool, 0) + 1
        return note(self.name, f"{tool} has failed {count} times.") if count >= self.at else None


guard = FailingTool3
