"""One output stream of a command: counted and hashed whole, kept at both ends, spilled into a file where it is long."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from agent.host.plain import is_binary, plain
from agent.host.spill import Redacts, Spill
from agent.steps import Stream

KEPT = 8192  # bytes of text at each end
WINDOW = 65_536  # raw bytes at each end: more than is kept, so that no secret is cut before it is recognised


class Capture:
    """Takes a stream in chunks in constant memory."""

    def __init__(self, redactor: Redacts, new_spill: Callable[[], Spill], *, at_once: bool = False) -> None:
        """`new_spill` makes the file for the full text once it is needed, or `at_once`; an OSError of it costs the
        file only."""
        self._at_once = at_once
        self._redactor = redactor
        self._new_spill = new_spill
        self._spill: Spill | None = None
        self._problem = ""
        self._hash = hashlib.sha256()
        self._head = bytearray()
        self._tail = bytearray()
        self.size = 0

    @property
    def path(self) -> str:
        """Of the full text, "" while there is none."""
        return self._spill.path if self._spill else ""

    @property
    def flooding(self) -> bool:
        """More came than is ever kept: the rest is only counted, and need not be read fast."""
        return self.size > WINDOW and (self._spill is None or self._spill.full)

    def feed(self, data: bytes) -> None:
        begins = not self.size
        self.size += len(data)
        self._hash.update(data)
        room = WINDOW - len(self._head)
        overflows = len(data) > room and not self._tail
        self._head += data[:room]
        self._tail += data[room:]
        if self._spill is not None:
            self._keep(data)
        elif overflows or (begins and self._at_once):
            self._open_spill()
        if len(self._tail) > 2 * WINDOW:
            del self._tail[:-WINDOW]

    def beginning(self) -> str:
        """The first line or a part of it, as it came."""
        return bytes(self._head[:200]).decode(errors="replace")

    def finish(self) -> tuple[Stream, str, str]:
        """The stream, the path of the full text ("" = none), and a sentence if that could not be kept ("" = fine)."""
        stream, whole = self.seen(bytes(self._head), bytes(self._tail), self.size)
        if not whole and not self._spill and not self._tail:
            self._open_spill()
        return stream, self._close_spill(), self._problem

    def seen(self, head: bytes, tail: bytes, size: int) -> tuple[Stream, bool]:
        """What is shown of a stream of `size` bytes with these raw ends, and whether that is all of it."""
        digest = self._hash.hexdigest()
        if len(head) + len(tail) < size:
            shown = self._shown(after_break(tail))
            return Stream(ends(self._shown(until_break(head)))[0], ends(shown)[1] or shown, size, digest), False
        text = self._shown(head + tail)
        first, last = ends(text)
        return Stream(first, last, size, digest), len(first.encode()) + len(last.encode()) == len(text.encode())

    def _shown(self, data: bytes) -> str:
        if is_binary(data):
            return f"[binary output, {self.size:,} bytes, not shown]"
        return self._redactor.output(plain(data))

    def _open_spill(self) -> None:
        if is_binary(bytes(self._head)):
            return
        try:
            self._spill = self._new_spill()
        except OSError as error:
            self._problem = f"The full output could not be kept ({error.strerror})."
            return
        self._keep(self._head + self._tail)

    def _keep(self, data: bytes | bytearray) -> None:
        if self._spill is None or self._problem:
            return
        try:
            self._spill.feed(bytes(data))
        except OSError as error:
            self._problem = f"The full output is cut in its file ({error.strerror})."

    def _close_spill(self) -> str:
        if self._spill is None:
            return ""
        try:
            self._spill.close()
        except OSError as error:
            self._problem = self._problem or f"The full output is cut in its file ({error.strerror})."
        return self._spill.path


def ends(text: str) -> tuple[str, str]:
    """Head and tail of a text, at most 8 kB each; the tail is empty while the head holds everything."""
    data = text.encode()
    if len(data) <= KEPT:
        return text, ""
    head = data[:KEPT].decode(errors="ignore")
    return head, data[len(head.encode()) :][-KEPT:].decode(errors="ignore")


def until_break(data: bytes) -> bytes:
    """Up to the last line break of the last 4 kB, if there is one: what stands behind it may be half a secret."""
    cut = max(data.rfind(b"\n", -4096), data.rfind(b"\r", -4096))
    return data[: cut + 1] if cut >= 0 else data


def after_break(data: bytes) -> bytes:
    """From the first line break of the first 4 kB of the last window on, for the same reason."""
    window = data[-WINDOW:]
    breaks = [place for place in (window.find(b"\n", 0, 4096), window.find(b"\r", 0, 4096)) if place >= 0]
    return window[min(breaks) + 1 :] if breaks else window
