"""The facts of a session: one frozen class a kind, past tense, a closed union.

A session is the list of its steps and nothing besides. Steps are never changed; a correction is a new step. `at` is
wall time in seconds since the epoch and the only clock that guards know; they never subtract two of them: a duration
is measured monotonically by whoever did the work, and recorded in the step. The store's codec upgrades older rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Union, get_args


class Outcome(StrEnum):
    """How a call ended. Closed set."""

    OK = "ok"
    ANSWERED_NO = "answered_no"  # grep, diff, test, which ... exit 1: an answer, not a failure
    WARNED = "warned"  # exit 0 with error-shaped stderr
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    KILLED = "killed"  # by a signal
    NOT_STARTED = "not_started"
    BAD_ARGUMENTS = "bad_arguments"
    HELD = "held"  # a guard or a human did not let it run
    CANCELLED = "cancelled"  # stopped by a person
    INTERRUPTED = "interrupted"  # the process died meanwhile: it may or may not have run


class End(StrEnum):
    """How a run ended (SPEC A1). Parked and paused are not ends."""

    ANSWERED = "answered"
    UNRESOLVED = "unresolved"
    BLOCKED = "blocked"
    STOPPED = "stopped"
    LIMIT = "limit"
    FAILED = "failed"


class Trouble(StrEnum):
    """Classes of a failed model attempt (SPEC 2.4)."""

    RETRY = "retry"  # passing: a reset, a 5xx, a bad or empty reply, a time-out
    WAIT = "wait"  # the provider told us to come back later
    USER = "user"  # a person can fix it: key, money, model name
    REFUSED = "refused"  # policy of the provider
    BUG = "bug"  # our request was wrong
    OVERFLOW = "overflow"  # the request didn't fit the model's context


class Level(IntEnum):
    """NOTE tells the model, ASK lets a human decide, HOLD is the call's result instead of a run, STOP ends the run."""

    NOTE, ASK, HOLD, STOP = 1, 2, 3, 4


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call as the model made it. `arguments` is the raw JSON text; `id` is unique within the session."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call; `estimated` when the reply carried none."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Stream:
    """What is kept of one output stream: head and tail (8 kB each), the size in bytes and the SHA-256 of the whole."""

    head: str = ""
    tail: str = ""  # empty while the head holds everything
    size: int = 0
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """One file that a call touched. A hash is SHA-256 in hex, "" where there was no file, None where it is unknown."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model is offered it: JSON schema of its arguments as JSON text, so that its bytes never change."""

    name: str
    description: str
    parameters: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened(Fact):
    """A leg began: everything that stays fixed in the request's prefix."""

    prompt: str
    tools: tuple[ToolSpec, ...]
    model: str
    panel: str
    day: str
    cwd: str
    nonce: str
    workspace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Fact):
    """A person (or a parent session) said something. `ref` (channel:bot:chat:message) is unique over all sessions."""

    text: str
    author: str  # channel:numeric id
    ref: str | None = None
    name: str = ""  # as displayed; never trusted
    role: str = "operator"
    forwarded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected(Fact):
    """The author edited the message `ref`."""

    text: str
    author: str
    ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said(Fact):
    """The model replied. `upto` is the newest sequence number that its request had shown."""

    text: str
    calls: tuple[Call, ...] = ()
    upto: int = 0
    finish: str = "stop"
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    duration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed(Fact):
    """An attempt to reach the model failed. `text` is a sentence; `retry_after` is in seconds."""

    trouble: Trouble
    text: str
    status: int | None = None
    retry_after: float | None = None
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    duration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed(Fact):
    """A call is about to run; guards may speak."""

    call: Call
    effect: str  # read | write


@dataclass(frozen=True, slots=True, kw_only=True)
class Started(Fact):
    """The intent of an effect, stored before it. A write that started and didn't finish is never re-run by itself."""

    call_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished(Fact):
    """A call has its result. `text` goes to the model, `details` to the chat. `files` is None where it is unknown."""

    call_id: str
    tool: str
    outcome: Outcome
    text: str
    details: str = ""
    exit_code: int | None = None
    duration: float = 0.0
    cwd: str | None = None
    stdout: Stream | None = None
    stderr: Stream | None = None
    files: tuple[Change, ...] | None = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Nudged(Fact):
    """A guard spoke. `about` is the call it spoke about, if any; `slot` names the place in the tail."""

    guard: str
    event: str
    level: Level
    text: str
    slot: str | None = None
    rank: int = 0
    about: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Looking(Fact):
    """A guard asked the world a question; `args` is JSON text."""

    look: str
    guard: str
    probe: str
    args: str
    about: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen(Fact):
    """The answer to a look; a time-out or an error is a value too."""

    look: str
    probe: str
    value: str  # JSON text
    status: str = "ok"  # ok | timeout | error


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided(Fact):
    """A human, expiry or an ordinary message decided on a call. verdict: allow | deny | withdrawn | expired."""

    call_id: str
    verdict: str
    by: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commanded(Fact):
    """A person steered the run. command: stop | pause | resume | continue."""

    command: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed(Fact):
    """A checkpoint: the next leg starts from it alone. `state` is the guards' counters as a versioned JSON snapshot."""

    checkpoint: str  # JSON text
    text: str  # the same for the model
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parked(Fact):
    """The run waits, no task held. `until` is wall time, None = until somebody speaks."""

    until: float | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(Fact):
    """The run goes on after a park or a restart. cause: restart | timer | message | person."""

    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged(Fact):
    """Bulk content up to and including `upto` was removed by retention."""

    upto: int
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended(Fact):
    """The run is over. `reason` is a sentence; empty for a plain answer."""

    end: End
    reason: str = ""


Step = Union[
    Opened, Asked, Corrected, Said, Failed, Proposed, Started, Finished, Nudged, Looking, Seen,
    Decided, Commanded, Handed, Parked, Resumed, Purged, Ended,
]  # fmt: skip
KINDS: tuple[type[Step], ...] = get_args(Step)
