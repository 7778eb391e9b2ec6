"""What was found out about the text that ends a run, and the answer that a task_complete carries: a fold. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from agent import causes
from agent import steps as s
from bot import words
from bot.because import clauses

VERDICTS = ("gate.passed", "gate.unchecked", "claims.unverified")
GATES = ("gate.passed", "gate.unchecked")
REFUSED = (s.Outcome.HELD, s.Outcome.BAD_ARGUMENTS, s.Outcome.FAILED)


@dataclass(slots=True)
class Verdict:
    """`fold` each step; it is all about the newest reply."""

    claimed: tuple[int, s.Said] | None = None  # the newest reply as its task_complete, which isn't refused, words it
    _lines: dict[str, str] = field(default_factory=dict)  # event -> line

    def fold(self, seq: int, step: s.Step) -> None:
        match step:
            case s.Said():
                self._lines.clear()
                summary = _summary(step)
                self.claimed = (seq, replace(step, text=summary)) if summary else None
            case s.Nudged(level=s.Level.HOLD, about=None, slot=None):
                self._lines.clear()
            case s.Nudged(event=event, data=data) if event in VERDICTS and data:
                self._lines[event] = _line(event, data)
            case s.Nudged(event="critic.vote", data=data) if data:
                self._voted(json.loads(data))
            case s.Finished(tool="task_complete", outcome=outcome) if outcome in REFUSED:
                self.claimed = None
            case s.Asked():
                self.claimed = None
            case _:
                pass

    def _voted(self, vote: dict[str, str]) -> None:
        """A review's word joins that of the gate; where it rejects the work, nothing calls it verified any more."""
        match vote:
            case {"vote": "reject", "what": what}:
                self._lines.pop("gate.passed", None)
                self._lines["critic.vote"] = words.rejected(what)
            case {"vote": "request_changes", "what": what}:
                self._lines["critic.vote"] = words.wants_changes(what)
            case {"vote": "approve"}:
                told = {event: words.reviewed(self._lines[event]) for event in GATES if event in self._lines}
                self._lines.update(told or {"critic.vote": words.reviewed("")})

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(self._lines.values())


def _line(event: str, data: str) -> str:
    what = clauses(causes.load(causes.within(data)), str(json.loads(data).get("what", "")))
    return words.verified(what) if event == "gate.passed" else words.unverified(what)


def _summary(said: s.Said) -> str:
    """The answer that a call of task_complete carries; "" where there is none."""
    for call in said.calls:
        if call.name == "task_complete":
            try:
                return str(json.loads(call.arguments)["summary"])
            except (ValueError, KeyError, TypeError, RecursionError):
                return ""
    return ""
