"""Baseline: the same call five times in a row ends the run.

Source: Gemini CLI (repository google-gemini/gemini-cli), packages/core/src/services/loopDetectionService.ts, tool-call
threshold of 5: equal name and equal arguments, whatever came back; the turn is ended.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.guards.baseline._calls import note
from agent.guards.baseline._repeat import InARow
from agent.ports import Nudge
from agent.steps import Asked, Level, Proposed, Step


@dataclass(slots=True)
class Repeat5:
    """`at` is how many equal calls in a row it takes."""

    at: int = 5
    name: str = "repeat_5"
    strict: bool = False
    _row: InARow = field(default_factory=InARow, repr=False)

    def observe(self, step: Step) -> Nudge | None:
        match step:
            case Asked():
                self._row = InARow()
            case Proposed(call=call) if self._row.add((call.name, call.arguments)) >= self.at:
                return note(self.name, f"The call {call.name} comes {self._row.count} times in a row.", Level.STOP)
            case _:
                pass
        return None


guard = Repeat5
