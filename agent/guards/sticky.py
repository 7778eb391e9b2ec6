"""Sticky: what has failed three times without success stands in the tail until it succeeds or is given up.

An attempt after a change counts a third: five edits, each followed by the same failing test, are work; that the test
still fails is worth a line at the seventh.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

from agent.causes import Cause, as_data, because
from agent.complaint import Complaint
from agent.guards._calls import OK, UNHEARD, Calls, Done, Mark
from agent.guards._repeats import Deeds
from agent.guards._targets import base, target
from agent.guards._words import quoted
from agent.messages import clip
from agent.ports import Nudge
from agent.steps import Level, Step
from agent.why import Why

ATTEMPTS = 3
FULL, AFTER_CHANGE = 3, 1  # what an attempt weighs, in thirds
SHOWN = 2
LINE = 120  # bytes; two of them leave room for the other notes of the tail
WAITING = 100  # calls that are looked at later
OPEN = 50  # programs that are remembered as failing
SLOT = "sticky"


@dataclass(slots=True, eq=False)
class Attempt:
    """A call not yet looked at, with its number; `error` is None where it went well."""

    command: str
    number: int
    error: Complaint | None


@dataclass(slots=True, eq=False)
class Open:
    """A program that has failed since it last succeeded: the numbers of its attempts, the newest error."""

    numbers: list[int]
    error: Complaint
    due: bool = False


@dataclass(slots=True)
class Sticky:
    name: str = "sticky"
    strict: bool = False
    deaf: ClassVar[frozenset[type[Step]]] = UNHEARD
    calls: Calls = field(default_factory=Calls, init=False, repr=False)
    _deeds: Deeds = field(default_factory=Deeds, repr=False)
    _waiting: list[Attempt] = field(default_factory=list, repr=False)
    _failed: int = field(default=0, repr=False)  # of those that wait
    _most: int = field(default=0, repr=False)  # attempts of one program
    _lines: deque[str] = field(default_factory=lambda: deque(maxlen=5), repr=False)  # of the newest errors
    _open: dict[str, Open] = field(default_factory=dict, repr=False)
    _plan: str = field(default="", repr=False)
    _text: str = field(default="", repr=False)  # as it stands in the tail

    def observe(self, step: Step) -> Nudge | None:
        what = self.calls.read(step)
        if isinstance(what, Done):
            return self._finished(what) if what.proposed else None
        if what is Mark.RUN:  # the tail was cleared when the last run ended
            self._deeds = Deeds()
            for memory in (self._waiting, self._lines, self._open):
                memory.clear()
            self._failed = self._most = 0
            self._plan = self._text = ""
        return None

    def _finished(self, done: Done) -> Nudge | None:
        number = self._deeds.add(done.deed)
        if done.tool == "shell":
            if done.complained:
                self._failed += 1
                self._waiting.append(Attempt(done.command, number, done.complaint))
                self._lines.append(done.complaint.line)
            elif (self._waiting or self._open) and done.ended.outcome is OK and not self._still(done):
                self._waiting.append(Attempt(done.command, number, None))
        due = self._waiting and (self._text or self._most + self._failed >= ATTEMPTS or len(self._waiting) > WAITING)
        if due or done.tool == "plan" or (self._open and done.ended.files):
            self._look(done)
            return self._surfaced()
        return None

    def _still(self, done: Done) -> bool:
        """Whether an open error was printed again, its exit code thrown away."""
        out, err = done.streams
        for line in self._lines:  # noqa: SIM110 - a generator costs more than what it looks for
            if line and (line in out or line in err):
                return True
        return False

    def _look(self, done: Done) -> None:
        for attempt in self._waiting:
            about = target(attempt.command)
            if attempt.error is None:
                self._open.pop(about, None)
            elif about:
                failing = self._open.pop(about, None) or Open([], attempt.error)
                failing.numbers.append(attempt.number)
                failing.error = attempt.error
                self._open[about] = failing
        self._waiting.clear()
        self._failed = 0
        self._drop(done)
        while len(self._open) > OPEN:
            del self._open[next(iter(self._open))]
        self._most = max((len(each.numbers) for each in self._open.values()), default=0)

    def _drop(self, done: Done) -> None:
        """Forget what was deleted, and what the plan no longer names."""
        gone = {base(change.path) for change in done.ended.files or () if change.before and not change.after}
        plan = done.asked[1] if done.tool == "plan" else None
        if not gone and plan is None:
            return
        for about in list(self._open):
            if gone & set(about.split()) or (plan is not None and about in self._plan and about not in plan):
                del self._open[about]
        self._plan = self._plan if plan is None else plan

    def _weighs(self, numbers: list[int]) -> int:
        between = (self._deeds.changed(one, other) for one, other in pairwise(numbers))
        return FULL + sum(AFTER_CHANGE if changed else FULL for changed in between)

    def _surfaced(self) -> Nudge | None:
        for each in self._open.values():
            if not each.due and len(each.numbers) >= ATTEMPTS:
                each.due = self._weighs(each.numbers) >= ATTEMPTS * FULL
        due = [(about, each) for about, each in self._open.items() if each.due]
        due.sort(key=lambda item: -len(item[1].numbers))
        lines = [_line(about, len(each.numbers), each.error.line) for about, each in due[:SHOWN]]
        text = "\n".join([text for text, _ in lines])
        if text == self._text:
            return None
        self._text = text
        if not text:
            return Nudge(Level.NOTE, "", slot=SLOT, event="sticky.cleared")
        told = as_data(*(why for _, why in lines))
        return Nudge(Level.NOTE, text, slot=SLOT, event="sticky.surfaced", data=told)


@lru_cache(maxsize=64)
def _line(about: str, times: int, error: str) -> tuple[str, Cause]:
    """One line of the tail, and the cause that it tells of."""
    what = quoted(about, 30)
    why = because(Why.STILL_OPEN_AS, what, times, quoted(error, 60)) if error else because(Why.STILL_OPEN, what, times)
    return clip(str(why), LINE), why


guard = Sticky
