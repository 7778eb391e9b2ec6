"""Failure: a card in the result of a failed call: what the exit means, the line that says most, what changed since.

An error that names a variable unexpanded is told as what it is, also where the exit code was lost (`|| true`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

from agent.complaint import Complaint
from agent.guards._calls import UNHEARD, Asking, Calls, Done, Mark
from agent.guards._literal import Literal, literal
from agent.guards._words import fitted, quoted
from agent.ports import Nudge
from agent.signature import shown
from agent.steps import Level, Outcome, Step

LINE = 160  # bytes of the error line

# bash manual, "Exit Status"; timeout(1); signal(7)
EXITS = {
    2: "wrong usage, or a file that isn't there",
    124: "timeout(1) ended it",
    126: "the file was found but can't be executed (mode, or its first line)",
    127: "the shell found no such command",
    130: "interrupted",
    134: "it aborted by itself",
    137: "killed, often for want of memory",
    139: "it touched memory that isn't its own",
    141: "its reader went away",
    143: "somebody asked it to end",
}
ENDINGS = {
    Outcome.TIMED_OUT: "The time limit ended it: give it more, a smaller task, or run it in the background.",
    Outcome.NOT_STARTED: "It could not be started at all.",
    Outcome.WARNED: "Exit code 0, yet an error was printed: it may not have done its work.",
}
_NUMBER = re.compile(r"\d+")
SCRIPT = re.compile(r"(?<![\w./~-])[\w./~-]{1,120}\.(?:sh|bash|zsh|ksh)\b")


@dataclass(slots=True)
class Failure:
    name: str = "failure"
    strict: bool = False
    deaf: ClassVar[frozenset[type[Step]]] = UNHEARD
    calls: Calls = field(default_factory=Calls, init=False, repr=False)
    _last: tuple[Asking, str] | None = field(default=None, repr=False)  # the newest failure and its error

    def observe(self, step: Step) -> Nudge | None:
        what = self.calls.read(step)
        if isinstance(what, Done):
            text = self._card(what) if what.proposed else ""
            return Nudge(Level.NOTE, text, event="nudge.failure") if text else None
        if what is Mark.RUN:
            self._last = None
        return None

    def _card(self, done: Done) -> str:
        if not done.streamed:
            return self._again(done) if done.failed else ""
        out, err = done.streams
        found = literal(err, out) if "$" in out or "$" in err else None
        if found:
            error, said = _quotation(found.line)
            return fitted(f"[failure] {_unexpanded(found, done)}", said, self._since(done, error))
        if not done.complained:
            return ""
        error, said = _of_complaint(done.complaint) if done.complaint.rank else _quotation(done.last)
        return fitted(f"[failure] {_meaning(done)}", said, self._since(done, error))

    def _again(self, done: Done) -> str:
        """A service's own words say what is wrong; only that it was tried before is worth a card."""
        since = self._since(done, gist(done.ended.text[:LINE]))
        return f"[failure] {since}" if since else ""

    def _since(self, done: Done, error: str) -> str:
        """What changed since the last failure."""
        before, self._last = self._last, (done.asked, error)
        if before is None or not error or before[1] != error:
            return ""
        if before[0] == done.asked:
            return "The same call, the same error: change something before the next try."
        return "Another call, the same error: what was changed is not the cause."


@lru_cache(maxsize=256)
def _of_complaint(complaint: Complaint) -> tuple[str, str]:
    return _quotation(shown(complaint))


def _quotation(line: str) -> tuple[str, str]:
    """An error line's gist, and how it is told; both empty where there is none."""
    return (gist(line), f"Error: {quoted(line, LINE)}") if line else ("", "")


def _unexpanded(found: Literal, done: Done) -> str:
    script = found.script or next(iter(SCRIPT.findall(done.command[:2_000])), "")
    where = f"cat -A {script}" if script else "cat -A FILE"
    return (
        f"unexpanded variable: {found.name} reached a program as it stands; PATH and settings are not the cause. "
        f"Look at the file's bytes for a backslash before the dollar ({where}), or for single quotes around it."
    )


def _meaning(done: Done) -> str:
    """What the ending means, in words."""
    ended = done.ended
    if told := ENDINGS.get(ended.outcome):
        return told
    what = EXITS.get(ended.exit_code or 0, "")
    return f"Exit code {ended.exit_code}{f': {what}' if what else ''}."


def gist(line: str) -> str:
    """An error line without its program, file and numbers, to tell it from another."""
    return _NUMBER.sub("#", ": ".join(line.rsplit(": ", 2)[-2:]).strip())


guard = Failure
