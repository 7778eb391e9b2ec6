"""What is known of the commands that verify a plan: the newest result of each, as long as no input has changed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from agent.intent import intent
from agent.outcome import FAILING, SUCCEEDING
from agent.steps import Call, Finished, Outcome, Proposed, Said, Seen, Step

MOST = 50
PROBE = "verify"  # the gate's


@dataclass(slots=True)
class Checks:
    """Fold each step; `of(command)` is True for green, False for red, None where it isn't known any more."""

    _known: dict[str, bool] = field(default_factory=dict)
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

    def _finished(self, step: Finished) -> None:
        call = self._calls.pop(step.call_id, None)
        if any(change.before is None or change.before != change.after for change in step.files or ()):
            self._known.clear()
        if call is None:
            return
        if step.files is None and intent("shell", call.arguments).mutates:
            self._known.clear()
        if step.outcome in FAILING | SUCCEEDING and step.exit_code is not None:
            self._put(intent("shell", call.arguments).text, step.outcome in (Outcome.OK, Outcome.WARNED))

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
