"""Repeated: one error from different commands says that the diagnosis is wrong. NOTE, NOTE with ways out, STOP.

Counted over the last 10 calls, on calls with output streams only: over all tools three refused edits with one wording
count as one error, and a service's "not available" is the right reason to hand over (4.3 % of SUPER's successes, 2.4 of
tau-bench's; with streams only 1.4 and 0). From one command it is the loop guard's business (10 % of SUPER's successes).
The STOP at 8 alone: 1.7 % of failed SUPER runs, 14.1 % of InterCode's, one InterCode success of 570.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

from agent.causes import as_data, because
from agent.complaint import Complaint
from agent.guards._calls import OK, UNHEARD, Calls, Deed, Done, Mark
from agent.guards._targets import target
from agent.guards._words import bare, fitted, listed, quoted
from agent.masking import masked
from agent.ports import Nudge
from agent.signature import reduced
from agent.steps import Level, Outcome, Said, Step
from agent.why import Why

WINDOW = 10  # calls
COMMANDS = 2  # different ones
WAYS_OUT, STOP = 2, 5  # times beyond `at`
SILENT = 6  # turns
QUOTE = 200  # bytes
WENT_WELL = frozenset({Outcome.OK, Outcome.ANSWERED_NO})
SLOT = "unresolved"  # sorts behind the other slots, so that the tail's limit shortens this text and none of theirs


@dataclass(slots=True, eq=False)
class Trouble:
    """A call of the window: one that failed, or, without an `error`, one that went well."""

    deed: Deed
    error: Complaint | None
    last: str = ""  # the last line of a failure that printed nothing of error shape
    _gist: str | None = None
    known: str | None = None  # `signature`, once it was asked for

    @property
    def line(self) -> str:
        """As printed; whoever quotes it cuts it in the middle, since its end says most."""
        if self.error is None or not self.error.line:
            return self.last
        return self.error.line if self.error.more.startswith("-->") else f"{self.error.line} {self.error.more}".strip()

    @property
    def signature(self) -> str:
        if self.known is None:
            self.known = _signature(self.error, self.last) if self.error else ""
        return self.known

    @property
    def gist(self) -> str:
        """The end of the error line, by which it is known again in another output."""
        if self._gist is None:
            self._gist = self._end()
        return self._gist

    def _end(self) -> str:
        return ": ".join((self.error.line if self.error else "").rsplit(": ", 2)[-2:]).strip() or self.last


@dataclass(slots=True)
class Repeated:
    """`at` is the number of failures of one kind from which it speaks."""

    at: int = 3
    name: str = "repeated"
    strict: bool = False
    deaf: ClassVar[frozenset[type[Step]]] = UNHEARD - {Said}
    calls: Calls = field(default_factory=Calls, init=False, repr=False)
    _window: deque[Trouble | None] = field(default_factory=lambda: deque(maxlen=WINDOW), repr=False)
    _failed: int = field(default=0, repr=False)  # of the window
    _levels: dict[str, int] = field(default_factory=dict, repr=False)  # signature -> what was said: 1, 2 or 3
    _standing: str = field(default="", repr=False)  # the signature that the tail tells of
    _seen: int = field(default=0, repr=False)  # the turn of its newest failure
    _told: int | None = field(default=None, repr=False)  # the turn of the first NOTE

    def observe(self, step: Step) -> Nudge | None:
        what = self.calls.read(step)
        if isinstance(what, Done):
            return self._finished(what)
        if what is Mark.RUN:
            self._window.clear()
            self._levels.clear()
            self._failed, self._standing, self._told = 0, "", None
        elif self._standing and isinstance(step, Said) and self.calls.turn > self._seen + SILENT:
            return self._cleared()
        return None

    def _finished(self, done: Done) -> Nudge | None:
        trouble = self._trouble(done) if done.streamed else None
        if len(self._window) == WINDOW and (first := self._window[0]) and first.error:
            self._failed -= 1
        self._window.append(trouble)
        if trouble is None:
            return None
        if trouble.error is None:
            return self._success(trouble) if self._standing else None
        self._failed += 1
        return self._counted(trouble)

    def _trouble(self, done: Done) -> Trouble | None:
        if done.complained or (self._failed and self._hidden(done)):
            error = done.complaint
            last = done.last if done.failed and not error.rank else ""
            return Trouble(done.deed, error, last) if error.rank or last else None
        return Trouble(done.deed, None) if done.ended.outcome in WENT_WELL else None

    def _hidden(self, done: Done) -> bool:
        """An error of the window came again, and the command line threw its exit code away."""
        if done.ended.outcome is not OK:
            return False
        out, err = done.streams
        for each in self._window:
            if each and each.error and len(gist := each.gist) > 8 and (gist in out or gist in err):
                return True
        return False

    def _counted(self, trouble: Trouble) -> Nudge | None:
        if self._failed < self.at and not self._standing:
            return None
        asked, signature = trouble.deed.asked, trouble.signature
        count, others = 0, False
        for each in self._window:
            if each is None or each.error is None:
                continue
            if (each.known or each.signature) == signature:
                count += 1
            others = others or each.deed.asked != asked
        if not (others and signature):
            return None
        if signature == self._standing:
            self._seen = self.calls.turn
        if count < self.at or len(same := self._open(signature)) < self.at:
            return None
        commands = len({each.deed.asked for each in same})
        return self._spoken(signature, same, commands) if commands >= COMMANDS else None

    def _open(self, signature: str) -> list[Trouble]:
        """Those of one kind since whose failure nothing of the same target went well."""
        well: set[str] = set()
        still = []
        for each in reversed(self._window):
            if each is None:
                continue
            if each.error is None:
                well.add(target(each.deed.command))
            elif each.signature == signature and not (well and target(each.deed.command) in well):
                still.append(each)
        return still[::-1]

    def _spoken(self, signature: str, same: list[Trouble], commands: int) -> Nudge | None:
        level = 1 + (len(same) >= self.at + WAYS_OUT) + (len(same) >= self.at + STOP)
        if level <= self._levels.get(signature, 0) or (level == 3 and self._told in (None, self.calls.turn)):
            return None
        self._levels[signature] = level
        self._standing, self._seen = signature, self.calls.turn
        self._told = self.calls.turn if self._told is None else self._told
        about = (len(same), commands, quoted(same[-1].line, QUOTE))
        if level == 3:
            why = because(Why.SAME_TOO_OFTEN, *about, _tried(same, 5, 60))
            return Nudge(Level.STOP, str(why), rank=3, event="nudge.repeated", data=as_data(why))
        text = (_note, _ways_out)[level - 1](same, commands)
        told = as_data(because((Why.SAME_AGAIN, Why.SAME_YET_AGAIN)[level - 1], *about))
        return Nudge(Level.NOTE, text, slot=SLOT, rank=level, event="nudge.repeated", data=told)

    def _success(self, well: Trouble) -> Nudge | None:
        """What went well now is no open error of the same target."""
        standing = [each for each in self._window if each and each.error and each.signature == self._standing]
        about = target(well.deed.command)
        return self._cleared() if about and any(target(each.deed.command) == about for each in standing) else None

    def _cleared(self) -> Nudge:
        """Take the note out of the tail."""
        self._levels.pop(self._standing, None)
        self._standing = ""
        return Nudge(Level.NOTE, "", slot=SLOT, event="repeated.cleared")


@lru_cache(maxsize=512)
def _signature(error: Complaint, line: str) -> str:
    """The error's signature; of a failure that says nothing of error shape, its last line."""
    return reduced(error) if error.rank else masked(line)


def _head(same: list[Trouble], commands: int) -> str:
    return f"The same error {len(same)} times from {commands} different commands: {quoted(same[-1].line, QUOTE)}."


def _tried(same: list[Trouble], count: int, limit: int) -> str:
    """The commands, the newest first."""
    return listed([bare(each.deed.command) for each in reversed(same)], count, limit)


def _note(same: list[Trouble], commands: int) -> str:
    return fitted(
        f"[repeated] {_head(same, commands)}",
        "The diagnosis is probably wrong: step back, what does this say about the state of the system?",
        f"Tried: {_tried(same, 3, 40)}.",
    )


def _ways_out(same: list[Trouble], commands: int) -> str:
    return fitted(
        f"[repeated] {_head(same, commands)}",
        "Ways out: look at the bytes of what fails (cat -A), print what it really gets, test one assumption alone, "
        "read its documentation, or tell the user what is missing.",
        f"Tried: {_tried(same, 3, 40)}.",
    )


guard = Repeated
