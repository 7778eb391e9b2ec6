"""Our end of the keeper process: starts it when it is first needed, hands it requests, reads what it reports."""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import threading
import weakref
from dataclasses import dataclass
from pathlib import Path

from agent.errors import ToolError
from agent.host.starting import BEGUN

ASK_FD = 3
PACKET = 212_992

# `-I -S` and packages without their __init__: the keeper is up in 20 ms, and nothing around it can change what it runs.
BOOT = """
import sys, types
for name in ("agent", "agent.host"):
    package = sys.modules[name] = types.ModuleType(name)
    package.__path__ = [sys.argv[1] + "/" + name.replace(".", "/")]
from agent.host.keeper import main
main()
"""


@dataclass(frozen=True, slots=True)
class Unstarted:
    """bash could not be started; `error` is an errno."""

    error: int


@dataclass(frozen=True, slots=True)
class Exited:
    """The shell ended: `status` as from waitpid(2), bash's PIPESTATUS, the folder it was in ("" = not learnt).
    `begun`: it is known that bash came to the command, or what wraps it ended before."""

    begun: bool
    status: int
    pipe: tuple[int, ...]
    cwd: str
    survivors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Over:
    """The tree had more than its limits allow, of what `excess` names, and is being ended."""

    excess: str


@dataclass(frozen=True, slots=True)
class Gone:
    """The tree was ended: how many processes there were, how many could not be killed."""

    count: int
    left: int


@dataclass(frozen=True, slots=True)
class Lost:
    """The control socket closed: nothing was left to watch, or the watcher was killed."""


Report = Unstarted | Exited | Over | Gone | Lost


def parsed(packet: bytes) -> Report:
    fields = [field.decode(errors="surrogateescape") for field in packet.split(b"\0")]
    match fields:
        case ["unstarted", error]:
            return Unstarted(int(error))
        case ["exited", status, pipe, cwd, *survivors]:
            begun, statuses = pipe.startswith(BEGUN), pipe.removeprefix(BEGUN).split()
            return Exited(begun, int(status), tuple(map(int, statuses)), cwd, tuple(survivors))
        case ["over", excess]:
            return Over(excess)
        case ["gone", count, left]:
            return Gone(int(count), int(left))
        case _:
            return Lost()


class Control:
    """One watched command. Methods may be called from any thread."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def fileno(self) -> int:
        return self._end.fileno()

    def read(self, timeout_s: float | None = None) -> Report | None:
        """The next report; None if none came within `timeout_s` seconds (None: wait for ever)."""
        poll = select.poll()
        poll.register(self._end, select.POLLIN)
        if not poll.poll(None if timeout_s is None else max(0, timeout_s * 1000)):
            return None
        try:
            return parsed(self._end.recv(PACKET))
        except OSError:
            return Lost()

    def end(self, grace_s: float) -> None:
        """Ask for the end of the whole tree; Gone or Lost follows."""
        try:
            self._end.send(f"end\0{grace_s}".encode())
        except OSError:
            return  # it has left already

    def drain(self, fds: list[int]) -> None:
        """Let the watcher go on reading these pipes, so that what was left behind can go on writing."""
        try:
            socket.send_fds(self._end, [b"drain"], fds)
        except OSError:
            return

    def close(self) -> None:
        self._end.close()


class Link:
    """Sends requests to the keeper, which is started again should somebody have killed it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ask: socket.socket | None = None
        self._pid = 0
        self._finalizer: weakref.finalize[[socket.socket], Link] | None = None

    def send(self, fields: list[bytes], fds: list[int]) -> Control:
        """Hand over one request with copies of `fds`. Raises ToolError where the keeper can't be reached."""
        packet = b"\0".join(fields)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)  # `end` is called from the event loop
        with theirs:
            for _ in range(2):
                ask = self._started()
                try:
                    socket.send_fds(ask, [packet], [*fds, theirs.fileno()])
                except ConnectionError:
                    self._drop(ask)
                    continue
                except OSError as error:
                    ours.close()
                    raise ToolError(f"The command could not be handed over: {error.strerror}. Nothing ran.") from error
                return Control(ours)
        ours.close()
        raise ToolError("The process that runs commands ended twice. Nothing ran; try again.")

    def close(self) -> None:
        """Let the keeper go; it ends when every watched tree has ended. Blocks until then."""
        if self._ask is not None:
            self._drop(self._ask)

    def _drop(self, ask: socket.socket) -> None:
        """Unless somebody else did: the keeper in use may be a new one by now."""
        with self._lock:
            if self._ask is not ask:
                return
            pid, self._ask, self._pid = self._pid, None, 0
            if self._finalizer is not None:
                self._finalizer.detach()
        ask.close()
        os.waitpid(pid, 0)

    def _started(self) -> socket.socket:
        with self._lock:
            if self._ask is None:
                self._ask, self._pid = spawn()
                self._finalizer = weakref.finalize(self, socket.socket.close, self._ask)
            return self._ask


def spawn() -> tuple[socket.socket, int]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    root = str(Path(__file__).resolve().parents[2])
    with theirs:
        pid = os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-S", "-c", BOOT, root],
            {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDWR, 0),
                (os.POSIX_SPAWN_DUP2, 0, 1),
                (os.POSIX_SPAWN_DUP2, 0, 2),
                (os.POSIX_SPAWN_DUP2, theirs.fileno(), ASK_FD),
            ],
            setsid=True,
            setsigmask=(),
            setsigdef=[signal.SIGPIPE],
        )
    return ours, pid
