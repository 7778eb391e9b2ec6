"""What a command changed in its workspace: two scans of size, times and inode, and hashes of what differs.

Bounded in files and time; beyond the bounds the answer is None (unknown), never "nothing".
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections import OrderedDict
from dataclasses import dataclass, field

from agent.steps import Change

PRUNED = frozenset({
    ".git", ".hg", ".svn", ".jarvis", "node_modules", ".venv", "venv", "__pycache__", ".mypy_cache", ".pytest_cache",
    ".ruff_cache", ".hypothesis", ".tox", ".nox", ".cache", ".gradle", ".terraform", ".next", ".idea",
})  # fmt: skip
HASHED = 1024 * 1024  # bytes of a file; larger ones have no hash
CHANGES = 500  # more than this in one call is an unpacked archive or a build, and unknown


@dataclass(frozen=True, slots=True)
class Bounds:
    """`cpu_s` is this thread's own time, so that a busy machine doesn't make every change unknown; `wall_s` ends a wait
    for a slow disk all the same. `hash_s` is the wall time for hashing; what is left then has no hash."""

    files: int = 10_000
    cpu_s: float = 0.03
    wall_s: float = 0.2
    hash_s: float = 0.05


# Size, mtime, ctime (which no program can set back) in ns, inode. For a folder the inode alone.
Mark = tuple[int, int, int, int]
Scan = dict[str, Mark]


def scan(root: str, bounds: Bounds) -> Scan | None:
    """All files and folders ("name/") below root by relative path, or None beyond the bounds or where root is gone."""
    cpu, wall = time.thread_time() + bounds.cpu_s, time.monotonic() + bounds.wall_s
    found: Scan = {}
    folders = [""]
    while folders:
        below = folders.pop()
        try:
            with os.scandir(f"{root}/{below}") as entries:
                for entry in entries:
                    take(entry, below, found, folders)
        except OSError:
            if not below:
                return None
        if len(found) > bounds.files or time.thread_time() > cpu or time.monotonic() > wall:
            return None
    return found


def take(entry: os.DirEntry[str], below: str, found: Scan, folders: list[str]) -> None:
    if entry.is_dir(follow_symlinks=False):
        if entry.name not in PRUNED:
            folders.append(f"{below}{entry.name}/")
            found[f"{below}{entry.name}/"] = (0, 0, 0, entry.inode())
        return
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:  # gone meanwhile
        return
    if stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
        found[below + entry.name] = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


@dataclass(slots=True)
class Hashes:
    """Hashes known from earlier calls: they say what was there before a change. Bounded, the oldest out first."""

    room: int = 10_000
    _known: OrderedDict[str, tuple[Mark, str]] = field(default_factory=OrderedDict)

    def recall(self, path: str, mark: Mark) -> str | None:
        known = self._known.get(path)
        return known[1] if known and known[0] == mark else None

    def learn(self, path: str, mark: Mark, digest: str) -> None:
        self._known[path] = (mark, digest)
        self._known.move_to_end(path)
        if len(self._known) > self.room:
            self._known.popitem(last=False)


def changes(
    root: str, before: Scan | None, after: Scan | None, hashes: Hashes, bounds: Bounds
) -> tuple[Change, ...] | None:
    """What differs between two scans, by absolute path, in order; a folder only where it is all that came or went."""
    if before is None or after is None:
        return None
    differing = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    files = [path for path in differing if not path.endswith("/")]
    lone = [path for path in differing if path.endswith("/") and not any(other.startswith(path) for other in files)]
    if len(files) + len(lone) > CHANGES:
        return None
    deadline = time.monotonic() + bounds.hash_s
    found: list[Change] = []
    for path in sorted(files + lone):
        full = f"{root.rstrip('/')}/{path}"
        was = hashes.recall(full, before[path]) if path in before else ""
        now = digest(full, after[path], hashes, deadline) if path in after else ""
        found.append(Change(readable(full), was, now))
    return tuple(found)


def digest(path: str, mark: Mark, hashes: Hashes, deadline: float) -> str | None:
    """SHA-256 of a file of at most 1 MB, None for anything else."""
    if path.endswith("/") or mark[0] > HASHED or time.monotonic() > deadline:
        return None
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:  # a symlink, gone, or not ours to read
        return None
    with open(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None
        value = hashlib.sha256(file.read(HASHED)).hexdigest()
    hashes.learn(path, mark, value)
    return value


def readable(path: str) -> str:
    """A name that isn't UTF-8 with its odd bytes escaped: facts are stored as text."""
    return os.fsencode(path).decode(errors="backslashreplace")
