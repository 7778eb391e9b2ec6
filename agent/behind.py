"""A stream for the log that holds up nobody: its lines go out in a thread, however long nobody takes them."""

from __future__ import annotations

import io
import logging
import os
import select
import threading
import time
from contextlib import suppress
from queue import Queue

logger = logging.getLogger(__name__)

MOST = 10_000  # lines that wait; what comes then is lost and counted


class Behind(io.TextIOBase):
    """Writes to the descriptor `fd`. A pipe that is full would otherwise stop the event loop with the first line."""

    def __init__(self, fd: int, most: int = MOST) -> None:
        self._fd, self._most = fd, most
        self._lines: Queue[bytes] = Queue()
        self._lost = 0
        threading.Thread(target=self._work, name="log", daemon=True).start()

    def write(self, text: str) -> int:
        if self._lines.qsize() >= self._most:
            self._lost += 1
        else:
            self._lines.put(text.encode("utf-8", "backslashreplace"))
        return len(text)

    def drain(self, timeout_s: float) -> bool:
        """Wait until all is written, at most so many seconds; returns whether it is."""
        until = time.monotonic() + timeout_s
        while self._lines.unfinished_tasks and time.monotonic() < until:
            time.sleep(0.005)
        return not self._lines.unfinished_tasks

    def _work(self) -> None:
        while True:
            data = self._lines.get()
            with suppress(OSError):  # a full disk, a closed pipe: nobody is left to tell
                self._written(data)
            if self._lost:
                lost, self._lost = self._lost, 0
                logger.warning("%d lines of the log are lost: nobody took them", lost)
            self._lines.task_done()

    def _written(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._fd, view) :]
            except BlockingIOError:
                select.select([], [self._fd], [], 1.0)
