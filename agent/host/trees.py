"""Who works in which folder tree right now: where two commands overlap, neither knows which changes are its own."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class Stay:
    """One command's time in one tree."""

    root: str
    overlapped: bool = False


class Trees:
    """All stays of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stays: list[Stay] = []

    @contextmanager
    def entered(self, root: str) -> Iterator[Stay]:
        stay = Stay(os.path.realpath(root).rstrip("/") + "/")
        with self._lock:
            for other in self._stays:
                if other.root.startswith(stay.root) or stay.root.startswith(other.root):
                    other.overlapped = stay.overlapped = True
            self._stays.append(stay)
        try:
            yield stay
        finally:
            with self._lock:
                self._stays.remove(stay)
