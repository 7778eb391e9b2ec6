"""What the guards of this folder fold alike: the calls of a run as they finish, and the run's borders.

A guard by itself keeps a `Calls` of its own; on a panel they share one, which is folded before any of them is shown the
step, so that none depends on another. What takes time is worked out only when it is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import ClassVar

from agent.complaint import Complaint, pick
from agent.guards._effects import acts_outside, changes, code_writes, waits
from agent.signature import salient_of
from agent.steps import (
    KINDS,
    Asked,
    Call,
    Commanded,
    Corrected,
    Decided,
    Ended,
    Failed,
    Finished,
    Looking,
    Nudged,
    Opened,
    Outcome,
    Parked,
    Proposed,
    Purged,
    Resumed,
    Said,
    Seen,
    Started,
    Step,
    Stream,
)

# An attribute of an enumeration costs three times what a name does, and these are asked for at every call.
OK, ANSWERED_NO, WARNED, HELD, BAD_ARGUMENTS = (
    Outcome.OK, Outcome.ANSWERED_NO, Outcome.WARNED, Outcome.HELD, Outcome.BAD_ARGUMENTS,
)  # fmt: skip
FAILURES = frozenset({Outcome.FAILED, Outcome.TIMED_OUT, Outcome.KILLED, Outcome.NOT_STARTED})
OURS = frozenset({"shell", "write_file", "edit_file"})  # tools whose `files` is what changed, not just unsaid
SHORT = 3  # characters: an output below that says nothing by itself
NO_STREAM = Stream()
WHOLE = 200  # characters up to which a text stands for itself, not by its hash

QUIET: frozenset[type[Step]] = frozenset(
    {Started, Nudged, Looking, Seen, Failed, Decided, Commanded, Parked, Resumed, Purged}
)
"""Steps that tell these guards nothing."""
BORDERS = frozenset(KINDS) - QUIET - {Said, Proposed, Finished}
UNHEARD = frozenset(KINDS) - BORDERS - {Finished}
"""Steps that most of them needn't be shown: that a call was made or proposed, `Calls` remembers for them."""
Asking = tuple[str, str, str]  # tool, arguments as the model wrote them, folder
Result = tuple[str | int | None, ...]


class Mark(Enum):
    """What isn't a call but matters to every guard."""

    RUN = "a run began"
    MESSAGE = "somebody spoke during the run"


@dataclass(slots=True, eq=False)
class Deed:
    """What a call may have changed: light enough to be kept for a whole run."""

    asked: Asking
    effect: str  # "" where the call was never proposed, since nothing could run
    outcome: Outcome
    touched: bool | None  # whether files are known to have changed
    known: bool | None = None  # `changed`, once it was asked for

    @property
    def command(self) -> str:
        """The command line of a shell call, the code of a cell, or whatever single text the call carries."""
        return command_of(self.asked[1])

    @property
    def changed(self) -> bool:
        """Whether it changed something: by what changed on disk where that is known, else by its verb."""
        if self.known is None:
            self.known = self.surely_changed or (self.effect == "write" and self._by_verb())
        return self.known

    @property
    def surely_changed(self) -> bool:
        """It is known to have changed something: files, or, having gone well, what no look at the files can show."""
        if self.touched is None or self.touched:
            return bool(self.touched)
        return self.asked[0] == "shell" and self.outcome is OK and acts_outside(self.command)

    def _by_verb(self) -> bool:
        tool = self.asked[0]
        if self.touched is not None and tool in OURS:
            return False
        if tool == "shell":
            return changes(self.command)
        return code_writes(self.command) if tool == "python" else True


@dataclass(slots=True, eq=False)
class Done:
    """A call with its result. Equal `result` means exactly equal results."""

    asked: Asking  # equal for the same tool, arguments and folder
    tool: str
    deed: Deed
    ended: Finished
    proposed: Proposed | None
    streamed: bool  # a program with output streams (a command, a cell), not a service with a text
    failed: bool  # wrong arguments are not among the failures: they are counted apart
    complained: bool  # failed, or printed an error
    result: Result
    keys: tuple[Hashable, Hashable] | None = None  # under which the result counts as seen (see _repeats)
    _complaint: Complaint | None = None
    _streams: tuple[str, str] | None = None
    _last: str | None = None
    _waited: bool | None = None

    @property
    def command(self) -> str:
        return self.deed.command

    @property
    def waited(self) -> bool:
        """It waited for a job: to do so again is no loop."""
        if self._waited is None:
            self._waited = self.tool == "jobs" or (self.tool == "shell" and waits(self.command))
        return self._waited

    @property
    def short(self) -> bool:
        """Whether it printed less than says anything."""
        if not self.streamed:
            return len(self.ended.text) < 16 and len(self.ended.text.strip()) < SHORT
        out, err = self.ended.stdout or NO_STREAM, self.ended.stderr or NO_STREAM
        return out.size < 16 and err.size < 16 and len(out.head.strip()) + len(err.head.strip()) < SHORT

    @property
    def streams(self) -> tuple[str, str]:
        """What was kept of stdout and stderr."""
        if self._streams is None:
            self._streams = (text_of(self.ended.stdout), text_of(self.ended.stderr))
        return self._streams

    @property
    def complaint(self) -> Complaint:
        """The line that says what went wrong."""
        if self._complaint is None:
            self._complaint = pick(*self.streams)
        return self._complaint

    @property
    def last(self) -> str:
        """The line to quote where nothing that was printed has the shape of an error: the last one that isn't empty."""
        if self._last is None:
            self._last = salient_of(*self.streams)
        return self._last


