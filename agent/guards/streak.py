"""Streak: most of the last calls failed, whatever the errors; and calls whose arguments were wrong, counted apart.

7 of the last 8 instead of 6: with 6 this rule alone alarms on 4.3 % of SUPER's successes and the whole panel on 5.7,
above its aim of 5; with 7 on 1.4 (failed runs 18.2 instead of 27.3 %). A window that isn't full counts as it is.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from typing import ClassVar

from agent.causes import as_data, because
from agent.guards._calls import BAD_ARGUMENTS, UNHEARD, Calls, Deed, Done, Mark
from agent.guards._targets import target
from agent.guards._words import fitted, listed
from agent.ports import Nudge
from agent.steps import Level, Opened, Outcome, Step, ToolSpec
from agent.why import Why

FAILED, OF = 7, 8  # calls
WRONG = 3  # calls of one tool in a row with wrong arguments
NONE = ("", 0)
COUNTED = frozenset({
    Outcome.OK, Outcome.WARNED, Outcome.ANSWERED_NO, Outcome.FAILED, Outcome.TIMED_OUT, Outcome.KILLED,
    Outcome.NOT_STARTED,
})  # fmt: skip


@dataclass(slots=True)
class Streak:
    name: str = "streak"
    strict: bool = False
    deaf: ClassVar[frozenset[type[Step]]] = UNHEARD
    calls: Calls = field(default_factory=Calls, init=False, repr=False)
    _window: deque[Deed | None] = field(default_factory=lambda: deque(maxlen=OF), repr=False)  # None: it went well
    _wrong: tuple[str, int] = field(default=NONE, repr=False)  # tool, times in a row
    _tools: tuple[ToolSpec, ...] = field(default=(), repr=False)

    def observe(self, step: Step) -> Nudge | None:
        what = self.calls.read(step)
        if isinstance(what, Done):
            return self._finished(what)
        if what is Mark.RUN:
            self._window.clear()
            self._wrong = NONE
        elif isinstance(step, Opened):
            self._tools = step.tools
        return None

    def _finished(self, done: Done) -> Nudge | None:
        outcome = done.ended.outcome
        if outcome is BAD_ARGUMENTS:
            return self._misused(done.tool)
        if outcome not in COUNTED:
            return None
        self._wrong = NONE
        return self._counted(done)

    def _counted(self, done: Done) -> Nudge | None:
        self._window.append(done.deed if done.failed else None)
        if not done.failed or len(self._window) - self._window.count(None) < FAILED:
            return None
        failed = [deed for deed in self._window if deed is not None]
        text = fitted(
            f"[streak] {len(failed)} of the last {len(self._window)} calls failed.",
            "Stop trying variants: step back, list what you know for sure, and test the one assumption they share.",
            f"They were about {listed([_about(deed) for deed in reversed(failed)], 4, 40)}.",
        )
        told = as_data(because(Why.FAILED_OF_LAST, len(failed), len(self._window)))
        self._window.clear()
        return Nudge(Level.NOTE, text, rank=1, event="nudge.streak", data=told)

    def _misused(self, tool: str) -> Nudge | None:
        self._wrong = (tool, self._wrong[1] + 1 if self._wrong[0] == tool else 1)
        if self._wrong[1] != WRONG:
            return None
        fields = _fields(next((spec.parameters for spec in self._tools if spec.name == tool), ""))
        if not fields:
            return None
        text = f"[streak] {WRONG} calls of {tool} in a row had wrong arguments. It takes one JSON object with {fields}."
        told = as_data(because(Why.MISUSED, WRONG, tool))
        return Nudge(Level.NOTE, fitted(text), rank=1, event="nudge.streak", data=told)


def _about(deed: Deed) -> str:
    return (target(deed.command) or deed.command) if deed.asked[0] == "shell" else deed.asked[0]


def _fields(parameters: str) -> str:
    """What a tool takes, from its schema, in words; "" where the schema can't be read or names nothing."""
    try:
        schema = json.loads(parameters)
        required = set(schema.get("required", ()))
        each = [
            f"{name} ({field.get('type', 'any')}{'' if name in required else ', may be left out'})"
            for name, field in schema["properties"].items()
        ]
    except (ValueError, KeyError, AttributeError, TypeError):
        return ""
    return ", ".join(each)[:300]


guard = Streak
