"""The keeper: a small process of our own that starts commands and can end each one's whole tree.

One fork of it watches each command as its child subreaper (prctl(2)): whatever the command starts, with setsid, nohup
or a double fork, stays below that fork. When the bot dies, its ends of the sockets close and each tree is ended. The
bot itself can't do this: a fork of a large process is slow, and orphans that end up with it have no name.

Messages are packets of fields joined by NUL. Asked: `run, cwd, text, NAME=value...` with three descriptors (stdout,
stderr, control) or `sweep, NAME=value` with one (control). Then on control, to us: `end, grace`, `drain` with
descriptors; from us: `unstarted, errno`, `exited, wait status, pipe statuses, cwd, "pid name"...`, `gone, count, left`.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import NoReturn

from agent.host import tree

ASK_FD = 3
PRELUDE_FD = 100
REPORT_FD = 101
PACKET = 212_992  # the kernel's default socket buffer: no packet is larger
PR_SET_CHILD_SUBREAPER = 36
LIBC = ctypes.CDLL(None)
DEFAULTED = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
DYING_S = 0.03  # the rest of a pipeline may need a moment to notice that it is over
DRAIN_PAUSE_S = 0.02
NAMED_SURVIVORS = 20
# Bash reads this before the command and forgets it: `bash -c` stays exact, the line numbers in its messages too.
PRELUDE = f"""unset BASH_ENV
trap '{{ builtin printf "%s " "${{PIPESTATUS[@]}}"; builtin echo; builtin pwd -P; }} 2>/dev/null \
>|"/proc/$PPID/fd/{REPORT_FD}"' EXIT
"""


def adopt_orphans() -> None:
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def wake_on_child() -> int:
    """A descriptor that becomes readable whenever a child ends."""
    reading, writing = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    return reading


def emptied(fd: int) -> bytes:
    try:
        return os.read(fd, 65_536)
    except BlockingIOError:
        return b""


def received(end: socket.socket, size: int, count: int) -> tuple[bytes, list[int]]:
    """One packet and its descriptors, which no command inherits; empty at the end of file."""
    try:
        message, fds, _, _ = socket.recv_fds(end, size, count)
    except ConnectionResetError:  # closed with something of ours unread
        return b"", []
    for fd in fds:
        os.set_inheritable(fd, False)
    return message, fds


def reaped() -> dict[int, int] | None:
    """Wait statuses of the children that ended by now, by pid; None when there are no children at all."""
    statuses: dict[int, int] = {}
    try:
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            statuses[ended[0]] = ended[1]
    except ChildProcessError:
        return statuses or None
    return statuses


class Watch:
    """One command, in its own fork, from its start until nothing of it is left."""

    def __init__(self) -> None:
        adopt_orphans()
        self.wake = wake_on_child()
        self.shell = 0
        self.status: int | None = None
        self.drains: list[int] = []

    def serve(self, fields: list[bytes], fds: list[int]) -> None:
        """One request, with the control socket as the last of `fds`."""
        self.control = socket.socket(fileno=fds[-1])
        if fields[0] == b"sweep":
            count, left = tree.end(lambda: tree.marked(fields[1]), 0.5, reaped)
            self.tell("gone", count, left)
            return
        try:
            self.start(fields[1], fields[2], fields[3:], fds[0], fds[1])
        except OSError as error:
            self.tell("unstarted", error.errno)
            return
        self.follow()

    def start(self, cwd: bytes, text: bytes, environment: list[bytes], stdout: int, stderr: int) -> None:
        """Start bash. Raises OSError."""
        reading, writing = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self.report = reading
        os.dup2(writing, REPORT_FD, inheritable=False)
        variables = dict(entry.split(b"=", 1) for entry in environment)
        variables[b"BASH_ENV"] = b"/proc/%d/fd/%d" % (os.getpid(), PRELUDE_FD)
        os.umask(0o022)
        os.chdir(cwd)
        self.shell = os.posix_spawn(
            b"/bin/bash",
            [b"bash", b"-o", b"pipefail", b"-c", text],
            variables,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, stdout, 1),
                (os.POSIX_SPAWN_DUP2, stderr, 2),
            ],
            setsid=True,
            setsigmask=(),
            setsigdef=DEFAULTED,
        )
        os.chdir("/")  # else we would keep the command's folder busy
        os.close(stdout)
        os.close(stderr)

    def tell(self, *fields: object) -> None:
        try:
            self.control.send("\0".join(str(field) for field in fields).encode(errors="surrogateescape"))
        except OSError:
            return  # nobody listens any more; the end of file on control will say so too

    def follow(self) -> None:
        """Serve control and children until the tree is empty."""
        while self.alive():
            waiting = [self.control.fileno(), self.wake, *self.drains]
            ready, _, _ = select.select(waiting, [], [])
            if self.wake in ready:
                emptied(self.wake)
            if self.control.fileno() in ready and not self.obey():
                return
            self.drain(ready)

    def alive(self) -> bool:
        """Reap; on the shell's end tell about it. False when no process is left."""
        statuses = reaped()
        if statuses and self.shell in statuses:
            self.status = statuses[self.shell]
            self.tell_exit()
            statuses = reaped()
        return statuses is not None

    def tell_exit(self) -> None:
        deadline = time.monotonic() + DYING_S
        while (left := reaped()) is not None and time.monotonic() < deadline:
            time.sleep(0.002)
        pids = [] if left is None else tree.below({os.getpid()})
        survivors = [tree.named(pid) for pid in pids[:NAMED_SURVIVORS]]
        statuses, _, cwd = emptied(self.report).decode(errors="surrogateescape").partition("\n")
        self.tell("exited", self.status, statuses, cwd.removesuffix("\n"), *survivors)

    def obey(self) -> bool:
        """One message from the bot. False when the tree was ended."""
        message, fds = received(self.control, 64, 2)
        if message == b"drain":
            self.drains += fds
            return True
        grace_s = float(message.split(b"\0")[1]) if message else 0.5
        count, left = tree.end(lambda: tree.below({os.getpid()}), grace_s, self.alive)
        self.alive()
        self.tell("gone", count, left)
        return False

    def drain(self, ready: list[int]) -> None:
        """Throw away what survivors write: a closed pipe would kill a server that logs to it."""
        for fd in [fd for fd in self.drains if fd in ready]:
            if not os.read(fd, 65_536):
                self.drains.remove(fd)
                os.close(fd)
            time.sleep(DRAIN_PAUSE_S)


