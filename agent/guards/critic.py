"""Critic: work that the gate lets pass is read once by a model before its user is told. What it objects to, with
evidence that stands there, goes back; after some rounds of that it is only told. No vote changes nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, ClassVar

from agent.causes import because, plain
from agent.evidence import Evidence, touched
from agent.messages import clip
from agent.plan import Plan
from agent.ports import Look, Nudge
from agent.room import RATIO
from agent.steps import (
    Asked,
    Commanded,
    Failed,
    Finished,
    Level,
    Looking,
    Nudged,
    Opened,
    Proposed,
    Said,
    Seen,
    Started,
    Step,
)
from agent.verdict import CLEAR, FAILSOFT, PASSED, UNCHECKED, VOTED
from agent.why import Why

PROBE, CLAIM, SLOT = "critic", "task_complete", "critic"
FAILURES = 5
FAILURE = 400  # bytes
OBJECTION = 1_500  # bytes
ROOM = 120_000  # bytes of a request where the context is unknown
SHARE = 0.8  # of the context that is used


@dataclass(slots=True)
class Critic:
    """`timeout_s` in seconds, `max_tokens` of the answer, `preview` in bytes of a file; `model` "" = the run's own."""

    max_cycles: int = 2
    min_writes: int = 1
    timeout_s: int = 120
    max_tokens: int = 4096
    max_files: int = 60
    preview: int = 8000
    model: str = ""
    name: str = "critic"
    strict: bool = False
    deaf: ClassVar[frozenset[type[Step]]] = frozenset({Started, Failed, Commanded})
    heeds: ClassVar[frozenset[str]] = frozenset({PASSED, UNCHECKED, CLEAR})  # the gate's word that nothing is wrong
    _evidence: Evidence = field(default_factory=Evidence, repr=False)
    _plan: Plan = field(default_factory=Plan, repr=False)
    _opened: Opened | None = field(default=None, repr=False)
    _goal: str = field(default="", repr=False)
    _claim: str = field(default="", repr=False)
    _failures: list[str] = field(default_factory=list, repr=False)
    _look: str = field(default="", repr=False)  # that is open
    _cycles: int = field(default=0, repr=False)  # objections that went back, in this run
    _read: int | None = field(default=None, repr=False)  # the newest change when it was voted on
    _vote: dict[str, Any] = field(default_factory=dict, repr=False)

    def observe(self, step: Step) -> Nudge | Look | None:
        match step:
            case Nudged(event=event) if event in self.heeds:
                return self._claimed()
            case Looking(guard=self.name, look=look):
                self._look = look
            case Seen(look=look) if look == self._look:
                return self._voted(step)
            case _:
                self._fold(step)
        return None

    def _fold(self, step: Step) -> None:
        if isinstance(step, Asked) and not self._evidence.running:
            self._goal, self._cycles, self._read, self._look = step.text, 0, None, ""
            self._failures.clear()
        self._evidence.fold(step)
        self._plan.fold(step)
        match step:
            case Opened():
                self._opened = step
            case Said():
                self._claim = step.text
            case Proposed(call=call) if call.name == CLAIM:
                self._claim = call.arguments
            case Finished() if self._evidence.deeds and self._evidence.deeds[-1].failed:
                self._failures.append(clip(f"{step.tool}: {' '.join(step.text.split())}", FAILURE))
                del self._failures[:-FAILURES]
            case _:
                pass

    @property
    def _changed(self) -> int:
        return max((deed.number for deed in self._evidence.of_run if deed.changed), default=0)

    def _claimed(self) -> Nudge | Look | None:
        files = list(touched(self._evidence.of_run))
        deeds = self._evidence.of_run
        if not any(deed.changed_work for deed in deeds) or sum(deed.changed for deed in deeds) < self.min_writes:
            return None
        if self._read == self._changed:  # nothing new to read: the vote stands, and isn't argued about
            return self._told(self._vote) if self._vote else None
        shown = files[-self.max_files :]
        told = {
            "goal": self._goal, "claim": self._claim, "failures": self._failures,
            "plan": [f"[{item.status}] {item.text} (check: {item.verify or 'none'})" for item in self._plan.said],
            "files": shown, "left_out": len(files) - len(shown), "nonce": self._opened.nonce if self._opened else "",
            "preview": self.preview, "room": self._room(), "timeout_s": self.timeout_s,
            "max_tokens": self.max_tokens, "model": self.model,
        }  # fmt: skip
        return Look(PROBE, json.dumps(told, ensure_ascii=False))

    def _room(self) -> int:
        """Bytes of a request that leaves room for its answer."""
        if self._opened is None or not self._opened.context:
            return ROOM
        reply = min(self.max_tokens, self._opened.context // 4)
        ratio = min(self._opened.ratio, RATIO)
        return min(ROOM, int((self._opened.context - reply) * ratio * SHARE))

    def _voted(self, seen: Seen) -> Nudge:
        self._look, self._read, self._vote = "", self._changed, {}
        vote = _value(seen)
        if vote is None or vote.get("vote") is None:
            why = str(vote.get("why", "")) if vote else f"the review came to no answer ({seen.status})"
            return Nudge(Level.NOTE, "", slot=SLOT, event=FAILSOFT, data=json.dumps({"what": why}, ensure_ascii=False))
        self._vote = vote
        if vote["vote"] == "approve" or self._cycles >= self.max_cycles:
            return self._told(vote)
        self._cycles += 1
        word = "rejects this" if vote["vote"] == "reject" else "asks for changes"
        text = f"Not accepted yet: a review {word}.\n{_objections(vote)}\nMend it, or say why it is right, then finish."
        return Nudge(Level.HOLD, clip(text, OBJECTION), event=VOTED, data=_data(vote, held=True))

    def _told(self, vote: dict[str, Any]) -> Nudge:
        """For those who show the answer; the model is told nothing."""
        return Nudge(Level.NOTE, "", slot=SLOT, event=VOTED, data=_data(vote))


def _value(seen: Seen) -> dict[str, Any] | None:
    try:
        value = json.loads(seen.value) if seen.status == "ok" else None
    except ValueError:
        return None
    return value if isinstance(value, dict) and isinstance(value.get("findings"), list) else None


def _objections(vote: dict[str, Any]) -> str:
    return "\n".join(f"{number}. {_line(each)}" for number, each in enumerate(vote["findings"], start=1))


def _line(found: dict[str, Any]) -> str:
    from agent.critic.vote import Finding  # its patterns are only needed where there is an objection

    return Finding(**found).told


def _data(vote: dict[str, Any], *, held: bool = False) -> str:
    what = "; ".join(_line(each) for each in vote["findings"][:3]) if vote["vote"] != "approve" else ""
    told = {"vote": vote["vote"], "severity": vote["severity"], "what": clip(what, 500)}
    if held:
        why = Why.REVIEW_REJECTS if vote["vote"] == "reject" else Why.REVIEW_ASKS
        told["causes"] = plain(because(why, told["what"]))
    return json.dumps(told, ensure_ascii=False)


guard = Critic
