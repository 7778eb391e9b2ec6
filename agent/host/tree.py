"""The process table, and how a whole tree of processes is brought to its end. Runs in the keeper process alone.

Stdlib only and cheap to import: the keeper starts with nothing else loaded.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

TICK_S = 0.01
KILL_PATIENCE_S = 2.5  # a process in the kernel's uninterruptible sleep may outlast this; it is reported as left
FREEZE_ROUNDS = 50


def parents() -> dict[int, int]:
    """pid -> parent's pid of all processes that are not zombies (proc(5), /proc/pid/stat)."""
    found: dict[int, int] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - pathlib would take half of the start-up time
        if not name.isdigit():
            continue
        stat = read(f"/proc/{name}/stat")
        # The name stands in brackets and may hold brackets and spaces itself: fields count from the last one.
        fields = stat[stat.rfind(b")") + 2 :].split(b" ", 2)
        if len(fields) == 3 and fields[0] not in b"ZX":
            found[int(name)] = int(fields[1])
    return found


def read(path: str) -> bytes:
    """A small /proc file, empty where it is gone or not ours to read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def below(roots: set[int]) -> list[int]:
    """All living descendants of `roots`, parents before children."""
    children: dict[int, list[int]] = {}
    for pid, parent in parents().items():
        children.setdefault(parent, []).append(pid)
    order: list[int] = []
    queue = list(roots)
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


def send(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def end(members: Callable[[], list[int]], grace_s: float, reap: Callable[[], object]) -> tuple[int, int]:
    """End all that `members()` names: TERM, `grace_s` seconds, then KILL until none is left.

    Returns how many processes there were and how many could not be killed. `reap` collects our own zombies.
    """
    seen = set(living := frozen(members))
    send(living, signal.SIGTERM)
    send(living, signal.SIGCONT)
    deadline = time.monotonic() + grace_s
    while (living := members()) and time.monotonic() < deadline:
        seen.update(living)
        time.sleep(TICK_S)
        reap()
    deadline = time.monotonic() + KILL_PATIENCE_S
    while living and time.monotonic() < deadline:
        seen.update(living := frozen(members))
        send(living, signal.SIGKILL)
        time.sleep(TICK_S / 5)
        reap()
        living = members()
    return len(seen), len(living)


def frozen(members: Callable[[], list[int]]) -> list[int]:
    """Stop all members and return them: what is stopped can't fork, nor start its next command when a child dies."""
    stopped: list[int] = []
    for _ in range(FREEZE_ROUNDS):
        fresh = [pid for pid in members() if pid not in set(stopped)]
        if not fresh:
            break
        send(fresh, signal.SIGSTOP)
        stopped += fresh
    return stopped
