"""Claims: what a final text says was done is held against what the session did and against the disk. What doesn't fit
goes back once, with what speaks against it; said again, it stands in the answer as not verified."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from agent.arguments import read
from agent.causes import as_data, because, plain
from agent.evidence import Evidence
from agent.messages import clip
from agent.ports import Look, Nudge
from agent.steps import Asked, Call, Level, Looking, Proposed, Said, Seen, Started, Step
from agent.why import Why

if TYPE_CHECKING:
    from agent.guards._claims.facts import Ask, Doubt

PROBE, GATES, CLAIM, SLOT, EVENT = "claims", "verify", "task_complete", "claims", "claims.unverified"
SHOWN = 3  # doubts
SAID = 120  # bytes of a quoted claim


@dataclass(slots=True)
class _Case:
    """A text whose claims wait for the disk's answer, or for the tests that the gate runs."""

    asks: tuple[Ask, ...]
    unsettled: list[Doubt]  # a test run would answer them
    look: str = ""
    gates: str = ""  # the gate's look, if there is one


@dataclass(slots=True)
class Claims:
    name: str = "claims"
    strict: bool = False
    _evidence: Evidence = field(default_factory=Evidence, repr=False)
    _case: _Case | None = field(default=None, repr=False)
    _corrected: bool = field(default=False, repr=False)  # in this run

    def observe(self, step: Step) -> Nudge | Look | None:
        if type(step) is Started:
            return None
        if isinstance(step, Asked) and not self._evidence.running:
            self._corrected, self._case = False, None
        self._evidence.fold(step)
        match step:
            case Said(calls=(), text=text):
                return self._judge(text)
            case Proposed(call=call) if call.name == CLAIM:
                return self._judge(_summary(call))
            case Looking() if self._case:
                self._note(self._case, step)
            case Seen(look=look) if self._case and look in (self._case.look, self._case.gates):
                return self._seen(self._case, step)
            case _:
                pass
        return None

    def _judge(self, text: str) -> Nudge | Look | None:
        from agent.guards._claims.facts import Doubt, check  # their patterns take a while to load
        from agent.guards._claims.found import claims

        self._case = None
        found = [verdict for claim in claims(text) if (verdict := check(claim, self._evidence))]
        doubts = [each for each in found if isinstance(each, Doubt)]
        gate_looks = any(deed.changed for deed in self._evidence.of_run)
        unsettled = [doubt for doubt in doubts if doubt.settled_by_tests and gate_looks]
        asks = tuple(each for each in found if not isinstance(each, Doubt))
        if sure := [doubt for doubt in doubts if doubt not in unsettled]:
            return self._speak(sure + unsettled)
        if not (asks or unsettled):
            return None
        self._case = _Case(asks, unsettled)
        question = {
            "paths": dict(pair for ask in asks for pair in ask.paths),
            "ports": [ask.port for ask in asks if ask.port is not None],
        }
        return Look(PROBE, json.dumps(question, ensure_ascii=False))

    def _note(self, case: _Case, step: Looking) -> None:
        if step.guard == self.name and not case.look:
            case.look = step.look
        elif step.probe == GATES and not case.gates:
            case.gates = step.look

    def _seen(self, case: _Case, step: Seen) -> Nudge | None:
        from agent.guards._claims.facts import answered

        value = _value(step)
        if step.look == case.look:
            doubts = [doubt for ask in case.asks if (doubt := answered(ask, value))]
            if doubts or not case.unsettled or not case.gates:
                self._case = None
                return self._speak(doubts + case.unsettled)
            return None
        self._case = None
        tested = any(check.get("outcome") != "left_out" for check in value.get("checks") or ())
        return None if tested else self._speak(case.unsettled)

    def _speak(self, doubts: list[Doubt]) -> Nudge | None:
        if not doubts:
            return None
        whys = list(dict.fromkeys(doubt.why for doubt in doubts))[:SHOWN]
        if self._corrected:
            what = {"what": "; ".join(map(str, whys)), "causes": plain(*whys)}
            return Nudge(Level.NOTE, "", slot=SLOT, event=EVENT, data=json.dumps(what, ensure_ascii=False))
        self._corrected = True
        says = tuple(because(Why.SAYS_BUT, clip(doubt.claim.said, SAID), doubt.why) for doubt in doubts[:SHOWN])
        told = "; ".join(map(str, says))
        text = (
            f"Your answer was not sent. It says {told}. Do it now and check it, or say what is really so. Said again "
            "as it is, it goes out marked as not verified."
        )
        return Nudge(Level.HOLD, text, event=EVENT, data=as_data(because(Why.NOT_SENT, says)))


def _summary(call: Call) -> str:
    try:
        return str(read(call.arguments).get("summary", ""))
    except (ValueError, RecursionError):
        return ""


def _value(step: Seen) -> dict[str, Any]:
    """The answer; nothing where there is none, so that nothing is held against anybody."""
    try:
        value = json.loads(step.value) if step.status == "ok" else None
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


guard = Claims
