"""Baseline: a cycle of two to four calls with equal results, three laps long, is warned about.

Source: Hermes Agent (repository NousResearch/hermes-agent), agent/tool_guardrails.py, identical cycles, taken there
from oh-my-pi (repository can1357/oh-my-pi): periods of 2 to 4 at the end of the history, a notice from 3 laps on,
within a turn. One call with one result throughout is no cycle (its own rule counts it).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.guards.baseline._calls import Calls, Done, note
from agent.ports import Nudge
from agent.steps import Asked, Step

LONGEST, LAPS = 4, 3


@dataclass(slots=True)
class Cycles:
    """Periods up to `longest` calls, for `laps` laps."""

    longest: int = LONGEST
    laps: int = LAPS
    name: str = "cycles_2_4"
    strict: bool = False
    _calls: Calls = field(default_factory=Calls, repr=False)
    _last: deque[Done] = field(default_factory=deque, repr=False)

    def observe(self, step: Step) -> Nudge | None:
        if isinstance(step, Asked):
            self._last.clear()
        if (done := self._calls.finished(step)) is None:
            return None
        self._last.append(done)
        if len(self._last) > self.longest * self.laps:
            self._last.popleft()
        period = _period(list(self._last), self.longest, self.laps)
        return note(self.name, f"The last {self.laps} rounds of {period} calls were the same.") if period else None


def _period(last: Sequence[Done], longest: int, laps: int) -> int:
    """The shortest period above 1 in which the end of the history repeats; 0 if there is none."""
    for period in range(2, longest + 1):
        tail = last[-period * laps :]
        if len(tail) < period * laps or all(each == tail[0] for each in tail):
            continue
        if all(tail[i] == tail[i + period] for i in range(len(tail) - period)):
            return period
    return 0


guard = Cycles
