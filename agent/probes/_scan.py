"""The files of a workspace that aren't ignored, remembered by the change time of their folders: after the first scan
only folders are looked at. Never follows links; bounded."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pathspec import GitIgnoreSpec

FILES = 20_000
FOLDERS = 5_000
ROOTS = 8  # that are remembered
RULES = 1 << 17  # bytes read of a .gitignore
RACY_NS = 50_000_000  # a folder that changed so shortly before is read again: its time may not move once more

SKIPPED = frozenset({
    ".git", ".hg", ".svn", ".jarvis", "node_modules", "__pycache__", ".venv", ".tox", ".nox", ".mypy_cache",
    ".pytest_cache", ".ruff_cache", ".hypothesis",
})  # fmt: skip

Rules = tuple[tuple[str, GitIgnoreSpec], ...]  # (folder with a slash or "", its rules), the outermost first


@dataclass(frozen=True, slots=True)
class _Folder:
    """As it was read. `rules` are those that hold inside."""

    mtime: int
    read_at: int
    above: Rules
    ignore: tuple[int, int] | None  # time and size of its .gitignore
    rules: Rules
    files: dict[str, int]  # name -> change time in ns
    folders: tuple[str, ...]


@dataclass(slots=True)
class Found:
    """`folders` maps each folder (relative, "" for the workspace) to its files with their change times in ns, and
    `inside` to its folders. `whole`: no bound was reached."""

    folders: dict[str, dict[str, int]] = field(default_factory=dict)
    inside: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rules: dict[str, Rules] = field(default_factory=dict)
    count: int = 0
    whole: bool = True

    def files(self) -> Iterator[tuple[str, int]]:
        for folder, names in self.folders.items():
            start = f"{folder}/" if folder else ""
            for name, changed in names.items():
                yield start + name, changed

    def ignored(self, path: str) -> bool:
        """Whether the rules would leave out a file of this name in a folder that was found."""
        folder = path.rpartition("/")[0]
        return folder not in self.rules or _is_ignored(self.rules[folder], path)


@dataclass(slots=True)
class Scanner:
    _roots: dict[str, dict[str, _Folder]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def scan(self, root: str, forbidden: tuple[str, ...] = ()) -> Found:
        """All files below `root`, an absolute path; `forbidden` folders are left out. Blocking; raises nothing."""
        with self._lock:
            known = self._roots.pop(root, {})
            self._roots[root] = known
            while len(self._roots) > ROOTS:
                del self._roots[next(iter(self._roots))]
            return _walk(root, known, frozenset(map(os.path.realpath, forbidden)))


def _walk(root: str, known: dict[str, _Folder], forbidden: frozenset[str]) -> Found:
    found = Found()
    seen: dict[str, _Folder] = {}
    waiting: list[tuple[str, Rules]] = [("", ())]
    real = os.path.realpath(root)
    while waiting:
        folder, rules = waiting.pop()
        if len(seen) >= FOLDERS or found.count >= FILES:
            found.whole = False
            break
        if forbidden and f"{real}/{folder}".rstrip("/") in forbidden:
            continue
        read = _fresh(root, folder, rules, known.get(folder))
        if read is None:
            continue
        seen[folder] = read
        found.folders[folder], found.inside[folder], found.rules[folder] = read.files, read.folders, read.rules
        found.count += len(read.files)
        waiting += [(f"{folder}/{name}" if folder else name, read.rules) for name in reversed(read.folders)]
    known.clear()
    known |= seen
    return found


def _fresh(root: str, folder: str, above: Rules, known: _Folder | None) -> _Folder | None:
    """The folder as it was read before if nothing came or went since, else read anew; None if it can't be."""
    path = f"{root}/{folder}" if folder else root
    try:
        at = os.lstat(path) if folder else Path(path).stat()  # the workspace itself may be reached by a link
        if not stat.S_ISDIR(at.st_mode):
            return None
        if known is not None and known.above is above and _holds(known, path, at.st_mtime_ns):
            return known
        return _read(path, folder, above, at.st_mtime_ns, known)
    except OSError:
        return None


def _holds(known: _Folder, path: str, mtime: int) -> bool:
    if known.mtime != mtime or known.read_at - known.mtime <= RACY_NS:
        return False
    return known.ignore is None or known.ignore == _stamp(f"{path}/.gitignore")


def _read(path: str, folder: str, above: Rules, mtime: int, known: _Folder | None) -> _Folder:
    now = time.time_ns()
    start = f"{folder}/" if folder else ""
    with os.scandir(path) as entries:
        listed = sorted(entries, key=lambda entry: entry.name)
    ignore = _stamp(f"{path}/.gitignore") if any(entry.name == ".gitignore" for entry in listed) else None
    if known is not None and known.above is above and known.ignore == ignore:
        rules = known.rules  # the same object: what lies below stays known
    else:
        rules = (*above, (start, _spec(f"{path}/.gitignore"))) if ignore else above
    files: dict[str, int] = {}
    folders: list[str] = []
    for entry in listed:
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in SKIPPED and not _is_ignored(rules, f"{start}{entry.name}/"):
                folders.append(entry.name)
        elif entry.is_file(follow_symlinks=False) and not _is_ignored(rules, start + entry.name):
            files[entry.name] = entry.stat(follow_symlinks=False).st_mtime_ns
    return _Folder(mtime, now, above, ignore, rules, files, tuple(folders))


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size) if stat.S_ISREG(found.st_mode) else None


def _spec(path: str) -> GitIgnoreSpec:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            return GitIgnoreSpec.from_lines(file.read(RULES).decode("utf-8", "replace").splitlines())
    except (OSError, ValueError):
        return GitIgnoreSpec.from_lines(())


def _is_ignored(rules: Rules, path: str) -> bool:
    """The innermost file of rules that says anything decides (gitignore(5), "Precedence")."""
    for start, spec in reversed(rules):
        said = spec.check_file(path.removeprefix(start)).include
        if said is not None:
            return said
    return False


scanner = Scanner()  # one for all probes, so that a workspace is read once
