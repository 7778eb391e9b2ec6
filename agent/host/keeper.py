"""The keeper: a small process of our own that starts commands and can end each one's whole tree.

One fork of it watches each command as its child subreaper (prctl(2)): whatever the command starts, with setsid, nohup
or a double fork, stays below that fork. When the bot dies, its ends of the sockets close and each tree is ended. The
bot itself can't do this: a fork of a large process is slow, and orphans that end up with it have no name.

Messages are packets of fields joined by NUL. Asked: a `run` (agent/host/starting.py, Request) with three descriptors
(stdout, stderr, control) or `sweep, NAME=value` with one (control). Then on control, to us: `end, grace`, `drain` with
descriptors; from us: `unstarted, errno`, `exited, wait status, pipe statuses, cwd, "pid name"...`, `over, what there
was too much of`, `gone, count, left`.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import NoReturn

from agent.host import tree
from agent.host.children import adopt_orphans, emptied, go_first, reaped, received, wake_on_child
from agent.host.starting import prelude
from agent.host.watch import Watch

ASK_FD = 3
PACKET = 212_992  # the kernel's default socket buffer: no packet is larger
CROWDED_S = 0.05  # between tries to fork while there is no room for a process


def fork(work: Callable[[], None]) -> int:
    while True:
        try:
            pid = os.fork()
            break
        except BlockingIOError:  # a tree that is about to be ended takes all there is
            time.sleep(CROWDED_S)
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
        go_first()
        self.ask = socket.socket(fileno=ASK_FD)
        self.wake = wake_on_child()
        self.taken, self.take = os.pipe2(os.O_CLOEXEC)
        self.prelude = prelude()
        self.spare = 0
        self.watchers: set[int] = set()
        self.crashed: set[int] = set()

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
        watch = Watch(self.prelude)
        message, fds = received(self.ask, PACKET, 3)
        if not message:
            return
        self.ask.close()
        os.write(self.take, b".")
        watch.serve(message.split(b"\0"), fds)

    def collect(self) -> None:
        self.reap()
        if not self.crashed:
            return
        tree.end(lambda _: self.strays(), 0.5, self.reap, whole=True)
        again = self.spare in self.crashed
        self.crashed.clear()
        if again:
            self.fork_spare()

    def reap(self) -> None:
        statuses = reaped() or {}
        self.crashed |= {pid for pid, status in statuses.items() if status and pid in self.watchers}
        self.watchers -= statuses.keys()

    def strays(self) -> list[int]:
        """What a watcher that was killed, or failed to kill all, left to us."""
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
