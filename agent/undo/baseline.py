"""What a workspace holds before a command runs there, kept incrementally: what is as it was costs one stat."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agent.undo.blobs import Blobs, Refused, ours
from agent.undo.capture import Capture, by_folder
from agent.undo.files import write_whole
from agent.undo.states import File, Limits, State, Unkept, Why
from agent.undo.tree import Tree, packed, unpacked
from agent.undo.walk import Listing, folder, listing

AWAKE = 8  # workspaces whose last tree stays in memory
AGAIN = (Why.BUDGET, Why.DISK)  # reasons that may be gone next time


@dataclass(frozen=True, slots=True)
class Base:
    """A workspace's newest tree and its name in the store. `short`: something of it is worth another try."""

    name: str
    tree: Tree
    short: bool


class Baselines:
    """Trees in one folder, named by their hash; beside them, which is the newest of each workspace."""

    def __init__(self, path: Path, blobs: Blobs, limits: Limits, skipped: frozenset[str]) -> None:
        self._path, self._blobs, self._limits, self._skipped = path, blobs, limits, skipped
        self._capture = Capture(blobs, limits)
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._last: OrderedDict[str, Base] = OrderedDict()

    def listing(self, root: str) -> Listing:
        return listing(root, self._limits.files, self._limits.depth, self._skipped)

    def take(self, root: str, stopped: Callable[[], bool] = lambda: False) -> Base:
        """Keep everything in the workspace, as far as the bounds go. Raises Refused, also when it was `stopped`."""
        with self._lock:
            lock = self._locks.setdefault(root, threading.Lock())
        with lock:
            last, now = self._newest(root), self.listing(root)
            if last is not None and not last.short and last.tree.listing == now:
                return last
            states, fresh = self._states(now, last.tree if last else None, stopped)
            if stopped():
                raise Refused(errno.ECANCELED, "stopped")
            short = any(isinstance(state, Unkept) and state.why in AGAIN for state in states.values())
            base = Base("", Tree(now, states), short)
            with ours():
                if fresh:
                    self._blobs.sync()
                base = self._written(base)
            self._remember(root, base)
            return base

    def load(self, name: str) -> Tree | None:
        """The tree of this name; None if it is gone or damaged."""
        for known in list(self._last.values()):
            if known.name == name:
                return known.tree
        try:
            data = self._file(name).read_bytes()
            return unpacked(data) if hashlib.sha256(data).hexdigest() == name else None
        except (OSError, ValueError):
            return None

    def sweep(self, wanted: set[str]) -> None:
        """Remove every tree that isn't `wanted`. Nothing else may use the store meanwhile. Raises OSError."""
        for path in self._path.iterdir():
            name = path.read_text("ascii", "replace") if path.suffix == ".newest" else path.stem
            if name not in wanted:
                path.unlink(missing_ok=True)
        self._last.clear()

    def _newest(self, root: str) -> Base | None:
        if (known := self._last.get(root)) is not None:
            return known
        try:
            name = self._pointer(root).read_text("ascii", "replace")
        except OSError:
            return None
        tree = self.load(name)
        return Base(name, tree, short=True) if tree is not None else None

    def _remember(self, root: str, base: Base) -> None:
        with self._lock:
            self._last[root] = base
            self._last.move_to_end(root)
            if len(self._last) > AWAKE:
                self._last.popitem(last=False)

    def _written(self, base: Base) -> Base:
        data = packed(base.tree)
        name = hashlib.sha256(data).hexdigest()
        if not self._file(name).exists():
            write_whole(self._file(name), data, sync=True)
        write_whole(self._pointer(base.tree.listing.root), name.encode(), sync=False)
        return Base(name, base.tree, base.short)

    def _file(self, name: str) -> Path:
        return self._path / f"{name}.json"

    def _pointer(self, root: str) -> Path:
        return self._path / f"{hashlib.sha256(os.fsencode(root)).hexdigest()}.newest"

    def _states(self, now: Listing, last: Tree | None, stopped: Callable[[], bool]) -> tuple[dict[str, State], bool]:
        """The state of everything listed, and whether any content was kept anew."""
        states: dict[str, State] = {}
        fresh: list[str] = []
        for path, sig in now.found.items():
            state = last.states.get(path) if last and last.listing.found.get(path) == sig else None
            if state is None or (isinstance(state, Unkept) and state.why in AGAIN):
                fresh.append(path)
            else:
                states[path] = state
        room = self._limits.tree_bytes - sum(state.size for state in states.values() if isinstance(state, File))
        until = time.monotonic() + self._limits.store_s
        Filling(self._capture, now, states, room, lambda: stopped() or time.monotonic() > until).fill(fresh)
        return states, bool(fresh)


@dataclass(slots=True)
class Filling:
    """New states for a listing, until the room (bytes) or the time is used up."""

    capture: Capture
    now: Listing
    states: dict[str, State]
    room: int
    over: Callable[[], bool]
    refused: bool = False

    def fill(self, paths: list[str]) -> None:
        if paths:
            self.room = min(self.room, self._free())
        for parent, names in by_folder(paths).items():
            try:
                with folder(parent) as at:
                    for name in names:
                        self._take(at, name, f"{parent.rstrip('/')}/{name}")
            except OSError:  # gone or replaced since it was listed
                for name in names:
                    self._lose(f"{parent.rstrip('/')}/{name}")

    def _free(self) -> int:
        try:
            return self.capture.blobs.free() - self.capture.limits.free_bytes
        except OSError:
            return 0

    def _take(self, at: int, name: str, path: str) -> None:
        mode, size, *_ = self.now.found[path]
        if stat.S_ISREG(mode) and size <= self.capture.limits.file_bytes:
            self.room -= size
            if self.refused or self.room < 0 or self.over():
                self.room += size
                self.states[path] = Unkept(stat.S_IMODE(mode), Why.DISK if self.refused else Why.BUDGET)
                return
        try:
            self.now.found[path], self.states[path] = self.capture.entry(at, name, sync=False)
        except Refused:
            self.refused = True
            self.states[path] = Unkept(stat.S_IMODE(mode), Why.DISK)
        except OSError:
            self._lose(path)

    def _lose(self, path: str) -> None:
        if path not in self.states:
            self.now.found.pop(path, None)
