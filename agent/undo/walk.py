"""Open folders that no link can move, and a bounded listing of a tree by signatures (FAULTS section 1, rule 8)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from agent.undo.states import Sig, sig_of

OURS = ".jarvis"  # full outputs of commands: ignored
HISTORY = frozenset({".git", ".hg", ".svn"})  # kept like files, but after them
CACHES = frozenset({
    "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox", ".cache", ".gradle",
    ".next", ".idea",
})  # fmt: skip
REBUILT = frozenset({"node_modules", ".venv", "venv", ".terraform"})

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_STEP = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def folder(path: str) -> Iterator[int]:
    """A descriptor of the absolute folder `path`, for dir_fd, reached without following a link. Raises OSError."""
    at = os.open("/", _STEP)
    try:
        for part in filter(None, path.split("/")):
            below = os.open(part, _STEP, dir_fd=at)
            os.close(at)
            at = below
        yield at
    finally:
        os.close(at)


def look(path: str) -> Sig | None:
    """The signature of what stands at `path`, or None where nothing does or where a link or a file stands in the way
    to it. Raises OSError where that can't be seen."""
    parent, name = os.path.split(path)
    try:
        with folder(parent) as at:
            return signature(os.stat(name or ".", dir_fd=at, follow_symlinks=False), name)
    except (FileNotFoundError, NotADirectoryError):
        return None


def signature(found: os.stat_result, name: str) -> Sig:
    """As `sig_of`; contents of a rebuilt folder aren't listed, so that its own times have to tell of a change."""
    if name in REBUILT and stat.S_ISDIR(found.st_mode):
        return (found.st_mode, 0, found.st_mtime_ns, 0, found.st_ino, found.st_uid, found.st_gid)
    return sig_of(found)


@dataclass(slots=True)
class Listing:
    """What a tree holds. `opaque` folders weren't looked into on purpose, `unlisted` ones are beyond the bounds."""

    root: str
    found: dict[str, Sig] = field(default_factory=dict)
    opaque: set[str] = field(default_factory=set)
    unlisted: set[str] = field(default_factory=set)

    def lacks(self, path: str) -> bool:
        """Whether nothing stands at `path` for certain."""
        if path in self.found:
            return False
        while path != self.root and path != "/":
            path = str(Path(path).parent)
            if path in self.found or path == self.root:
                return path not in self.unlisted and path not in self.opaque
        return path not in self.unlisted


def listing(root: str, files: int, depth: int, skipped: frozenset[str]) -> Listing:
    """List the tree at `root` (absolute, real), of at most about `files` entries and `depth` folders deep; folders in
    `skipped` don't exist for it. Histories of version control come last: they get what the bound leaves."""
    walk = _Walk(Listing(root), files, skipped)
    try:
        with folder(root) as at:
            here = os.fstat(at)
            walk.device, walk.out.found[root] = here.st_dev, sig_of(here)
            walk.enter(at, ".", root, depth)
        while walk.later:
            path = walk.later.pop()
            parent, name = os.path.split(path)
            with suppress(OSError), folder(parent) as at:
                walk.enter(at, name, path, depth - path.count("/") + root.count("/"))
    except FileNotFoundError:
        return walk.out  # no workspace, so nothing in it
    except OSError:
        walk.out.unlisted.add(root)
    return walk.out


@dataclass(slots=True)
class _Walk:
    out: Listing
    files: int
    skipped: frozenset[str]
    device: int = 0
    later: list[str] = field(default_factory=list)

    def enter(self, at: int, name: str, path: str, depth: int) -> None:
        if depth <= 0 or len(self.out.found) >= self.files:
            self.out.unlisted.add(path)
            return
        try:
            here = os.open(name, _FOLDER, dir_fd=at)
        except OSError:  # no right to read it, or it is gone
            self.out.unlisted.add(path)
            return
        try:
            for below in self.entries(here, path):
                self.enter(here, below, f"{path.rstrip('/')}/{below}", depth - 1)
        finally:
            os.close(here)

    def entries(self, here: int, path: str) -> list[str]:
        """Note everything in the folder; the names of its folders that are to be entered."""
        found, prefix, below = self.out.found, path.rstrip("/") + "/", []
        with os.scandir(here) as entries:
            for entry in entries:
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:  # gone meanwhile
                    continue
                name = entry.name
                if not stat.S_ISDIR(status.st_mode):
                    found[prefix + name] = sig_of(status)
                elif name != OURS and prefix + name not in self.skipped:
                    found[prefix + name] = signature(status, name)
                    if self.enters(prefix + name, name, status.st_dev):
                        below.append(name)
                if len(found) > self.files:
                    self.out.unlisted.add(path)
                    break
        return below

    def enters(self, path: str, name: str, device: int) -> bool:
        if name in CACHES or name in REBUILT or device != self.device:
            self.out.opaque.add(path)
            return False
        if name in HISTORY:
            self.later.append(path)
            return False
        return True
