"""The runs whose undo is known: each a manifest on disk and its fold in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import time

from agent.undo.history import History, Trees
from agent.undo.manifest import ENDING, Begun, Left, Line, Manifest, read, run_of

AWAKE = 16  # runs in memory; one of 10,000 files takes about 5 MB


@dataclass(slots=True, eq=False)
class Run:
    """One run. Held by one thread at a time."""

    manifest: Manifest
    name: str
    history: History
    undoes: str = ""
    users: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def record(self, *lines: Line, sync: bool) -> None:
        """Write, then fold. Raises OSError; then neither happened."""
        if self.history.begun is None:
            lines = (Begun(self.name, time(), self.undoes), *lines)
        self.manifest.append(*lines, sync=sync)
        for line in lines:
            self.history.take(line)


class Runs:
    def __init__(self, folder: Path, trees: Trees) -> None:
        self._folder, self._trees = folder, trees
        self._lock = threading.Lock()
        self._awake: OrderedDict[str, Run] = OrderedDict()

    @contextmanager
    def using(self, name: str, undoes: str = "") -> Iterator[Run]:
        """The run of this name, which need not exist yet: it does from its first line on. Raises OSError."""
        with self._lock:
            run = self._awake.get(name) or self._wake(name, undoes)
            self._awake.move_to_end(name)
            run.users += 1
        try:
            with run.lock:
                yield run
        finally:
            with self._lock:
                run.users -= 1

    def _wake(self, name: str, undoes: str) -> Run:
        manifest, history = Manifest(self._folder, name), History(self._trees)
        for line in manifest.load():
            history.take(line)
        for idle in [each.name for each in self._awake.values() if not each.users][: len(self._awake) - AWAKE + 1]:
            del self._awake[idle]
        run = self._awake[name] = Run(manifest, name, history, undoes)
        return run

    def of(self, session: str) -> list[str]:
        """The session's runs, the newest first; an undo that was cut off is none. Raises OSError."""
        found: list[tuple[float, str]] = []
        for path in self.files():
            if run_of(path).rpartition(":")[0] == session:
                with suppress(FileNotFoundError):
                    found += _begun(read(path))
        return [*self._blind(session), *(run for _, run in sorted(found, reverse=True))]

    def _blind(self, session: str) -> list[str]:
        """Runs that nothing could be written down of."""
        with self._lock:
            awake = [run for run in reversed(self._awake.values()) if run.history.blind and not run.history.begun]
        return [run.name for run in awake if run.name.rpartition(":")[0] == session]

    def files(self) -> list[Path]:
        return list(self._folder.glob(f"*{ENDING}"))

    def next_undo(self, run: str) -> str:
        """A name for the undoing of `run`: session:seq~n."""
        stem, _, number = run.partition("~")
        following = int(number or 0) + 1
        while Manifest(self._folder, f"{stem}~{following}").path.exists():
            following += 1
        return f"{stem}~{following}"

    def forget(self, path: Path) -> None:
        """Raises OSError."""
        with self._lock:
            self._awake.pop(run_of(path), None)
        path.unlink(missing_ok=True)


def _begun(lines: list[Line]) -> list[tuple[float, str]]:
    match lines:
        case [Begun(run, at, undoes), *rest] if not undoes or any(isinstance(line, Left) for line in rest):
            return [(at, run)]
    return []
