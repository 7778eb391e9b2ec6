"""An output that is looked at while it comes: its file grows with it, and its newest lines can be had at any time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from agent.host.capture import Capture
from agent.host.spill import Redacts, Spill
from agent.steps import Stream

QUIET_S = 1.0  # without data: then a line that has no end yet is shown, and the file gets what was held back


class Live(Capture):
    """Fed by one thread, looked at by others."""

    def __init__(self, redactor: Redacts, new_spill: Callable[[], Spill]) -> None:
        super().__init__(redactor, new_spill, at_once=True)
        self._lock = threading.Lock()
        self._fed = time.monotonic()
        self._settled = True

    def feed(self, data: bytes) -> None:
        with self._lock:
            self._fed, self._settled = time.monotonic(), False
            super().feed(data)

    def settle(self) -> None:
        """Let the file have all that is there, once nothing has come for a while."""
        with self._lock:
            if self._settled or time.monotonic() < self._fed + QUIET_S:
                return
            self._settled = True
            if self._spill is None or self._problem:
                return
            try:
                self._spill.settle()
            except OSError as error:
                self._problem = f"The full output is cut in its file ({error.strerror})."

    def now(self) -> Stream:
        """What has come by now. A last line without an end is left out while it may still grow: it may be half a
        secret."""
        with self._lock:
            head, tail, size = bytes(self._head), bytes(self._tail), self.size
            quiet = time.monotonic() >= self._fed + QUIET_S
        newest = tail or head
        cut = len(newest) if quiet else max(newest.rfind(b"\n"), newest.rfind(b"\r")) + 1
        size -= len(newest) - cut
        return self.seen(head, tail[:cut], size)[0] if tail else self.seen(head[:cut], b"", size)[0]

    def finish(self) -> tuple[Stream, str, str]:
        with self._lock:
            return super().finish()
