"""Seed rule `stuck`: a window of 15 calls that reads and reads (T1), is stale (T2) or changes nothing (T3) (SPEC 2.2,
column "seed rule"). No quiet after it has spoken: it speaks as long as the window says so.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field

from agent.guards.seed._iteration import Iterations
from agent.guards.seed._kinds import is_idle, mutates, reads
from agent.guards.seed._voices import STUCK
from agent.ports import Nudge
from agent.steps import Ended, Level, Step

WINDOW = 15
READS, MUTATIONS = 9, 2  # T1: at least, at most
STALE = 0.5  # T2: of a full window
UNCHANGED = 12  # T3: calls
WAYS = (
    "Take one of four ways now. PRODUCE: write the result from what you have. WEB SEARCH: look outside. DEBATE: weigh "
    "two proposals. DECLARE BLOCKED: say what is missing."
)


@dataclass(frozen=True, slots=True)
class _Kind:
    reads: bool
    mutates: bool
    stale: bool


@dataclass(slots=True)
class Stuck:
    """The last 15 calls only read, are stale, or change nothing."""

    name: str = "stuck"
    strict: bool = False
    _iterations: Iterations = field(default_factory=Iterations, repr=False)
    _window: deque[_Kind] = field(default_factory=lambda: deque(maxlen=WINDOW), repr=False)
    _known: set[tuple[str, str, str]] = field(default_factory=set, repr=False)  # what came back in this run

    def observe(self, step: Step) -> Nudge | None:
        if isinstance(step, Ended):
            self._window.clear()
            self._known.clear()
        ended = self._iterations.ended(step)
        for done in ended:
            identity = done.identity
            self._window.append(_Kind(reads(done), mutates(done), is_idle(done) or identity in self._known))
            self._known.add(identity)
        found = _triggers(self._window) if ended else {}
        if not found:
            return None
        text = f"CRITICAL: {next(iter(found.values()))}. {WAYS}"
        return Nudge(Level.NOTE, text, slot=STUCK, event="stuck.halt", data=json.dumps({"triggers": list(found)}))


def _triggers(window: deque[_Kind]) -> dict[str, str]:
    """The triggers that hold, in order, each with what it saw."""
    looked, changed, stale = (sum(getattr(kind, what) for kind in window) for what in ("reads", "mutates", "stale"))
    newest = list(window)[-UNCHANGED:]
    found = {}
    if looked >= READS and changed <= MUTATIONS:
        found["T1"] = f"{looked} of the last {len(window)} calls only read"
    if len(window) == WINDOW and stale >= STALE * WINDOW:
        found["T2"] = f"{stale} of the last {WINDOW} calls brought nothing new"
    if len(newest) == UNCHANGED and not any(kind.mutates for kind in newest):
        found["T3"] = f"the last {UNCHANGED} calls or more changed nothing"
    return found


guard = Stuck
