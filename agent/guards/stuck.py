"""Stuck: many calls and nothing made of them. A critical note with the ways out there are, then reads held, then STOP.

The window is 15 calls. T1: at least 9 reads and at most 2 changes. T2: at least half of the results stale (seen before,
or answered from before). T3: no change in 12 or more. T1 wants 5 repeated results instead of 2 (with 2 to 4 the panel
alarms on 4.3 % of SUPER's successes, with 5 on 2.9), T3 wants 2. Reads are all calls that changed nothing.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import ClassVar

from agent.causes import Cause, as_data, because
from agent.guards._calls import BAD_ARGUMENTS, HELD, UNHEARD, Asking, Calls, Deed, Done, Mark
from agent.guards._repeats import REMEMBERED, Deeds, keys
from agent.guards._words import fitted
from agent.ports import Nudge
from agent.steps import Handed, Level, Proposed, Step
from agent.why import Why

WINDOW = 15  # calls
READS, CHANGES, T1_REPEATED = 9, 2, 5
STALE = 0.5
STILL, T3_REPEATED = 12, 2
SILENT = 8  # turns after it spoke
FORGIVEN = 30  # turns after which an earlier firing no longer counts
HOLDS, STOPS = 2, 3  # firings
MADE = 200  # calls that can be held

PRODUCE = "PRODUCE: write the file or give the answer with what you have"
WAYS = {
    "web_search": "WEB SEARCH: look up the exact error or question",
    "debate": "DEBATE: put the open question to it",
    "blocked": "DECLARE BLOCKED: say what is missing, with evidence",
}


Look = tuple[Deed | None, bool]  # the call, None where it was held; whether its result was known before


@dataclass(slots=True)
class Stuck:
    name: str = "stuck"
    strict: bool = False
    deaf: ClassVar[frozenset[type[Step]]] = UNHEARD - {Proposed}
    calls: Calls = field(default_factory=Calls, init=False, repr=False)
    _seen: dict[Hashable, None] = field(default_factory=dict, repr=False)  # results of the run
    _deeds: Deeds = field(default_factory=Deeds, repr=False)
    _window: list[Look] = field(default_factory=list, repr=False)
    _made: dict[Asking, int] = field(default_factory=dict, repr=False)  # call -> its number, for those that stand above
    _fired: int = field(default=0, repr=False)
    _at: int = field(default=0, repr=False)  # the turn of the last firing
    _holding: bool = field(default=False, repr=False)

    def observe(self, step: Step) -> Nudge | None:
        what = self.calls.read(step)
        if what is None:
            return self._other(step)
        if isinstance(what, Done):
            return self._finished(what)
        self._fired, self._holding = 0, False
        if what is Mark.RUN:
            self._seen.clear()
            self._window.clear()
            self._made.clear()
            self._deeds = Deeds()
        return None

    def _other(self, step: Step) -> Nudge | None:
        if isinstance(step, Handed) and step.fresh:  # what was read before is no longer before the model's eyes
            self._made.clear()
        if not self._holding or not isinstance(step, Proposed):
            return None
        number = self._made.get(self.calls.asked(step.call))
        if number is None or self._deeds.changed(number - 1):
            return None
        text = (
            "Not run: you are stuck, and this was read before with nothing changed since; its result stands above. "
            f"{_ways(self.calls.tools)}"
        )
        return Nudge(Level.HOLD, text, event="stuck.halt", data=as_data(because(Why.STUCK_HELD)))

    def _finished(self, done: Done) -> Nudge | None:
        outcome = done.ended.outcome
        if outcome is BAD_ARGUMENTS:  # neither a read nor a change
            return None
        held = outcome is HELD
        repeated = held or (self._known(done) and not done.waited)
        if self._fired and not held:
            self._watch(done)
        self._window.append((None if held else done.deed, repeated))
        if len(self._window) > WINDOW:
            del self._window[0]
        if not repeated or len(self._window) < STILL or (self._fired and self.calls.turn <= self._at + SILENT):
            return None
        what = _standstill(self._window)
        return self._speak(what) if what else None

    def _known(self, done: Done) -> bool:
        """Whether this result was seen before in the run."""
        key = keys(done)[0]
        if key in self._seen:
            return True
        self._seen[key] = None
        if len(self._seen) > REMEMBERED:
            del self._seen[next(iter(self._seen))]
        return False

    def _watch(self, done: Done) -> None:
        """After the first firing: which calls can be held after a second one, and whether something changed."""
        self._made[done.asked] = self._deeds.add(done.deed)
        if len(self._made) > MADE:
            del self._made[next(iter(self._made))]
        if self._holding and done.deed.changed:
            self._holding = False

    def _speak(self, what: Cause) -> Nudge:
        recent = self._fired and self.calls.turn <= self._at + FORGIVEN
        self._fired = self._fired + 1 if recent else 1
        self._at = self.calls.turn
        self._holding = self._fired >= HOLDS
        self._window.clear()
        if self._fired >= STOPS:
            why = because(Why.STUCK_STOP, what)
            return Nudge(Level.STOP, str(why), rank=4, event="stuck.halt", data=as_data(why))
        after = "Reads that were made before are not run again until something has changed." if self._holding else ""
        text = fitted(f"[CRITICAL] You are stuck: {what}.", _ways(self.calls.tools), after)
        return Nudge(Level.NOTE, text, rank=4, event="stuck.halt", data=as_data(because(Why.STUCK, what)))


def _standstill(window: list[Look]) -> Cause | None:
    """Which of the three holds, if one does."""
    size, repeated = len(window), sum(known for _, known in window)
    if size == WINDOW and repeated >= STALE * WINDOW:
        return because(Why.KNOWN_BEFORE, repeated, size)
    if repeated < T3_REPEATED:
        return None
    changed = [deed is not None and deed.changed for deed, _ in window]
    if not any(changed[-STILL:]):
        return because(Why.NOTHING_CHANGED, repeated, STILL)
    looked = size - sum(changed)
    if size == WINDOW and looked >= READS and sum(changed) <= CHANGES and repeated >= T1_REPEATED:
        return because(Why.ONLY_LOOKED, repeated, looked, size)
    return None


def _ways(tools: tuple[str, ...]) -> str:
    ways = [PRODUCE, *(way for tool, way in WAYS.items() if tool in tools)]
    return f"{'Choose one: ' if len(ways) > 1 else ''}{'; '.join(ways)}."


guard = Stuck
