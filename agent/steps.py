"""The facts of a session: one frozen class a kind, past tense, a closed union.

A session is the list of its steps and nothing besides. Steps are never changed; a correction is a new step. `at` is
wall time in seconds since the epoch and the only clock that guards know; they never subtract two of them: a duration
is measured monotonically by whoever did the work, and recorded in the step. The store's codec upgrades older rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Union, get_args

from agent.values import (
    Call as Call,
)
from agent.values import (
    Change as Change,
)
from agent.values import (
    End as End,
)
from agent.values import (
    Level as Level,
)
from agent.values import (
    Outcome as Outcome,
)
from agent.values import (
    Parcel as Parcel,
)
from agent.values import (
    Picture as Picture,
)
from agent.values import (
    Stream as Stream,
)
from agent.values import (
    ToolSpec as ToolSpec,
)
from agent.values import (
    Trouble as Trouble,
)
from agent.values import (
    Usage as Usage,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened(Fact):
    """A leg began: everything that stays fixed in the request's prefix. `context` is in tokens, 0 = unknown, `ratio` in
    bytes a token as it was known then; `goes_on`: the leg before it had grown too long, and its turns count on."""

    prompt: str
    tools: tuple[ToolSpec, ...]
    model: str
    panel: str
    day: str
    cwd: str
    nonce: str
    workspace: str = ""
    mode: str = "full"  # the standing mode: sandbox | ask | full
    tier: str = ""  # small | mid | large
    context: int = 0
    ratio: float = field(default=3.5, compare=False)  # a better guess is no reason for a new leg
    goes_on: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered(Fact):
    """The tool list changed within a leg. `added` come last, but a known name's new definition takes its old place;
    `dropped` are names that are no longer sent to this model, because its provider refuses them."""

    added: tuple[ToolSpec, ...] = ()
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Fact):
    """A person (or a parent session) said something. `ref` (channel:bot:chat:message) is unique over all sessions.
    `context` came along and is material, not the person's words: what they reply to, which files they sent."""

    text: str
    author: str  # channel:numeric id
    ref: str | None = None
    name: str = ""  # as displayed; never trusted
    role: str = "operator"
    forwarded: bool = False
    again: bool = False  # a failed run is taken up again: its goal stands
    context: str = ""
    pictures: tuple[Picture, ...] = ()
    tainted: bool = False  # a parent session asks, and words from elsewhere are among those that it acts on


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected(Fact):
    """The author edited the message `ref`. `context` as in Asked."""

    text: str
    author: str
    ref: str
    context: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said(Fact):
    """The model replied. `upto` is the newest sequence number that its request had shown. finish: stop | tool_calls |
    length | cut | refusal | written (the calls were written as text and are not to be run)."""

    text: str
    calls: tuple[Call, ...] = ()
    upto: int = 0
    finish: str = "stop"
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    duration: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed(Fact):
    """An attempt to reach the model failed. `text` is a sentence, `causes` the same as JSON text (agent.causes);
    `retry_after` is in seconds; `hint` is what the model is told before it is asked again. `then`: that model is asked
    at once instead. `again`: the next try, number `attempt` of `attempts`, comes so many seconds later."""

    trouble: Trouble
    text: str
    status: int | None = None
    retry_after: float | None = None
    hint: str = ""
    limit: int | None = None  # tokens that the model takes, and
    asked: int | None = None  # tokens that the request had, where the provider named them
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    duration: float = 0.0
    then: str = ""
    again: float | None = None
    attempt: int = 0
    attempts: int = 0
    tools: tuple[str, ...] = ()  # which a provider refused by name
    suspects: tuple[str, ...] = ()  # which it may have meant
    causes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed(Fact):
    """A call is about to run; guards may speak. `command` is the shell text that a custom tool's call comes to, its
    arguments as assignments; "" for tools of ours."""

    call: Call
    effect: str  # read | write
    command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started(Fact):
    """The intent of an effect, stored before it. A write that started and didn't finish is never re-run by itself."""

    call_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished(Fact):
    """A call has its result. `text` goes to the model, `details` to the chat. `files` is None where it is unknown.
    `ends`: the run ends so after this call, with `details` as the reason, unless something is said meanwhile. `usage`:
    what the model cost within the call, that of a child session included; `tainted`: so was the child at its end;
    `parcel`: a file that the chat is sent; `job`: the background job that the call began, or whose end it tells."""

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
    ends: End | None = None
    usage: Usage | None = None
    tainted: bool = False
    parcel: Parcel | None = None
    job: str = ""


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
    data: str = ""  # JSON text for those who show or check it


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
    """The answer to a look; a time-out or an error is a value too. `usage`: what the model cost within it."""

    look: str
    probe: str
    value: str  # JSON text
    status: str = "ok"  # ok | timeout | error
    usage: Usage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided(Fact):
    """A human, expiry or an ordinary message decided on a call. verdict: allow | deny | withdrawn | expired."""

    call_id: str
    verdict: str
    by: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commanded(Fact):
    """A person steered. command: stop | pause | resume | continue | again (ask once more) | mode | model."""

    command: str
    by: str
    value: str = ""  # of mode; of model: its name, "" for the settings' own
    until: float | None = None  # wall time


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed(Fact):
    """A checkpoint. If `fresh`, the next leg starts from it alone; one that is only kept can be gone on from later.
    `state` is the guards' counters as a versioned JSON snapshot."""

    checkpoint: str  # JSON text
    text: str  # the same for the model
    state: str = ""
    fresh: bool = True
    cause: str = "turns"  # turns | context (the request had become too long; the leg's turns count on) | person


@dataclass(frozen=True, slots=True, kw_only=True)
class Parked(Fact):
    """The run waits, no task held. `until` is wall time, None = until somebody speaks. `why` is a sentence, `causes`
    the same as JSON text (agent.causes)."""

    until: float | None
    why: str
    causes: str = ""


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
    """The run is over. `reason` is a sentence, empty for a plain answer; `causes` the same as JSON text (agent.causes),
    "" where the words are a model's own."""

    end: End
    reason: str = ""
    causes: str = ""


Step = Union[
    Opened, Asked, Corrected, Said, Failed, Proposed, Started, Finished, Nudged, Looking, Seen,
    Decided, Commanded, Handed, Parked, Resumed, Purged, Ended,
    Offered,
]  # fmt: skip
KINDS: tuple[type[Step], ...] = get_args(Step)