@dataclass(slots=True, eq=False)
class Calls:
    """Joins a call's words to its result: the same for every guard, so that a panel keeps one for all of them."""

    deaf: ClassVar[frozenset[type[Step]]] = QUIET
    turn: int = 0
    cwd: str = ""
    tools: tuple[str, ...] = ()  # that the model is offered
    _running: bool = False
    _said: tuple[Call, ...] = ()
    _proposed: dict[str, Proposed] = field(default_factory=dict)
    _newest: Step | None = None
    _what: Done | Mark | None = None

    def read(self, step: Step) -> Done | Mark | None:
        """What this step was; folds it, unless the panel has done so."""
        if step is not self._newest:
            self.fold(step)
        return self._what

    def fold(self, step: Step) -> None:
        """Take in every step once and in order, but the quiet ones may be left out."""
        self._newest = step
        if type(step) is Finished:
            self._what = self._finished(step)
            return
        self._what = None
        if type(step) is Proposed:
            self._proposed[step.call.id] = step
        elif type(step) is Said:
            self.turn += 1
            self._said = step.calls
            self._proposed.clear()
        elif type(step) not in QUIET:
            self._what = self._border(step)

    def asked(self, call: Call) -> Asking:
        """How this call is told from others, were it made now."""
        return (call.name, call.arguments, self.cwd)

    def _border(self, step: Step) -> Mark | None:
        match step:
            case Asked() if not self._running:
                self._running = True
                self._proposed.clear()
                return Mark.RUN
            case Asked() | Corrected() if self._running:
                return Mark.MESSAGE
            case Ended():
                self._running = False
            case Opened():
                self.cwd = self.cwd or step.cwd
                self.tools = tuple(tool.name for tool in step.tools)
            case _:
                pass
        return None

    def _finished(self, step: Finished) -> Done | None:
        proposed = self._proposed.pop(step.call_id, None)
        cwd = self.cwd
        if step.cwd is not None:
            self.cwd = step.cwd
        call = proposed.call if proposed else next((call for call in self._said if call.id == step.call_id), None)
        return _read((call.name, call.arguments, cwd), proposed, step) if call else None


def _read(asked: Asking, proposed: Proposed | None, ended: Finished) -> Done:
    outcome, out, err = ended.outcome, ended.stdout, ended.stderr
    streamed = out is not None or err is not None
    # Streams go by the hashes of the whole: a text for the model may be cut or carry a duration. Numbers aren't masked:
    # they are the progress (with masks 72 % of MLGym's successes alarm).
    if streamed:
        result: Result = (outcome, ended.exit_code, out.sha256 if out else "", err.sha256 if err else "")
    else:
        # equal texts have equal hashes, and others hardly ever
        result = (outcome, ended.text if len(ended.text) <= WHOLE else hash(ended.text))
    failed = outcome in FAILURES
    touched = None if ended.files is None else bool(ended.files)
    deed = Deed(asked, proposed.effect if proposed else "", outcome, touched)
    return Done(asked, asked[0], deed, ended, proposed, streamed, failed, failed or outcome is WARNED, result)


@lru_cache(maxsize=64)
def command_of(arguments: str) -> str:
    """The one text that a call of a shell or an interpreter carries: `command`, else its only field, else all of it."""
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    if not isinstance(given, dict):
        return arguments
    command = given.get("command", next(iter(given.values()), "") if len(given) == 1 else "")
    return command if isinstance(command, str) else ""


def text_of(stream: Stream | None) -> str:
    """What was kept of a stream."""
    if stream is None:
        return ""
    return f"{stream.head}\n{stream.tail}" if stream.tail else stream.head
