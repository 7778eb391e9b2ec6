"""What a watcher does: one command in a fork of the keeper's, from its start until nothing of it is left."""

from __future__ import annotations

import os
import select
import socket
import time

from agent.host import tree
from agent.host.census import Census, population
from agent.host.children import emptied, go_first, reaped, received
from agent.host.starting import REPORT_FD, Request, started, unlimited

DYING_S = 0.03  # the rest of a pipeline may need a moment to notice that it is over
DRAIN_PAUSE_S = 0.02
NAMED_SURVIVORS = 20


class Watch:
    """Serves one request. `wake` becomes readable when a child ends."""

    def __init__(self, prelude: int, wake: int) -> None:
        self.prelude = prelude
        self.wake = wake
        self.shell = 0
        self.status: int | None = None
        self.drains: list[int] = []
        self.deserted = False  # nobody is interested, and what is left ends by itself

    def serve(self, fields: list[bytes], fds: list[int]) -> bool:
        """One request, with the control socket as the last of `fds`. False if this process can't serve another.

        Raises ChildProcessError where processes are left that can't be killed.
        """
        with socket.socket(fileno=fds[-1]) as self.control:
            if fields[0] == b"sweep":
                count, left = tree.end(lambda _: tree.marked(fields[1]), 0.5, reaped)
                self.tell("gone", count, left)
                return True
            self.report, writing = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
            self.run(Request.unpacked(fields), fds[:-1], writing)
            for fd in (self.report, writing, REPORT_FD, *self.drains):
                os.close(fd)
        return unlimited()

    def run(self, request: Request, pipes: list[int], report: int) -> None:
        """`pipes` are stdout, stderr and, if it is to have one, stdin."""
        os.dup2(report, REPORT_FD, inheritable=False)
        try:
            self.shell = started(request, pipes, report, self.prelude)
        except OSError as error:
            self.tell("unstarted", error.errno)
            return
        finally:
            for fd in pipes:
                os.close(fd)
        go_first()
        self.follow(Census(request.limits))

    def tell(self, *fields: object) -> None:
        try:
            self.control.send("\0".join(str(field) for field in fields).encode(errors="surrogateescape"))
        except OSError:
            return  # nobody listens any more; the end of file on control will say so too

    def follow(self, census: Census) -> None:
        """Serve control and children until the tree is empty, or too large."""
        while self.alive():
            waiting = [self.wake, *self.drains, *([] if self.deserted else [self.control.fileno()])]
            ready, _, _ = select.select(waiting, [], [], census.wait_s())
            if self.wake in ready:
                emptied(self.wake)
            if self.control.fileno() in ready and not self.obey():
                return
            if self.deserted and living():  # something was missed while its parent changed
                self.end(0.5)
                return
            self.drain(ready)
            if excess := census.over():
                self.tell("over", excess)
                self.end(0.0)
                return

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
        while (left := reaped()) is not None and (wait_s := deadline - time.monotonic()) > 0:
            if left:
                continue
            if not living():
                break
            select.select([self.wake], [], [], wait_s)
            emptied(self.wake)
        survivors = [] if left is None else [tree.named(pid) for pid in living()[:NAMED_SURVIVORS]]
        statuses, _, cwd = emptied(self.report).decode(errors="surrogateescape").partition("\n")
        self.tell("exited", self.status, statuses, cwd.removesuffix("\n"), *survivors)

    def obey(self) -> bool:
        """One message from the bot. False when the tree was ended."""
        message, fds = received(self.control, 64, 2)
        if not message and self.status is not None and not living():
            self.deserted = True
            return True
        if message == b"drain":
            self.drains += fds
            return True
        self.end(float(message.split(b"\0")[1]) if message else 0.5)
        return False

    def end(self, grace_s: float) -> None:
        """Raises ChildProcessError where some are left: they become the keeper's, which sees how this one ended."""
        count, left = tree.end(lambda known: tree.below({os.getpid()}, known), grace_s, self.alive, whole=True)
        self.alive()
        self.tell("gone", count, left)
        if left:
            raise ChildProcessError(f"{left} processes could not be killed")

    def drain(self, ready: list[int]) -> None:
        """Throw away what survivors write: a closed pipe would kill a server that logs to it."""
        for fd in [fd for fd in self.drains if fd in ready]:
            if not os.read(fd, 65_536):
                self.drains.remove(fd)
                os.close(fd)
            time.sleep(DRAIN_PAUSE_S)


def living() -> list[int]:
    """What is below us and alive, but for the first process of a sandbox: it goes when all others have, and the kernel
    takes its time over the namespaces."""
    found = (pid for pid, _ in population(os.getpid()))
    return [pid for pid in found if tree.parent_of(pid) is not None and not tree.is_first(pid)]