def fork(work: Callable[[], None]) -> int:
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)


class Keeper:
    """The process that forks the watchers, and the second net below them.

    One watcher is always forked ahead and waits for a request itself: a command need not wait for a fork.
    """

    def __init__(self) -> None:
        adopt_orphans()
        self.ask = socket.socket(fileno=ASK_FD)
        self.wake = wake_on_child()
        self.taken, self.take = os.pipe2(os.O_CLOEXEC)
        prelude = os.memfd_create("prelude", os.MFD_CLOEXEC)
        os.write(prelude, PRELUDE.encode())
        os.dup2(prelude, PRELUDE_FD, inheritable=False)
        self.spare = 0
        self.watchers: set[int] = set()

    def serve(self) -> None:
        """Until the bot is gone and with it every watcher."""
        self.fork_spare()
        while self.watchers:
            ready, _, _ = select.select([self.taken, self.wake], [], [])
            if self.taken in ready:
                os.read(self.taken, 1)
                self.fork_spare()
            if self.wake in ready:
                emptied(self.wake)
                self.collect()

    def fork_spare(self) -> None:
        self.spare = fork(self.wait)
        self.watchers.add(self.spare)

    def wait(self) -> None:
        """A watcher's life."""
        watch = Watch()
        message, fds = received(self.ask, PACKET, 3)
        if not message:
            return
        self.ask.close()
        os.write(self.take, b".")
        watch.serve(message.split(b"\0"), fds)

    def collect(self) -> None:
        statuses = reaped() or {}
        crashed = [pid for pid, status in statuses.items() if status and pid in self.watchers]
        self.watchers -= statuses.keys()
        if crashed:
            tree.end(self.strays, 0.5, reaped)
        if self.spare in crashed:
            self.fork_spare()

    def strays(self) -> list[int]:
        """What a watcher that was killed left to us."""
        orphans = {pid for pid, parent in tree.parents().items() if parent == os.getpid()} - self.watchers
        return [*orphans, *tree.below(orphans)]


def main() -> NoReturn:
    os.closerange(ASK_FD + 1, os.sysconf("SC_OPEN_MAX") if os.sysconf("SC_OPEN_MAX") < 65_536 else 65_536)
    os.set_inheritable(ASK_FD, False)
    # A command's `pkill python` must not take the keeper; the bot's end does.
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    Keeper().serve()
    sys.exit(0)
