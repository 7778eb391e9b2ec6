"""The process table, and how a whole tree of processes is brought to its end. Runs in the keeper process alone.

Stdlib only and cheap to import: the keeper starts with nothing else loaded.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Collection
from contextlib import suppress

TICK_S = 0.01
KILL_PATIENCE_S = 2.5  # a process in the kernel's uninterruptible sleep may outlast this; it is reported as left
FREEZE_ROUNDS = 50
CHASE_ROUNDS = 2000
FIRST_LEVELS = 8  # where in a tree the first process of a sandbox is looked for

# The living members of a tree, parents before children. Those that are known are members already and can't have
# changed: they need not be looked at again, so that a round is short against what forks meanwhile.
Members = Callable[[Collection[int]], list[int]]


def parents(known: Collection[int] = ()) -> dict[int, int]:
    """pid -> parent's pid of all processes that are not zombies nor known (proc(5), /proc/pid/stat)."""
    found: dict[int, int] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - pathlib would take half of the start-up time
        if not name.isdigit() or int(name) in known:
            continue
        parent = parent_of(int(name))
        if parent is not None:
            found[int(name)] = parent
    return found


def parent_of(pid: int) -> int | None:
    """None for a zombie and for what isn't there."""
    stat = read(f"/proc/{pid}/stat")
    # The name stands in brackets and may hold brackets and spaces itself: fields count from the last one.
    fields = stat[stat.rfind(b")") + 2 :].split(b" ", 2)
    if len(fields) < 3 or (fields[0] in b"ZX" and not threaded(fields[2])):
        return None
    return int(fields[1])


def threaded(fields: bytes) -> bool:
    """Whether a zombie has threads left, by its stat from the process group on (proc(5), num_threads): its first thread
    has ended, but it goes on, and what it started is still below it."""
    words = fields.split(b" ", 16)
    return len(words) > 16 and int(words[15]) > 1


def read(path: str) -> bytes:
    """A small /proc file, empty where it is gone or not ours to read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def below(roots: set[int], known: Collection[int] = ()) -> list[int]:
    """All living descendants of `roots`, parents before children, but for those that are known to be."""
    children: dict[int, list[int]] = {}
    for pid, parent in parents(known).items():
        children.setdefault(parent, []).append(pid)
    order: list[int] = []
    queue = [*roots, *known]
    while queue:
        level = [child for pid in queue for child in children.get(pid, ())]
        order += level
        queue = level
    return order


def marked(entry: bytes) -> list[int]:
    """Processes whose environment has a variable that starts with `entry` ("NAME=value"), with their descendants."""
    mine = {os.getpid(), os.getppid()}
    roots = {pid for pid in parents() if b"\0" + entry in b"\0" + read(f"/proc/{pid}/environ")} - mine
    return [*roots, *(pid for pid in below(roots) if pid not in roots and pid not in mine)]


def named(pid: int) -> str:
    """ "pid name", as a person finds it in ps."""
    return f"{pid} {read(f'/proc/{pid}/comm').decode(errors='replace').strip()}"


def is_first(pid: int) -> bool:
    """Whether it is the first process of a pid namespace below ours, whose end is the end of all in it
    (pid_namespaces(7))."""
    for line in read(f"/proc/{pid}/status").splitlines():
        if line.startswith(b"NSpid:"):
            return len(line.split()) > 2 and line.split()[-1] == b"1"
    return False


def send(pids: Collection[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def send_groups(pids: Collection[int], number: signal.Signals) -> None:
    """To the whole process groups of `pids`, but for our own: no fork slips through (kill(2))."""
    groups = set()
    for pid in pids:
        with suppress(ProcessLookupError):
            groups.add(os.getpgid(pid))
    for group in groups - {os.getpgrp(), 0}:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)


def end(members: Members, grace_s: float, reap: Callable[[], object], whole: bool = False) -> tuple[int, int]:
    """End all that `members` names: TERM, `grace_s` seconds (0: no TERM), then KILL until none is left.

    Returns how many processes there were and how many could not be killed. `reap` collects our own zombies. `whole`:
    all process groups of members are members, as below a watcher, and may be signalled as such.
    """
    seen: set[int] = set()
    if grace_s:
        seen.update(living := frozen(members, whole))
        send(living, signal.SIGTERM)
        send(living, signal.SIGCONT)
    deadline = time.monotonic() + grace_s
    while (living := members(())) and time.monotonic() < deadline:
        seen.update(living)
        time.sleep(TICK_S)
        reap()
    if living:
        seen.update(killed(members, living, reap, whole))
    return len(seen), len(members(()))


def killed(members: Members, living: list[int], reap: Callable[[], object], whole: bool) -> set[int]:
    """KILL until none is left or patience is out; returns all that were seen."""
    seen = set(living)
    send([pid for pid in living[:FIRST_LEVELS] if is_first(pid)], signal.SIGKILL)
    deadline = time.monotonic() + KILL_PATIENCE_S
    while living and time.monotonic() < deadline:
        seen.update(living := frozen(members, whole))
        send(living, signal.SIGKILL)
        time.sleep(TICK_S / 5)
        reap()
        living = members(())
    return seen


def frozen(members: Members, whole: bool) -> list[int]:
    """Stop all members and return them: what is stopped can't fork, nor start its next command when a child dies."""
    stopped: dict[int, None] = {}
    for _ in range(FREEZE_ROUNDS):
        newest = newest_pid()
        fresh = [pid for pid in members(stopped) if pid not in stopped]
        if not fresh:
            break
        stop(fresh, whole, stopped)
        if whole:
            chase(newest, stopped)
    return list(stopped)


def chase(newest: int, stopped: dict[int, None]) -> None:
    """Stop what a watcher's tree forked since `newest`, found by its number: a look at the whole process table takes
    longer than a fork, and a bomb would always be a step ahead."""
    for _ in range(CHASE_ROUNDS):
        before, newest = newest, newest_pid()
        if newest <= before:  # nothing new, or the numbers began again
            return
        fresh = (pid for pid in range(before + 1, newest + 1) if pid not in stopped)
        stop([pid for pid in fresh if (up := parent_of(pid)) in stopped or up == os.getpid()], True, stopped)


def stop(pids: list[int], whole: bool, stopped: dict[int, None]) -> None:
    if whole:
        send_groups(pids, signal.SIGSTOP)
    send(pids, signal.SIGSTOP)
    stopped |= dict.fromkeys(pids)


def newest_pid() -> int:
    """The last one that was given out (proc(5), loadavg)."""
    return int(read("/proc/loadavg").split()[4])


def tasks() -> int:
    """How many processes and threads the machine has (proc(5), loadavg)."""
    return int(read("/proc/loadavg").split()[3].partition(b"/")[2])
