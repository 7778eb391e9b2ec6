"""The plain values that steps are made of: closed sets and small frozen records."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum


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
    TOOLS = "tools"  # the provider refused a tool of the request


class Level(IntEnum):
    """NOTE tells the model, ASK lets a human decide, HOLD is the call's result instead of a run, STOP ends the run."""

    NOTE, ASK, HOLD, STOP = 1, 2, 3, 4


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call as the model made it. `arguments` is the raw JSON text; `id` is unique within the session. `mended`
    says in words what had to be repaired before the arguments were JSON; they are then the repaired ones."""

    id: str
    name: str
    arguments: str
    mended: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call; `estimated` when the reply carried none. `cached` is a part of `prompt`; `money` is in
    US dollars, None where nobody knows it; `expected` is our own estimate of `prompt` where the server
    counted far less, as one does that cuts what it is sent; else 0. `of` is the number of calls that it sums up, 0 for
    one."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    estimated: bool = False
    money: float | None = None
    expected: int = 0
    of: int = 0

    @property
    def tokens(self) -> int:
        return self.prompt + self.completion

    @property
    def calls(self) -> int:
        """How many calls of a model it counts; none for nothing at all."""
        return self.of or int(self.tokens > 0 or bool(self.money))

    def __add__(self, other: Usage) -> Usage:
        """Both together; money as far as it is known."""
        known = [each.money for each in (self, other) if each.money is not None]
        return Usage(
            prompt=self.prompt + other.prompt,
            completion=self.completion + other.completion,
            cached=self.cached + other.cached,
            estimated=self.estimated or other.estimated,
            money=sum(known) if known else None,
            of=self.calls + other.calls,
        )


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
class Picture:
    """A picture that somebody sent: the absolute path of its file, and the SHA-256 of its bytes in hex."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Parcel:
    """A file that goes to the user: its absolute path, and the size in bytes and the SHA-256 in hex of what may go."""

    path: str
    size: int
    sha256: str
    caption: str = ""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model is offered it: JSON schema of its arguments as JSON text, so that its bytes never change."""

    name: str
    description: str
    parameters: str
