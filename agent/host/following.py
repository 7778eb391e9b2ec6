"""Follows one command in a thread of its own: reads its pipes and its watcher, and keeps its time limit."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.host.capture import Capture
from agent.host.link import Control, Exited, Gone, Lost, Over, Unstarted

CHUNK = 65_536
FLOOD_PAUSE_S = 0.002  # a flood is read at some 25 MB/s at most, so that it can't take the machine
GRACE_S = 2.0  # between TERM and KILL after the time limit
QUIET_S = 0.1  # a pipe that a child keeps open is given up after this long without data
LINGER_S = 2.0  # and after this long in any case
GIVE_UP_S = 6.0  # for a watcher that was told to end its tree


@dataclass(slots=True)
class Following:
    """One command under way; `follow` returns when it is over and its pipes are done with."""

    control: Control
    pipes: dict[int, Capture]
    timeout_s: float
    exited: Exited | None = None
    timed_out: bool = False
    ending: bool = False  # we asked for the end of the tree, or its watcher saw to it
    excess: str = ""  # what the tree had too much of
    gone: bool = False  # and it came
    lost: bool = False  # nothing more will be reported
    unstarted: int = 0  # errno
    duration: float = 0.0
    _open: dict[int, Capture] = field(default_factory=dict)

    def follow(self) -> None:
        began = time.monotonic()
        deadline = began + self.timeout_s
        self._open = dict(self.pipes)
        while not self._over():
            # Looked at first: a flood always has something ready.
            if time.monotonic() < deadline and self._step([self.control.fileno(), *self._open], deadline):
                continue
            if self.timed_out:  # the watcher doesn't answer
                self.lost = True
            else:
                self.timed_out = True
                deadline = time.monotonic() + GIVE_UP_S
                self.end(GRACE_S)
        self.duration = time.monotonic() - began
        self._linger()

    def complaint(self) -> str:
        """How stderr begins."""
        _, stderr = self.pipes.values()
        return stderr.beginning()

    def end(self, grace_s: float) -> None:
        """Ask for the end of the whole tree; `follow` returns after it. May be called from any thread."""
        self.ending = True
        self.control.end(grace_s)

    def _over(self) -> bool:
        return self.lost or self.unstarted != 0 or (self.exited is not None and not self.ending)

    def _linger(self) -> None:
        hard = time.monotonic() + LINGER_S
        quiet = time.monotonic() + QUIET_S
        while self._open and time.monotonic() < hard and self._step(list(self._open), min(quiet, hard)):
            quiet = time.monotonic() + QUIET_S
        if self._open and self.exited is not None and self.exited.survivors and not self.ending:
            self.control.drain(list(self._open))

    def _step(self, fds: Sequence[int], deadline: float) -> bool:
        """Wait until something is there and take it. False at the deadline."""
        poll = select.poll()
        for fd in fds:
            poll.register(fd, select.POLLIN)
        ready = poll.poll(max(0.0, deadline - time.monotonic()) * 1000)
        for fd, _ in ready:
            if fd in self._open:
                self._read(fd)
            else:
                self._listen()
        return bool(ready)

    def _read(self, fd: int) -> None:
        data = os.read(fd, CHUNK)
        if not data:
            del self._open[fd]
            return
        capture = self._open[fd]
        capture.feed(data)
        if capture.flooding:
            time.sleep(FLOOD_PAUSE_S)

    def _listen(self) -> None:
        match self.control.read():
            case Exited() as exited:
                self.exited = exited
            case Over(excess):
                self.excess, self.ending = excess, True
            case Unstarted(error):
                self.unstarted = error
            case Gone():
                self.lost = self.gone = True
            case Lost() | None:
                self.lost = True
