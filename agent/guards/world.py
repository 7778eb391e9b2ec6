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
from agent.guards._world.verifying import Verifying
from agent.messages import WORLD
from agent.plan import Plan
from agent.ports import Look, Nudge
from agent.steps import Asked, Failed, Finished, Level, Looking, Nudged, Seen, Started, Step

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
    deaf: ClassVar[frozenset[type[Step]]] = frozenset({Started, Failed})
    every: int = 8
    writes: int = 5
    max_files: int = 200
    _goal: Goal = field(default_factory=Goal, repr=False)
    _plan: Plan = field(default_factory=Plan, repr=False)
    _checks: Checks = field(default_factory=Checks, repr=False)
    _verifying: Verifying = field(default_factory=Verifying, repr=False)
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
        self._fold(step)
        match step:
            case Finished():
                return self._finished(step)
            case Looking(guard=self.name, look=look):
                self._looks.add(look)
            case Seen(look=look) if look in self._looks:
                return self._seen(step)
            case Seen() if self._shown and not self._looks and self._names.found != drift:
                return self._regenerated("drift")
            case Nudged(slot=slot, text=text) if slot == STICKY:
                self._sticky = text
            case _:
                pass
        return None

    def _fold(self, step: Step) -> None:
        for part in (self._goal, self._plan, self._checks, self._verifying, self._errors, self._names, self._pace):
            part.fold(step)

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

    def _seen(self, step: Seen) -> Nudge | Look | None:
        """The disk first, then what its state means for the items that are said to be done."""
        self._looks.discard(step.look)
        if step.probe == PROBE:
            self._disk = disk_of(step) or self._disk
            if look := self._verifying.look(self._plan.items, self._checks, step.at):
                return look
        return self._regenerated(self._trigger)

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
