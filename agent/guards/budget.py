"""Budget: how many model turns a leg has left, told over the last few."""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.ports import Nudge
from agent.steps import Asked, Ended, Handed, Level, Said, Step

TOLD_OVER = 5


@dataclass(slots=True)
class Budget:
    """`turns` is the number of model replies in a leg."""

    turns: int = 20
    name: str = "budget"
    strict: bool = False
    _used: int = field(default=0, repr=False)
    _running: bool = field(default=False, repr=False)

    def observe(self, step: Step) -> Nudge | None:
        match step:
            case Asked() if not self._running:
                self._running, self._used = True, 0
            case Ended():
                self._running = False
            case Handed(cause="turns"):
                self._used = 0
            case Said(calls=calls):
                self._used += 1
                if calls and 0 < (left := self.turns - self._used) <= min(TOLD_OVER, self.turns - 1):
                    return Nudge(Level.NOTE, _told(left), slot="turn", event="budget.notice")
            case _:
                pass
        return None


def _told(left: int) -> str:
    if left == 1:
        return "This is your last turn: answer now, without a tool call. Say what is done and what isn't."
    return f"{left} turns are left, this one included. Finish what matters most, then answer."


guard = Budget
