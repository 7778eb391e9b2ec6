"""Server-sent events out of raw bytes, as the WHATWG HTML standard (section 9.2.6) reads them, with a bound on memory.

The client library's own reader raises a bare JSONDecodeError on a corrupt chunk, holds a line of any length and passes
over a body that isn't a stream at all; this one tells those apart. A body that is one JSON document (a server that
doesn't stream, or an error object sent with status 200) comes out as one event at its end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from agent.causes import because
from agent.why import Why

EVENT_LIMIT = 8_000_000  # bytes of one event, or of a body that isn't a stream

_LINE_END = re.compile(rb"\r\n|\n|\r")
_FIELD = re.compile(rb"[A-Za-z0-9_-]+(:|$)")  # the standard ignores unknown fields; a torn line doesn't look like one


class Garbled(Exception):
    """The bytes are no event stream; `what` they are instead."""

    def __init__(self, why: Why, *values: int) -> None:
        super().__init__(why.value, *values)
        self.what = because(why, *values)


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its name ("" where none was given) and its data lines joined by a newline."""

    name: str
    data: str


class EventReader:
    """Give it bytes in any portions; it gives the events that became complete. An event cut by the end is dropped.

    `document`: the body is one JSON document and no stream.
    """

    def __init__(self, limit: int = EVENT_LIMIT) -> None:
        self._limit = limit
        self._parts: list[bytes] = []  # bytes after the last line end, not joined before they are needed
        self._held = 0
        self._name = b""
        self._data: list[bytes] = []
        self._begun = False
        self.document = False

    def feed(self, piece: bytes) -> list[Event]:
        """Take the next bytes. Raises Garbled."""
        if not self._begun:
            piece = self._begin(piece)
        self._held += len(piece)
        if self._held > self._limit:
            raise Garbled(Why.BIG_CHUNK, self._limit // 1000)
        self._parts.append(piece)
        if self.document or not (b"\n" in piece or b"\r" in piece or self._ends_in_return()):
            return []
        return self._lines()

    def close(self) -> list[Event]:
        """The bytes are over. Returns the document, if the body was one. Raises Garbled."""
        if self.document:
            return [Event("", _text(b"".join(self._parts)))]
        return self._lines(over=True)

    def _begin(self, piece: bytes) -> bytes:
        whole = (b"".join(self._parts) + piece).removeprefix(b"\xef\xbb\xbf").lstrip()
        self._parts, self._held = [], 0
        if whole[:1] == b"<":
            raise Garbled(Why.WEB_PAGE)
        self._begun = bool(whole) and whole != b"\xef"[: len(whole)] and whole != b"\xef\xbb"[: len(whole)]
        self.document = whole[:1] in (b"{", b"[")
        return whole

    def _ends_in_return(self) -> bool:
        return len(self._parts) > 1 and self._parts[-2].endswith(b"\r")

    def _lines(self, over: bool = False) -> list[Event]:
        buffer = b"".join(self._parts)
        # A return at the very end may be half of a line end.
        tail = b"\r" if buffer.endswith(b"\r") and not over else b""
        *lines, rest = _LINE_END.split(buffer[: len(buffer) - len(tail)])
        self._parts = [rest + tail]
        self._held = len(rest) + len(tail) + sum(map(len, self._data))
        events = []
        for line in lines:
            if line:
                self._field(line)
            elif self._data or self._name:
                events.append(Event(_text(self._name), _text(b"\n".join(self._data))))
                self._name, self._data = b"", []
                self._held = len(rest) + len(tail)
        return events

    def _field(self, line: bytes) -> None:
        if line.startswith(b":"):
            return
        if not _FIELD.match(line):
            raise Garbled(Why.CORRUPT_LINE)
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match name:
            case b"data":
                self._data.append(value)
                self._held += len(value)
            case b"event":
                self._name = value


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", errors="replace")
