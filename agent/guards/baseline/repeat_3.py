"""Baseline: the same call three times in a row asks a human.

Source: opencode (repository sst/opencode), packages/opencode/src/session/processor.ts, "doom loop" threshold of 3:
equal tool and equal input, judged before the third one runs, whatever came back.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.guards.baseline._calls import note
from agent.guards.baseline._repeat import InARow
from agent.ports import Nudge
from agent.steps import Asked, Level, Proposed, Step


@dataclass(slots=True)
class Repeat3:
    """`at` is how many equal calls in a row it takes."""

    at: int = 3
    name: str = "repeat_3"
    strict: bool = False
    _row: InARow = field(default_factory=InARow, repr=False)

    def observe(self, step: Step) -> Nudge | None:
        match step:
            case Asked():
                self._row = InARow()
            case Proposed(call=call) if self._row.add((call.name, call.arguments)) >= self.at:
                return note(self.name, f"The call {call.name} comes {self._row.count} times in a row.", Level.ASK)
            case _:
                pass
        return None


guard = Repeat3
