"""The status card of a run: a fold of its steps, shown as a few short lines. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from agent import Plan, causes
from agent import steps as s
from bot import words
from bot.awaiting import Awaiting
from bot.because import because
from bot.oneline import LINE, clip, shortened

SHOWN = 5  # steps in the card
NUDGES = 2  # kinds of nudges in the card
TITLE = 60  # characters: with the time and the turn behind it, two lines
REMARK = 2 * LINE - 2  # characters of what a guard says
COMMAND = 600  # characters of a call in full
LEAST = 12  # ... that are left beside how it ended

SPOKEN = frozenset({"plan", "task_complete", "blocked"})  # what these say is shown elsewhere

_GOOD = (s.Outcome.OK, s.Outcome.ANSWERED_NO, s.Outcome.WARNED)


@dataclass(slots=True)
class Card:
    """Fold the steps of one run; `text(now)` is what a person sees at wall time `now`."""

    turns: int  # of a leg, for "turn n of m"
    title: str = ""
    began: float = 0.0
    turn: int = 0
    calls: int = 0
    paused: bool = False
    ended: s.Ended | None = None
    awaiting: Awaiting = field(default_factory=Awaiting)
    _lines: list[str] = field(default_factory=list)
    _open: dict[str, str] = field(default_factory=dict)  # call id -> what it does
    _plan: Plan = field(default_factory=Plan)
    _nudges: dict[str, int] = field(default_factory=dict)  # event -> how often; the newest last
    _inner: int | None = None  # turns of a sub-agent that is at work

    def fold(self, step: s.Step) -> None:
        if line := self.awaiting.fold(step):
            self._lines.append(line)
        self.paused = self.paused and not isinstance(step, s.Asked | s.Corrected)
        match step:
            case s.Asked() if not self.title:
                self.title, self.began = clip(step.text or "…", TITLE), step.at
            case s.Said():
                self.turn += 1
                self.calls += len(step.calls)
                self._open = {call.id: describe(call) for call in step.calls}
                self._plan.fold(step)
            case s.Finished(tool="plan", outcome=s.Outcome.OK):
                self._open.pop(step.call_id, None)
                self._plan.fold(step)
            case s.Finished():
                self._inner = None
                self._lines.append(self._finished(step))
            case s.Nudged():
                self._nudged(step)
            case s.Commanded(command="pause" | "resume"):
                self.paused = step.command == "pause"
            case s.Ended():
                self.ended = step
            case _:
                pass

    def inner(self, step: s.Step) -> bool:
        """Fold a step of a sub-agent; whether it shows."""
        match step:
            case s.Asked():
                self._inner = 0
            case s.Said():
                self._inner = (self._inner or 0) + 1
            case _:
                return False
        return True

    def _nudged(self, step: s.Nudged) -> None:
        match step.level:
            case s.Level.STOP | s.Level.HOLD:
                self._lines.append(f"⚠ {clip(remark(step), REMARK)}")
            case s.Level.NOTE if step.text and not (step.event == "budget.notice" and step.slot):
                self._nudges[step.event] = self._nudges.pop(step.event, 0) + 1
            case _:
                pass

    def _finished(self, step: s.Finished) -> str:
        what = self._open.pop(step.call_id, step.tool)
        if step.outcome in _GOOD:
            return f"✓ {shortened(what, LINE - 2)}"
        why = words.outcome(step.outcome.value, step.exit_code)
        return f"✗ {shortened(what, max(LEAST, LINE - len(why) - 4))}: {why}"

    def text(self, now: float) -> str:
        """The card as plain text. An ended card no longer depends on `now`."""
        end = self.ended.at if self.ended else now
        head = words.card_head(self.title, words.clock(end - self.began), max(1, self.turn), self.turns)
        lines = self._lines[-SHOWN:]
        nudges = [words.nudge_line(event, count) for event, count in list(self._nudges.items())[-NUDGES:]]
        if self.ended:
            return "\n".join([head, *lines, *nudges, words.ENDS[self.ended.end.value]])
        doing = [f"… {shortened(what, LINE - 2)}" for what in list(self._open.values())[:1]]
        if doing and self._inner is not None:
            doing = [words.subagent(max(1, self._inner))]
        state = words.CARD_PAUSED if self.paused else self.awaiting.text(now)
        return "\n".join([head, *_item_line(self._plan), *lines, *doing, *nudges, *([state] if state else [])])


def _item_line(plan: Plan) -> list[str]:
    if (current := plan.current) is None:
        return []
    number, item = current
    return [clip(f"▸ {number}/{len(plan.said)} {item.text}")]


def describe(call: s.Call) -> str:
    """What a call does, in one line of at most COMMAND characters; a card shows it shortened."""
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return clip(_verb(call.name))
    if not isinstance(arguments, dict):
        return clip(_verb(call.name))
    told = arguments.get("command") or arguments.get("path") or next(iter(arguments.values()), "")
    if call.name in SPOKEN or not isinstance(told, str | int | float):
        return clip(_verb(call.name))
    verb = "" if "command" in arguments else f"{_verb(call.name)} "
    return clip(f"{verb}{told}".strip() or _verb(call.name), COMMAND)


def _verb(tool: str) -> str:
    return words.CALLS.get(tool, tool.replace("_", " "))


def remark(nudged: s.Nudged) -> str:
    """What a nudge says to a person. One without causes says it itself: at its end, after the old result, where it
    answers a call from before."""
    if told := because("", causes.within(nudged.data)):
        return told
    last = nudged.text.rstrip().rpartition("\n")[2]
    if nudged.level is s.Level.HOLD and last.startswith("[") and last.endswith("]"):
        return last[1:-1]
    return nudged.text
