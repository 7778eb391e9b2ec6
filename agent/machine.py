"""The machine as the engine asks for it: commands that are waited for, commands that go on, and their sandbox."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from agent.steps import Change, Outcome, Stream


@dataclass(frozen=True, slots=True)
class Command:
    """One shell command to run. `cwd` and `workspace` are absolute paths; `timeout_s` is in seconds; `owner` (the
    session id) names whose survivors they are, `id` (the call id) names the full-output files. `box`: inside the
    sandbox, with or without `network`. `run` is the name by which a run is undone and stopped."""

    text: str
    cwd: str
    workspace: str
    timeout_s: float
    owner: str
    id: str
    box: bool = False
    network: bool = False
    run: str = ""
    variables: tuple[tuple[str, str], ...] = ()  # on top of the host's own


@dataclass(frozen=True, slots=True)
class Box:
    """The bounds of a sandboxed command: the root is read-only, `writable` folders are not, `hidden` paths aren't
    there. Without `network` only loopback of its own exists."""

    writable: tuple[str, ...]
    hidden: tuple[str, ...]
    cwd: str
    network: bool = False
    processes: int = 256
    memory_bytes: int = 2 << 30
    file_bytes: int = 1 << 30


class Sandbox(Protocol):
    """A way to confine a command."""

    name: str  # bubblewrap | landlock | none
    confines: bool  # False: it runs as it is, and tier 1 must be asked for
    complaint: str  # how stderr begins where the box itself could not be made; "" for none

    def wrap(self, argv: Sequence[str], box: Box) -> list[str]:
        """The argv that runs `argv` inside the box. The environment and the working directory are the caller's."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a command. `full` are the paths of the whole outputs where they exceed what is kept;
    `survivors` are "pid name" of processes it left behind; `files` is None where the change is unknown."""

    outcome: Outcome
    exit_code: int | None
    signal: int | None
    duration: float
    cwd: str
    stdout: Stream
    stderr: Stream
    full: tuple[str, ...] = ()
    survivors: tuple[str, ...] = ()
    files: tuple[Change, ...] | None = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """A background command as it stands: `id` is unique within its session, `begun` is wall time, `ran` is what came
    of it so far. While it is `running`, an exit code in `ran` means that only what its shell left behind still runs.
    `why` is a sentence where it didn't end by itself."""

    id: str
    command: str
    begun: float
    running: bool
    ran: Ran
    why: str = ""


class Jobs(Protocol):
    """Background commands: they outlive the run that began them, and end with this process at the latest. `ended` is
    called with the owner and the job, from any thread, when one has ended that wasn't over at once."""

    ended: Callable[[str, Job], None]

    async def begin(self, command: Command) -> Job:
        """Start it; returns after a short look, so that an immediate failure is known. Raises ToolError where it
        can't be started or too many run already."""

    async def of(self, owner: str) -> tuple[Job, ...]:
        """A session's jobs, those of earlier processes included, the newest last."""

    async def wait(self, owner: str, job: str, timeout_s: float) -> Job:
        """Until it has ended or the time is over. Raises ToolError for an id that isn't known."""

    async def kill(self, owner: str, job: str) -> Job:
        """End it and all that it started. Raises ToolError for an id that isn't known."""

    def running(self, owner: str) -> int:
        """How many of a session's run now."""

    async def end(self, owner: str = "", run: str = "") -> int:
        """End the jobs of a run, of a session, or all; returns how many were running."""


class Child(Protocol):
    """A program of ours that is talked with. The descriptors are the caller's to close."""

    stdin: int
    stdout: int

    def end(self) -> None:
        """See to the end of it and of all that it started; returns at once. It ends with us in any case."""


class Host(Protocol):
    """The machine: runs commands. One instance serves all sessions."""

    jobs: Jobs

    async def run(self, command: Command) -> Ran:
        """Run it to its end, its time limit or our cancellation; after a cancellation its whole tree is gone before
        CancelledError goes on. Raises ToolError where it can't be started."""

    async def child(self, argv: Sequence[str], name: str, variables: Mapping[str, str]) -> Child:
        """Start a program, outside of any sandbox, in the environment of commands with these `variables` on top. Raises
        ToolError where it can't be started."""

    async def reap(self, owner: str) -> int:
        """Kill what this session's commands left behind; returns how many processes."""

    async def sweep(self) -> int:
        """At start: kill what a crashed predecessor's commands left behind on this home; returns how many processes."""
