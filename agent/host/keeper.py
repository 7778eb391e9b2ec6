"""The keeper: a small process of our own that starts commands and can end each one's whole tree.

One fork of it watches each command as its child subreaper (prctl(2)): whatever the command starts, with setsid, nohup
or a double fork, stays below that fork. When the bot dies, its ends of the sockets close and each tree is ended. The
bot itself can't do this: a fork of a large process is slow, and orphans that end up with it have no name.

Messages are packets of fields joined by NUL. Asked: a `run` (agent/host/starting.py, Request) with three descriptors
(stdout, stderr, control) or four (stdin before control), or `sweep, NAME=value` with one (control). Then on control, to
us: `end, grace`, `drain` with descriptors; from us: `unstarted, errno`, `exited, wait status, pipe statuses, cwd, "pid
name"...`, `over, what there was too much of`, `gone, count, left`.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import struct
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
NEWS = struct.Struct("=i?")  # from a watcher: its pid, and whether it waits for a request; whole in a pipe (pipe(7))
PLACE = b"."
RESTING = 4  # watchers that may wait for another command; one that is killed meanwhile takes its place along


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

    At least one watcher is always idle and waits for a request itself: a command waits for no fork. One whose command
    is over waits for the next, so that most commands cost none: a fork of a Python process takes 2 to 3 ms, the
    pages that both sides then copy included.
    """

    def __init__(self) -> None:
        adopt_orphans()
        go_first()
        self.ask = socket.socket(fileno=ASK_FD)
        self.wake = wake_on_child()
        self.news, self.tell = os.pipe2(os.O_CLOEXEC)
        self.places, self.place = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        os.write(self.place, PLACE * RESTING)
        self.prelude = prelude()
        self.watchers: set[int] = set()
        self.idle: set[int] = set()
        self.crashed: set[int] = set()

    def serve(self) -> None:
        """Until the bot is gone and with it every watcher."""
        self.fork_watcher()
        while self.watchers:
            ready, _, _ = select.select([self.news, self.wake], [], [])
            if self.news in ready:
                self.hear()
            if self.wake in ready:
                emptied(self.wake)
                self.collect()

    def hear(self) -> None:
        pid, waits = NEWS.unpack(os.read(self.news, NEWS.size))
        if waits and pid in self.watchers:
            self.idle.add(pid)
        else:
            self.idle.discard(pid)
        if not self.idle:
            self.fork_watcher()

    def fork_watcher(self) -> None:
        pid = fork(self.watch)
        self.watchers.add(pid)
        self.idle.add(pid)

    def watch(self) -> None:
        """A watcher's life: one command after the other, while there is a place to rest between them."""
        adopt_orphans()
        wake = wake_on_child()
        resting = False
        while True:
            message, fds = received(self.ask, PACKET, 4)
            if not message:
                return
            os.write(self.tell, NEWS.pack(os.getpid(), False))
            if resting:
                os.write(self.place, PLACE)
            reusable = Watch(self.prelude, wake).serve(message.split(b"\0"), fds)
            resting = reusable and bool(emptied(self.places, len(PLACE)))
            if not resting:
                return
            os.write(self.tell, NEWS.pack(os.getpid(), True))

    def collect(self) -> None:
        self.reap()
        if not self.crashed:
            return
        tree.end(lambda _: self.strays(), 0.5, self.reap, whole=True)
        self.crashed.clear()
        if not self.idle:
            self.fork_watcher()

    def reap(self) -> None:
        statuses = reaped() or {}
        self.crashed |= {pid for pid, status in statuses.items() if status and pid in self.watchers}
        self.watchers -= statuses.keys()
        self.idle -= statuses.keys()

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
