"""World: every few turns, after several writes or a build, one block in the tail says what the goal is, how disk and
plan stand, what is unresolved, and what to do next. Only when its content changed, and only the newest."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from agent.guards._drift import Names
from agent.guards._errors import Errors
from agent.guards._pace import Pace
from agent.guards._world.block import World as State
from agent.guards._world.block import rendered
from agent.guards._world.checks import Checks
from agent.guards._world.disk import PROBE, Disk, disk_of
from agent.guards._world.goal import Goal
from agent.messages import WORLD
from agent.plan import Plan
from agent.ports import Look, Nudge
from agent.steps import Asked, Commanded, Failed, Finished, Level, Looking, Nudged, Seen, Started, Step

if TYPE_CHECKING:
    from agent.openerrors import OpenError

EVENT = "worldstate.regenerated"
TOUCHED = 50  # files that are looked at again
NAMED = 20
STICKY = "sticky"  # a slot of the same tail


@dataclass(slots=True)
class World:
    """`every` is in replies of the model, `writes` in files; `max_files` bounds the files that are named."""

    name: str = "world"
    strict: bool = False
    deaf: ClassVar[frozenset[type[Step]]] = frozenset({Started, Failed, Commanded})
    every: int = 8
    writes: int = 5
    max_files: int = 200
    _goal: Goal = field(default_factory=Goal, repr=False)
    _plan: Plan = field(default_factory=Plan, repr=False)
    _checks: Checks = field(default_factory=Checks, repr=False)
    _errors: Errors = field(default_factory=Errors, repr=False)
    _names: Names = field(default_factory=Names, repr=False)
    _pace: Pace = field(init=False, repr=False)
    _touched: dict[str, None] = field(default_factory=dict, repr=False)
    _disk: Disk = field(default_factory=Disk, repr=False)
    _looks: set[str] = field(default_factory=set, repr=False)
    _trigger: str = field(default="", repr=False)
    _shown: str = field(default="", repr=False)  # the content that stands in the tail
    _failing: frozenset[str] = field(default=frozenset(), repr=False)  # signatures of the failures in it
    _sticky: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        self._pace = Pace(self.every, self.writes)

    def observe(self, step: Step) -> Nudge | Look | None:
        if isinstance(step, Asked) and not self._pace.running:
            self._restart()
        drift = self._names.found
        for fold in (self._goal, self._plan, self._checks, self._errors, self._names, self._pace):
            fold.fold(step)
        match step:
            case Finished():
                return self._finished(step)
            case Looking(guard=self.name, look=look):
                self._looks.add(look)
            case Seen(look=look) if look in self._looks:
                self._looks.discard(look)
                self._disk = disk_of(step) or self._disk
                return self._regenerated(self._trigger)
            case Seen() if self._shown and not self._looks and self._names.found != drift:
                return self._regenerated("drift")
            case Nudged(slot=slot, text=text) if slot == STICKY:
                self._sticky = text
            case _:
                pass
        return None

    def _restart(self) -> None:
        """The tail was cleared when the last run ended."""
        self._shown = self._sticky = ""
        self._failing = frozenset()
        self._looks.clear()
        self._touched.clear()

    def _finished(self, step: Finished) -> Nudge | Look | None:
        for change in step.files or ():
            self._touched.pop(change.path, None)
            self._touched[change.path] = None
        while len(self._touched) > TOUCHED:
            del self._touched[next(iter(self._touched))]
        if trigger := self._pace.due:
            self._pace.again()
            self._trigger = trigger
            return self._look()
        if self._failing and self._pace.whole and not self._failing <= {error.signature for error in self._failures()}:
            return self._regenerated("resolved")
        return None

    def _look(self) -> Look:
        paths = list(dict.fromkeys(path for item in self._plan.items for path in item.artifacts))
        newest = min(self.max_files, NAMED)
        args = {"paths": paths, "touched": list(reversed(self._touched)), "newest": newest}
        return Look(PROBE, json.dumps(args, ensure_ascii=False))

    def _failures(self) -> list[OpenError]:
        """The newest first, without those that the guard sticky says: a fact stands in the tail once."""
        told = self._sticky
        return [error for error in reversed(self._errors.open()) if not (told and error.salient[:40] in told)]

    def _regenerated(self, trigger: str) -> Nudge | None:
        items = self._plan.items
        failures = self._failures()
        self._failing = frozenset(error.signature for error in failures)
        state = State(
            goal=self._goal.text,
            disk=self._disk,
            items=items,
            checks=tuple(self._checks.of(item.verify) if item.verify else None for item in items),
            failures=tuple(error.line for error in failures),
            drift=self._names.found,
        )
        text, content = rendered(state, self._pace.turn, trigger)
        if content == self._shown:
            return None
        self._shown = content
        return Nudge(Level.NOTE, text, slot=WORLD, event=EVENT, data=json.dumps({"trigger": trigger}))


guard = World
