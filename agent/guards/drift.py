"""Drift: names that a changed file takes and no file gives. Looked for when the work is claimed to be done, after a
build, and as the work grows; the gate and the world state say what was found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from agent.guards._drift import PROBE, Names, is_drifting
from agent.guards._pace import Pace
from agent.ports import Look, Nudge
from agent.steps import Asked, Commanded, Failed, Finished, Level, Nudged, Proposed, Said, Seen, Started, Step

CLAIM, SLOT = "task_complete", "drift"
EVERY, WRITES = 8, 5  # turns, files
FILES = 300  # changed ones that are asked about, the newest
LISTED = 10


@dataclass(slots=True)
class Drift:
    """`aliases`: patterns of modules with their targets, relative to the workspace, like paths of a tsconfig."""

    name: str = "drift"
    strict: bool = False
    deaf: ClassVar[frozenset[type[Step]]] = frozenset({Started, Failed, Nudged, Commanded})
    aliases: Mapping[str, Any] = field(default_factory=dict)
    _names: Names = field(default_factory=Names, repr=False)
    _pace: Pace = field(default_factory=lambda: Pace(EVERY, WRITES), repr=False)
    _changed: dict[str, None] = field(default_factory=dict, repr=False)  # sources of this run
    _told: tuple[str, ...] = field(default=(), repr=False)

    def observe(self, step: Step) -> Nudge | Look | None:
        if isinstance(step, Asked) and not self._names.running:
            self._changed.clear()
            self._told = ()
        asked = isinstance(step, Seen) and step.look in self._names.open
        self._names.fold(step)
        self._pace.fold(step)
        match step:
            case Seen() if asked:
                return self._found()
            case Finished():
                self._remember(step)
                return self._look() if self._pace.due else None
            case Said(calls=()):
                return self._look()
            case Proposed(call=call) if call.name == CLAIM:
                return self._look()
            case _:
                return None

    def _remember(self, step: Finished) -> None:
        for change in filter(is_drifting, step.files or ()):
            self._changed.pop(change.path, None)
            self._changed[change.path] = None
        while len(self._changed) > FILES:
            del self._changed[next(iter(self._changed))]

    def _look(self) -> Look | None:
        if not self._names.stale or self._names.open:
            return None
        self._pace.again()
        args = {"changed": list(self._changed), "aliases": dict(self.aliases)}
        return Look(PROBE, json.dumps(args, ensure_ascii=False))

    def _found(self) -> Nudge | None:
        """For those who show and count it: to the model it is said by the gate and the world state."""
        found = self._names.found
        if found == self._told:
            return None
        self._told = found
        event = "drift.found" if found else "drift.cleared"
        data = json.dumps({"n": len(found), "found": found[:LISTED]}, ensure_ascii=False)
        return Nudge(Level.NOTE, "", slot=SLOT, event=event, data=data)


guard = Drift
