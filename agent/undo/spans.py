"""Which commands are at work where: what two runs do in one tree at the same time must not be laid at one's door."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

from agent.undo.history import within


@dataclass(slots=True, eq=False)
class Span:
    """One command's time in one tree. `claimed`: paths that a file tool of another run wrote meanwhile."""

    run: str
    root: str
    claimed: set[str] = field(default_factory=set)
    overlapped: bool = False


class Spans:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: list[Span] = []

    def enter(self, run: str, root: str) -> None:
        span = Span(run, root)
        with self._lock:
            for other in self._open:
                if other.run != run and (within(other.root, root) or within(root, other.root)):
                    other.overlapped = span.overlapped = True
            self._open.append(span)

    def leave(self, run: str, root: str) -> Span | None:
        with self._lock:
            for span in self._open:
                if (span.run, span.root) == (run, root):
                    self._open.remove(span)
                    return span
        return None

    def claim(self, run: str, paths: Iterable[str]) -> None:
        with self._lock:
            for span in self._open:
                if span.run != run:
                    span.claimed.update(path for path in paths if within(path, span.root))

    def live(self, run: str) -> bool:
        with self._lock:
            return any(span.run == run for span in self._open)
