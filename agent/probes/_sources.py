"""Source files on disk as drift sees them: parsed once, and again when they have changed."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection
from dataclasses import dataclass, field

from agent.drift import python
from agent.drift.paths import is_source
from agent.drift.shape import UNKNOWN, Source
from agent.probes._apart import LARGE, Apart, plainly
from agent.probes._scan import Found

LARGEST = 1 << 19  # bytes; what is larger is no source that somebody writes
KNOWN = 20_000  # files that are remembered

_MADE = frozenset({"generated", "__generated__", "gen", "_generated", "dist", "build", "out", "lib"})

Stamp = tuple[int, int, int]


@dataclass(slots=True)
class Parsed:
    """`modules` are all names of modules in it, found without parsing; `passes_on`: it may have a star export."""

    stamp: Stamp
    modules: tuple[str, ...]
    passes_on: bool
    source: Source | None = None


@dataclass(slots=True)
class Sources:
    """Tree of drift over a scanned workspace. Blocking; raises TimeoutError past `deadline` (monotonic)."""

    root: str
    found: Found
    known: dict[str, Parsed]
    deadline: float
    apart: Apart
    _fresh: set[str] = field(default_factory=set)

    @property
    def paths(self) -> list[str]:
        return sorted(path for path, _ in self.found.files() if is_source(path))

    def has(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return name in self.found.folders.get(folder, ())

    def names(self, folder: str) -> Collection[str]:
        return (*self.found.folders.get(folder, ()), *self.found.inside.get(folder, ()))

    def text(self, path: str) -> str | None:
        data = self._bytes(path)
        return None if data is None else data.decode("utf-8", "replace")

    def absent(self, path: str) -> bool:
        """See drift's Tree. A folder that isn't there, is ignored or is named for what is built tells nothing."""
        folder, _, name = path.rpartition("/")
        if not _MADE.isdisjoint(path.split("/")) or self.found.ignored(f"{path}.ts") or not self.found.whole:
            return False
        try:
            with os.scandir(f"{self.root}/{folder}") as entries:
                present = [entry.name for entry in entries]
        except OSError:
            return False
        return not any(each == name or each.startswith(f"{name}.") for each in present)

    def source(self, path: str) -> Source:
        parsed = self.parsed(path)
        if parsed is None:
            return UNKNOWN
        if parsed.source is None:
            data = self._bytes(path)
            parsed.source = UNKNOWN if data is None else self._read(data, path)
        return parsed.source

    def _read(self, data: bytes, path: str) -> Source:
        return plainly(data, path) if len(data) < LARGE else self.apart.read(data, path)

    def parsed(self, path: str) -> Parsed | None:
        """What is known of a file; None for what can't be read."""
        key = f"{self.root}/{path}"
        known = self.known.get(key)
        if path in self._fresh:
            return known
        if time.monotonic() > self.deadline:
            raise TimeoutError
        self._fresh.add(path)
        stamp = _stamp(key)
        if known is None or known.stamp != stamp:
            self.known.pop(key, None)
            data = self._bytes(path) if stamp is not None else None
            if stamp is None or data is None:
                return None
            while len(self.known) >= KNOWN:
                del self.known[next(iter(self.known))]
            known = self.known[key] = Parsed(stamp, *_skimmed(data, path))
        return known

    def _bytes(self, path: str) -> bytes | None:
        """Of a small regular file: a pipe would be waited for."""
        try:
            descriptor = os.open(f"{self.root}/{path}", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(descriptor, "rb") as file:
                at = os.fstat(file.fileno())
                return file.read() if stat.S_ISREG(at.st_mode) and at.st_size <= LARGEST else None
        except (OSError, ValueError):
            return None


def _stamp(path: str) -> Stamp | None:
    try:
        at = os.lstat(path)
    except OSError:
        return None
    return (at.st_mtime_ns, at.st_size, at.st_ino) if stat.S_ISREG(at.st_mode) else None


def _skimmed(data: bytes, path: str) -> tuple[tuple[str, ...], bool]:
    """The modules that a file may name, comments and strings included, and whether it may pass names on."""
    if path.endswith(".py"):
        names, passes = [a or b for a, b in python.MODULES.findall(data)], python.PASSES_ON
    else:
        from agent.drift import javascript  # brings the grammars

        names, passes = javascript.MODULES.findall(data), javascript.PASSES_ON
    decoded = dict.fromkeys(name.decode("utf-8", "replace") for name in names)
    return tuple(decoded), passes.search(data) is not None
