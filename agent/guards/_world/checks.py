"""What is known of the commands that verify a plan: the newest result of each, as long as no input has changed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from agent.evidence import is_input
from agent.intent import intent
from agent.outcome import FAILING, SUCCEEDING
from agent.steps import Call, Finished, Outcome, Proposed, Said, Seen, Step

MOST = 50
PROBE = "verify"  # the gate's


@dataclass(slots=True)
class Checks:
    """Fold each step; `of(command)` is True for green, False for red, None where it isn't known any more."""

    _known: dict[str, bool] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set)  # since an input changed
    _calls: dict[str, Call] = field(default_factory=dict)

    def fold(self, step: Step) -> None:
        match step:
            case Said(calls=calls):
                self._calls = {call.id: call for call in calls if call.name == "shell"}
            case Proposed(call=call) if call.name == "shell":
                self._calls[call.id] = call
            case Finished():
                self._finished(step)
            case Seen(probe=probe, status="ok") if probe == PROBE:
                self._seen(step)
            case _:
                pass

    def of(self, command: str) -> bool | None:
        return self._known.get(" ".join(command.split()))

    def open(self, command: str) -> bool:
        """Whether nothing is known of it for these inputs, and nothing was asked."""
        return (words := " ".join(command.split())) not in self._known and words not in self._asked

    def asked(self, commands: Iterable[str]) -> None:
        """The world is asked about them, whatever the answer will be."""
        self._asked |= {" ".join(command.split()) for command in commands}

    def _finished(self, step: Finished) -> None:
        call = self._calls.pop(step.call_id, None)
        if any(map(is_input, step.files or ())):
            self._changed()
        if call is None:
            return
        if step.files is None and intent("shell", call.arguments).mutates:
            self._changed()
        if step.outcome in FAILING | SUCCEEDING and step.exit_code is not None:
            self._put(intent("shell", call.arguments).text, step.outcome in (Outcome.OK, Outcome.WARNED))

    def _changed(self) -> None:
        self._known.clear()
        self._asked.clear()

    def _seen(self, step: Seen) -> None:
        try:
            checks = json.loads(step.value).get("checks", ())
        except (ValueError, AttributeError):
            return
        for check in checks:
            if check.get("exit_code") is not None:
                self._put(str(check.get("command", "")), check["exit_code"] == 0)

    def _put(self, command: str, green: bool) -> None:
        self._known[" ".join(command.split())] = green
        while len(self._known) > MOST:
            del self._known[next(iter(self._known))]
