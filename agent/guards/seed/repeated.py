"""Seed rule `repeated`: the first stderr line of failed calls, counted over the run and never reset; from the third on
it is quoted at the end of EVERY iteration, failing or not (SPEC 2.2, column "seed rule").
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.guards.seed._iteration import Iterations
from agent.guards.seed._voices import ITERATION, REPEATED, quoted
from agent.ports import Nudge
from agent.steps import Ended, Level, Step

QUOTED = 200  # characters


@dataclass(slots=True)
class Repeated:
    """The same first line of stderr, `at` times in the run."""

    at: int = 3
    name: str = "repeated"
    strict: bool = False
    _iterations: Iterations = field(default_factory=Iterations, repr=False)
    _counts: dict[str, int] = field(default_factory=dict, repr=False)
    _worst: str = field(default="", repr=False)  # the most frequent, the newest of equals

    def observe(self, step: Step) -> Nudge | None:
        if isinstance(step, Ended):
            self._counts, self._worst = {}, ""
        ended = self._iterations.ended(step)
        for error in [done.error for done in ended]:
            self._count(error)
        count = self._counts.get(self._worst, 0)
        if not ended or count < self.at:
            return None
        text = (
            f"The same error has come {count} times in this run: your diagnosis is wrong. Step back: what does it say "
            f"about the state of the system? {quoted(self._worst, QUOTED)}"
        )
        return Nudge(Level.NOTE, text, slot=ITERATION, rank=REPEATED, event="nudge.repeated")

    def _count(self, error: str) -> None:
        if error:
            count = self._counts[error] = self._counts.get(error, 0) + 1
            if count >= self._counts.get(self._worst, 0):
                self._worst = error


guard = Repeated
