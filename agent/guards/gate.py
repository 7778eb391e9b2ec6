"""Gate: a claim that the work is done holds when its tests pass after the last change, its files are there and no error
is open. Else the claim goes back with the evidence; made again with nothing changed, the run ends as unverified."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agent.evidence import Evidence
from agent.guards._claims.admission import admits, asks
from agent.guards._gate import Judged, Question, judged, question
from agent.guards._standing import Standing
from agent.messages import clip
from agent.plan import PROBE as PROJECT
from agent.plan import Plan
from agent.ports import Look, Nudge
from agent.steps import Asked, Call, Ended, Finished, Level, Looking, Outcome, Proposed, Said, Seen, Started, Step
from agent.verdict import PASSED, REFUSED, UNCHECKED

if TYPE_CHECKING:
    from agent.ledger import Ledger

PROBE, CLAIM, SLOT = "verify", "task_complete", "gate"
PENDING = 64  # steps that wait to be folded into the ledger
EVIDENCE = 420  # bytes

_EARLY = (
    "Not accepted yet: task_complete must be the last call of a reply, so that the results of the others are known. "
    "Call it again after you have seen them."
)


@dataclass(slots=True)
class Gate:
    name: str = "gate"
    strict: bool = False
    _evidence: Evidence = field(default_factory=Evidence, repr=False)
    _plan: Plan = field(default_factory=Plan, repr=False)
    _standing: Standing = field(default_factory=Standing, repr=False)
    _ledger: Ledger | None = field(default=None, repr=False)
    _pending: list[Step] = field(default_factory=list, repr=False)
    _planned: bool = field(default=False, repr=False)  # in this run
    _last: str = field(default="", repr=False)  # id of the newest reply's last call
    _asked: Question | None = field(default=None, repr=False)  # what the open look is about
    _looks: dict[str, Question] = field(default_factory=dict, repr=False)
    _refused: int | None = field(default=None, repr=False)  # the run's newest change when a claim was refused

    def observe(self, step: Step) -> Nudge | Look | None:
        if type(step) is Started:
            return None
        self._fold(step)
        match step:
            case Said(calls=()):
                return None if admits(step.text) or asks(step.text) else self._claimed(step.at)
            case Proposed(call=call) if call.name == CLAIM:
                return self._called(call, step.at)
            case Looking(guard=self.name, probe=probe, look=look) if probe == PROBE and self._asked:
                self._looks[look], self._asked = self._asked, None
            case Seen(look=look) if look in self._looks:
                return self._said(self._looks.pop(look), step)
            case Finished(tool="plan", outcome=Outcome.OK):
                self._planned = True
                return Look(PROJECT) if self._plan.wants_project else None
            case _:
                pass
        return None

    def _fold(self, step: Step) -> None:
        if isinstance(step, Asked) and not self._evidence.running:
            self._planned, self._refused = False, None
            self._looks.clear()
        self._evidence.fold(step)
        self._plan.fold(step)
        self._standing.fold(step)
        if isinstance(step, Said):
            self._last = step.calls[-1].id if step.calls else ""
        if isinstance(step, Said | Proposed | Finished | Asked | Ended):
            self._pending.append(step)
            if len(self._pending) > PENDING:
                self._errors_open()

    def _errors_open(self) -> tuple[str, ...]:
        """By the ledger, which is only kept up when it is asked: most runs make no claim that has to be checked."""
        if self._ledger is None:
            from agent.ledger import (
                Ledger,
            )  # its rules take a while to load, and the start of the bot needs none of them

            self._ledger = Ledger()
        for step in self._pending:
            self._ledger.fold(0, step)
        self._pending.clear()
        return tuple(error.line for error in self._ledger.errors_open())

    def _called(self, call: Call, at: float) -> Nudge | Look | None:
        if call.id != self._last:
            return Nudge(Level.HOLD, _EARLY, event="gate.early")
        return self._claimed(at)

    def _claimed(self, at: float) -> Nudge | Look | None:
        """A completion is claimed: nothing to check, all known already, or a question to the world."""
        items = self._plan.items if self._planned else ()
        promised = any(item.verify and "verify" not in item.guessed for item in items)
        if not (promised or any(deed.changed for deed in self._evidence.of_run)):
            return None
        asked = question(self._evidence, items)
        if not asked.asks:
            return self._verdict(judged(asked, None))
        self._asked = asked
        told = {
            "commands": asked.commands, "paths": asked.paths, "find": asked.find, "files": asked.files,
            "mode": self._standing.mode(at), "role": self._standing.role, "tainted": self._standing.tainted,
        }  # fmt: skip
        return Look(PROBE, json.dumps(told, ensure_ascii=False))

    def _said(self, asked: Question, seen: Seen) -> Nudge | None:
        found = judged(asked, seen)
        for number, command in enumerate(found.ran):  # what passed just now closes its errors, as if the run had run it
            call = Call(f"gate-{number}", "shell", json.dumps({"command": command}))
            done = Finished(at=seen.at, call_id=call.id, tool="shell", outcome=Outcome.OK, text="", exit_code=0)
            self._pending += [Proposed(at=seen.at, call=call, effect="write"), done]
        return self._verdict(found)

    def _verdict(self, found: Judged) -> Nudge | None:
        errors = tuple(f"an error is still open: {line}" for line in self._errors_open()[-2:])
        if wrong := found.wrong + (errors if not found.wrong else ()):
            return self._refuse(clip("; ".join(wrong), EVIDENCE))
        if found.unknown:
            return _note(UNCHECKED, "; ".join(found.unknown))
        return _note(PASSED, "; ".join(found.right)) if found.right else None

    def _refuse(self, why: str) -> Nudge:
        changed = max((deed.number for deed in self._evidence.deeds if deed.changed), default=0)
        again, self._refused = self._refused == changed, changed
        if again:
            text = f"Not verified: {why}. It was claimed to be done twice, with nothing changed in between."
            return Nudge(Level.STOP, text, event=REFUSED)
        text = (
            f"Not accepted as done: {why}. Mend it and finish then. If it can't be mended, say plainly what doesn't "
            "work. The same claim with nothing changed ends the run as unverified."
        )
        return Nudge(Level.HOLD, text, event=REFUSED)


def _note(event: str, what: str) -> Nudge:
    """For those who show the answer; the model is told nothing."""
    return Nudge(Level.NOTE, "", slot=SLOT, event=event, data=json.dumps({"what": what}, ensure_ascii=False))


guard = Gate
