"""Counts a tree of processes while it runs, and says when it has outgrown its limits. Runs in the keeper process alone.

Why not the kernel's own counters: RLIMIT_NPROC counts all of a user's processes and none of root's (setrlimit(2); we
set it too, as a second net), RLIMIT_AS and RLIMIT_DATA refuse what runtimes and sanitizers only reserve, and a cgroup
that we may write to is the exception. A tree that is counted ten times a second and killed whole needs no rights.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass

from agent.host import tree

TICK_S = 0.1
SHARE = 5  # a count that took long is followed by so many times its duration without one
LONGEST_S = 1.0
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Limits:
    """`tasks` are processes and their threads. `memory_bytes` is what all processes hold together, `file_bytes` the
    longest file one may write (and none of them a core). 0 = no limit."""

    processes: int
    tasks: int
    memory_bytes: int = 0
    file_bytes: int = 0

    def packed(self) -> bytes:
        return b"%d %d %d %d" % (self.processes, self.tasks, self.memory_bytes, self.file_bytes)

    @classmethod
    def unpacked(cls, data: bytes) -> Limits:
        return cls(*map(int, data.split()))


class Census:
    """The count of what is below this process."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._due = time.monotonic() + TICK_S
        self._tasks_before = tree.tasks()

    def wait_s(self) -> float:
        """Seconds until the next count is due."""
        return max(0.0, self._due - time.monotonic())

    def over(self) -> str:
        """Count, if it is time to: "processes", "threads" or "memory" if there are too many of them, else ""."""
        began = time.monotonic()
        if began < self._due:
            return ""
        found = self._counted()
        now = time.monotonic()
        self._due = now + min(max(TICK_S, SHARE * (now - began)), LONGEST_S)
        return found

    def _counted(self) -> str:
        # A walk down the tree misses what changes its parent meanwhile, and a bomb is made of that: where the machine
        # has many more tasks than before, the whole process table is looked at.
        allowed = self._limits.processes
        if tree.tasks() - self._tasks_before > allowed and len(tree.below({os.getpid()})) > allowed:
            return "processes"
        return self._walked()

    def _walked(self) -> str:
        pids: list[int] = []
        threads = memory = 0
        for pid, count in population(os.getpid()):
            pids.append(pid)
            threads += count
            memory += held(pid)
            if len(pids) > self._limits.processes:
                return "processes"
            if threads > self._limits.tasks:
                return "threads"
        allowed = self._limits.memory_bytes
        # What was counted has a page once for each process that shares it since a fork: an upper bound, quickly had.
        if allowed and memory > allowed and sum(map(share, pids)) > allowed:
            return "memory"
        return ""


def population(root: int) -> Iterator[tuple[int, int]]:
    """(pid, number of threads) of all descendants (proc(5), /proc/pid/task/tid/children)."""
    queue = [root]
    while queue:
        pid = queue.pop()
        try:
            threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - pathlib would take half of the start-up time
        except OSError:
            continue
        if pid != root:
            yield pid, len(threads)
        for thread in threads:
            queue += map(int, tree.read(f"/proc/{pid}/task/{thread}/children").split())


def held(pid: int) -> int:
    """Bytes of a process's own memory (proc(5), statm: resident less file-backed and shared)."""
    fields = tree.read(f"/proc/{pid}/statm").split()
    return (int(fields[1]) - int(fields[2])) * PAGE if fields else 0


def share(pid: int) -> int:
    """Bytes that are a process's own, and its part of what it shares (proc(5), smaps_rollup: Pss)."""
    for line in tree.read(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * 1024
    return 0
