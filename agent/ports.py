"""The seams of the program: what the engine asks of the outside, as Protocols and the plain values that cross them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from agent.machine import Box as Box
from agent.machine import Child as Child
from agent.machine import Command as Command
from agent.machine import Host as Host
from agent.machine import Job as Job
from agent.machine import Jobs as Jobs
from agent.machine import Ran as Ran
from agent.machine import Sandbox as Sandbox
from agent.steps import Change, End, Failed, Level, Outcome, Parcel, Said, Step, Stream, ToolSpec, Usage

if TYPE_CHECKING:
    from pydantic import BaseModel

    from agent.registry import Workshop


# -- time -----------------------------------------------------------------------------------------------------------
class Clock(Protocol):
    """Wall time for facts, monotonic time for durations, sleep for waits; tests move it by hand."""

    def now(self) -> float: ...
    def monotonic(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...


# -- the journal ----------------------------------------------------------------------------------------------------
class Journal(Protocol):
    """Append-only steps by session. Sequence numbers start at 1 and have no gaps."""

    async def append(self, session: str, seq: int, batch: str, *steps: Step) -> None:
        """Write `steps` at seq, seq + 1, ... in one transaction, all or none.

        The same batch id at the same place again is our own retry after a lost reply: it succeeds and writes nothing.
        Raises Conflict when somebody else wrote there, or when an Asked's ref is already in the journal; StoreBusy when
        the store stayed locked (nothing was written); StoreError for anything else.
        """

    async def read(self, session: str, after: int = 0) -> list[tuple[int, Step]]:
        """All steps with seq > after, in order, upgraded to the current versions."""

    async def unfinished(self) -> list[str]:
        """Sessions whose newest run has not ended, oldest first."""

    async def find_ref(self, ref: str) -> tuple[str, int] | None:
        """Where the Asked with this ref stands: (session, seq), or None."""


# -- the model ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Delta:
    """Text on its way to a screen: never stored, never judged, may be dropped. `restart`: earlier deltas are void.
    `ahead`: the request waits its turn behind so many others; 0 when its turn has come."""

    text: str = ""
    restart: bool = False
    ahead: int | None = None


Message = dict[str, Any]  # one entry of a chat-completions request


class Model(Protocol):
    name: str

    def reply(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncGenerator[Delta | Said | Failed, None]:
        """Yield Deltas, then exactly one Said or Failed. Raises nothing but CancelledError.

        `Said.upto` is left 0 and `at` is set by the model's clock; the loop fills in `upto`.
        """


# -- tools ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Result:
    """What a tool returns: `text` for the model, `details` for the chat, and the facts that Finished carries. `ends`:
    the run ends so after this call, unless something is said meanwhile; `details` is then the reason, or empty."""

    text: str
    details: str = ""
    outcome: Outcome = Outcome.OK
    exit_code: int | None = None
    duration: float | None = None
    cwd: str | None = None
    stdout: Stream | None = None
    stderr: Stream | None = None
    files: tuple[Change, ...] | None = ()
    ends: End | None = None
    usage: Usage | None = None  # of a child session
    tainted: bool = False  # words from elsewhere are in it
    parcel: Parcel | None = None  # a file that the chat is sent
    job: str = ""  # the background job that was begun, or whose end this tells


@dataclass(frozen=True, slots=True)
class Errand:
    """What a child session is to do: with which tools (none named: all of its parent's), in how many replies of the
    model and how many tokens."""

    task: str
    tools: tuple[str, ...] = ()
    turns: int = 12
    tokens: int = 100_000


Spawn = Callable[[Errand], Awaitable[Result]]  # runs a child session to its end; raises ToolError


class Ask(Protocol):
    async def __call__(
        self, messages: Sequence[Message], timeout_s: float, most: int, model: str = ""
    ) -> Said | Failed:
        """One request to the model without tools, answered in at most `timeout_s` seconds and about `most` tokens; what
        is longer is cut, with finish "cut". `model` "" = the session's own. What it costs is booked on the call or look
        that asks. Raises TimeoutError."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A session in a list. `title` is how its first message began, `updated` wall time."""

    session: str
    title: str
    updated: float
    running: bool


class Past(Protocol):
    """The sessions of one chat, as far as the store still holds them."""

    async def newest(self, session: str, count: int) -> list[Listed]:
        """Those of the same place as `session`, the newest first. Raises ToolError where they can't be read."""

    async def steps(self, session: str, other: str) -> list[tuple[int, Step]] | None:
        """The journal of `other`; None where it isn't of the same place. Raises ToolError where it can't be read."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """What a tool may know about its call, or a probe about its look. `read_hashes` are path -> SHA-256 of files as
    this session last saw them."""

    session: str
    call_id: str
    workspace: str
    cwd: str
    timeout_s: float
    host: Host
    forbidden: tuple[str, ...] = ()  # absolute paths of our own state: out of reach
    read_hashes: dict[str, str] = field(default_factory=dict)
    run: str = ""  # session:seq of the message that began the run; what /undo undoes
    box: bool = False  # commands run in the sandbox
    network: bool = False
    undo: Undo | None = None
    workshop: Workshop | None = None
    web: Web | None = None
    spawn: Spawn | None = None
    ask: Ask | None = None
    past: Past | None = None
    screen: Screen | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the web as text, after its redirects. `kind` is its media type, `note` says what is missing of it."""

    url: str
    status: int
    kind: str
    title: str
    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a web search."""

    title: str
    url: str
    text: str


class Web(Protocol):
    """The public web. What comes from it is untrusted."""

    async def fetch(self, url: str, timeout_s: float) -> Page:
        """The page at `url`. Raises ToolError where it can't be had, is no text, or isn't public."""

    async def search(self, query: str, count: int) -> tuple[Hit, ...]:
        """At most `count` hits. Raises ToolError where there is no search, or it fails."""


class Undo(Protocol):
    """Keeps what files held before a run changed them. Paths are absolute, their folders without links."""

    def keep(self, run: str, path: str) -> None:
        """Remember the file (or its absence) as it is now, unless this run has kept it already. Blocking, short.
        Raises ToolError where it can't be kept although it should be."""

    def left(self, run: str, path: str) -> None:
        """After `keep`: the run has written the path, or given it up. Blocking, short. Raises nothing."""

    async def was(self, run: str, path: str) -> bytes | None:
        """What the file held before the run touched it (its first megabyte), empty where there was none; None where
        that isn't known. Raises nothing."""

    async def before_command(self, run: str, workspace: str) -> str:
        """Remember the workspace, as far as the bounds go; returns "", or why the command can't be undone. Raises
        nothing."""

    async def after_command(self, run: str, workspace: str) -> None:
        """After each `before_command`, however the command ended: note what it changed. Raises nothing."""


class Tool(Protocol):
    name: str
    effect: str  # "read" | "write"
    description: str
    arguments: type[BaseModel]

    async def run(self, call: CallContext, args: Any) -> Result:
        """Do it. Raises ToolError("a sentence the model can act on") and nothing else."""


# -- guards and probes ----------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Nudge:
    """What a guard says. No slot: it rides where it was said; a slot: only the newest stands, in the tail. A HOLD about
    no call, without a slot, holds back the text that was to end the run: the nudge goes to the model instead."""

    level: Level
    text: str
    slot: str | None = None
    rank: int = 0
    event: str = "nudge"
    data: str = ""  # JSON text for those who show or check it


@dataclass(frozen=True, slots=True)
class Look:
    """A guard's question to the world, answered by the probe of that name as a Seen step."""

    probe: str
    args: str = "{}"


class Guard(Protocol):
    """Watches the steps. Pure: no I/O, no clock, no randomness, no other guard. Its fields are its settings; what it
    remembers is a fold of the steps it was shown, so that a replay gives the same nudges. One with a field `heeds`
    may answer nudges of these events, too, by a look or a note."""

    name: str
    strict: bool  # True: if it raises on a proposed call, the call is held

    def observe(self, step: Step) -> Nudge | Look | None: ...


class Probe(Protocol):
    name: str
    timeout_s: float

    async def look(self, call: CallContext, args: str) -> str:
        """Answer a look with JSON text. `call` is what a command in its place would be given."""


class Screen(Protocol):
    """The redactor as the engine sees it."""

    def text(self, text: str) -> str:
        """Mask our own secrets."""

    def output(self, text: str) -> str:
        """Mask our own secrets and whatever is shaped like a key."""

    def holds_secret(self, text: str) -> bool: ...
    def holds_mask(self, text: str) -> bool: ...


Reach = Callable[[str], None]  # a failpoint: called with its name (FAULTS K0 to K14), does nothing unless armed
Watcher = Callable[[str, int, Step], None]  # (session, seq, step); must not block, must not raise
