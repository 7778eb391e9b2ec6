"""Seed rule `streak`: failed calls in a row, reset by any success and after firing (SPEC 2.2, column "seed rule")."""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.guards.seed._iteration import Iterations
from agent.guards.seed._voices import STREAK
from agent.ports import Nudge
from agent.steps import Ended, Level, Step


@dataclass(slots=True)
class Streak:
    """`at` failed calls in a row."""

    at: int = 3
    name: str = "streak"
    strict: bool = False
    _iterations: Iterations = field(default_factory=Iterations, repr=False)
    _row: int = field(default=0, repr=False)

    def observe(self, step: Step) -> Nudge | None:
        if isinstance(step, Ended):
            self._row = 0
        fired = False
        for done in self._iterations.ended(step):
            if done.succeeded:
                self._row = 0
            elif done.failed:
                self._row += 1
            if self._row >= self.at:
                fired, self._row = True, 0
        if not fired:
            return None
        text = f"{self.at} calls in a row have failed. More of the same won't help: change the approach."
        return Nudge(Level.NOTE, text, slot=STREAK, event="nudge.streak")


guard = Streak
