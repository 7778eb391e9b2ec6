"""Seed rule `failure`: a call of the iteration failed and stderr isn't empty (SPEC 2.2, column "seed rule")."""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.guards.seed._iteration import Iterations
from agent.guards.seed._voices import FAILURE, ITERATION
from agent.ports import Nudge
from agent.steps import Level, Step

TEXT = (
    "A call just failed and wrote to stderr. Read all of its stdout AND its stderr; of a script, bash -x often shows "
    "the cause. Don't run it again before you understand why it failed."
)


@dataclass(slots=True)
class Failure:
    """A failed call with stderr: look at both streams first."""

    name: str = "failure"
    strict: bool = False
    _iterations: Iterations = field(default_factory=Iterations, repr=False)

    def observe(self, step: Step) -> Nudge | None:
        if any(done.failed and done.stderr for done in self._iterations.ended(step)):
            return Nudge(Level.NOTE, TEXT, slot=ITERATION, rank=FAILURE, event="nudge.failure")
        return None


guard = Failure
