"""What the keeper and its watchers have in common: adopting orphans, reaping, and packets with descriptors."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
from contextlib import suppress

PR_SET_CHILD_SUBREAPER = 36
LIBC = ctypes.CDLL(None)
DEFAULTED = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}


def adopt_orphans() -> None:
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def go_first() -> None:
    """Before all that we fork, so that no fork bomb starves us of the time to end it; root alone may ask for that."""
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))


def wake_on_child() -> int:
    """A descriptor that becomes readable whenever a child ends."""
    reading, writing = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    return reading


def emptied(fd: int, size: int = 65_536) -> bytes:
    """What can be read without waiting, at most `size` bytes."""
    try:
        return os.read(fd, size)
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
