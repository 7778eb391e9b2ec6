"""Gate: a claim that the work is done holds when its tests pass after the last change, its files are there and no error
is open. Else the claim goes back with the evidence; made again with nothing changed, the run ends as unverified."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from agent.causes import Cause, as_data, because, plain
from agent.evidence import Evidence
from agent.guards._drift import Names
from agent.guards._errors import Errors
from agent.guards._gate import Judged, Question, judged, question
from agent.guards._standing import Standing
from agent.messages import clip
from agent.plan import PROBE as PROJECT
from agent.plan import Plan
from agent.ports import Look, Nudge
from agent.steps import Asked, Call, Finished, Level, Looking, Outcome, Proposed, Said, Seen, Started, Step
from agent.verdict import CLEAR, PASSED, REFUSED, UNCHECKED
from agent.why import Why

PROBE, CLAIM, SLOT = "verify", "task_complete", "gate"
EVIDENCE = 420  # bytes
SHOWN = 4  # clauses of it in the chat

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
    _errors: Errors = field(default_factory=Errors, repr=False)
    _names: Names = field(default_factory=Names, repr=False)
    _planned: bool = field(default=False, repr=False)  # in this run
    _last: str = field(default="", repr=False)  # id of the newest reply's last call
    _asked: Question | None = field(default=None, repr=False)  # what the open look is about
    _looks: dict[str, Question] = field(default_factory=dict, repr=False)
    _held: tuple[Question, Seen] | None = field(default=None, repr=False)  # until drift is known
    _refused: int | None = field(default=None, repr=False)  # the run's newest change when a claim was refused

    def observe(self, step: Step) -> Nudge | Look | None:
        if type(step) is Started:
            return None
        self._fold(step)
        match step:
            case Said(calls=()):
                return self._claimed(step.at, step.text)
            case Proposed(call=call) if call.name == CLAIM:
                return self._called(call, step.at)
            case Looking(guard=self.name, probe=probe, look=look) if probe == PROBE and self._asked:
                self._looks[look], self._asked = self._asked, None
            case Seen(look=look) if look in self._looks:
                self._held = self._looks.pop(look), step
                return self._answered()
            case Seen():
                return self._answered()
            case Finished(tool="plan", outcome=Outcome.OK):
                self._planned = True
                return Look(PROJECT) if self._plan.wants_project else None
            case _:
                pass
        return None

    def _fold(self, step: Step) -> None:
        if isinstance(step, Asked) and not self._evidence.running:
            self._planned, self._refused, self._held = False, None, None
            self._looks.clear()
        self._evidence.fold(step)
        self._plan.fold(step)
        self._standing.fold(step)
        if isinstance(step, Said):
            self._last = step.calls[-1].id if step.calls else ""
        self._errors.fold(step)
        self._names.fold(step)

    def _called(self, call: Call, at: float) -> Nudge | Look | None:
        if call.id != self._last:
            return Nudge(Level.HOLD, _EARLY, event="gate.early", data=as_data(because(Why.CLAIMED_EARLY)))
        return self._claimed(at)

    def _claimed(self, at: float, text: str = "") -> Nudge | Look | None:
        """A completion is claimed: nothing to check, all known already, or a question to the world."""
        items = self._plan.items if self._planned else ()
        promised = any(item.verify and "verify" not in item.guessed for item in items)
        if not (promised or any(deed.changed for deed in self._evidence.of_run)):
            return None
        from agent.guards._claims.admission import admits, asks  # its patterns take a while to load

        if admits(text) or asks(text):
            return None
        asked = question(self._evidence, items)
        if not (asked.asks or self._names.stale):  # else the guard drift may be asking just now: its answer counts too
            return self._verdict(judged(asked, None))
        self._asked = asked
        told = {
            "commands": asked.commands, "paths": asked.paths, "find": asked.find, "files": asked.files,
            "mode": self._standing.mode(at), "role": self._standing.role, "tainted": self._standing.tainted,
        }  # fmt: skip
        return Look(PROBE, json.dumps(told, ensure_ascii=False))

    def _answered(self) -> Nudge | None:
        """Once all is known that was asked about the claim."""
        if self._held is None or self._names.open:
            return None
        held, self._held = self._held, None
        return self._said(*held)

    def _said(self, asked: Question, seen: Seen) -> Nudge | None:
        found = judged(asked, seen)
        for number, command in enumerate(found.ran):  # what passed just now closes its errors, as if the run had run it
            call = Call(f"gate-{number}", "shell", json.dumps({"command": command}))
            done = Finished(at=seen.at, call_id=call.id, tool="shell", outcome=Outcome.OK, text="", exit_code=0)
            self._errors.fold(Proposed(at=seen.at, call=call, effect="write"))
            self._errors.fold(done)
        return self._verdict(found)

    def _verdict(self, found: Judged) -> Nudge | None:
        errors = tuple(because(Why.ERROR_OPEN, error.line) for error in self._errors.open()[-2:])
        if wrong := (found.wrong + self._names.causes[:2]) or errors:
            return self._refuse(wrong)
        if found.unknown:
            return _note(UNCHECKED, *found.unknown)
        if found.right:
            return _note(PASSED, *found.right)
        return _note(CLEAR) if any(deed.changed_work for deed in self._evidence.of_run) else None

    def _refuse(self, wrong: tuple[Cause, ...]) -> Nudge:
        why = clip("; ".join(map(str, wrong)), EVIDENCE)
        changed = max((deed.number for deed in self._evidence.deeds if deed.changed), default=0)
        again, self._refused = self._refused == changed, changed
        if again:
            text = f"Not verified: {why}. It was claimed to be done twice, with nothing changed in between."
            return Nudge(Level.STOP, text, event=REFUSED, data=as_data(because(Why.CLAIMED_TWICE, wrong[:SHOWN])))
        text = (
            f"Not accepted as done: {why}. Mend it and finish then. If it can't be mended, say plainly what doesn't "
            "work. The same claim with nothing changed ends the run as unverified."
        )
        return Nudge(Level.HOLD, text, event=REFUSED, data=as_data(because(Why.NOT_ACCEPTED, wrong[:SHOWN])))


def _note(event: str, *causes: Cause) -> Nudge:
    """For those who show the answer; the model is told nothing."""
    told = {"what": "; ".join(map(str, causes)), "causes": plain(*causes)}
    return Nudge(Level.NOTE, "", slot=SLOT, event=event, data=json.dumps(told, ensure_ascii=False))


guard = Gate
