"""Seed rule `loops`: a call with identical tool, arguments and result, three times in the run (SPEC 2.2, column "seed
rule").
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.guards.seed._iteration import Iterations
from agent.guards.seed._voices import ITERATION, LOOP
from agent.ports import Nudge
from agent.steps import Ended, Level, Step


@dataclass(slots=True)
class Loops:
    """The same call with the same result, `at` times in the run."""

    at: int = 3
    name: str = "loops"
    strict: bool = False
    _iterations: Iterations = field(default_factory=Iterations, repr=False)
    _counts: dict[tuple[str, str, str], int] = field(default_factory=dict, repr=False)

    def observe(self, step: Step) -> Nudge | None:
        if isinstance(step, Ended):
            self._counts = {}
        most, tool = 0, ""
        for done in self._iterations.ended(step):
            identity = done.identity
            count = self._counts[identity] = self._counts.get(identity, 0) + 1
            if count > most:
                most, tool = count, done.call.name
        if most < self.at:
            return None
        text = (
            f"The identical call of {tool[:64]} has given the identical result {most} times: you are in a loop. Stop "
            "calling it and answer with what you know."
        )
        return Nudge(Level.NOTE, text, slot=ITERATION, rank=LOOP, event="nudge.loop")


guard = Loops
