"""From the bytes of a response to a reply: events, chunks, errors reported in the middle; no I/O."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from agent.models.assembly import Assembly
from agent.models.complaint import Complaint, complaint_of
from agent.models.sse import Event, EventReader, Garbled
from agent.why import Why

WIRE_LIMIT = 64_000_000  # bytes of one response, envelopes included


class Reported(Exception):
    """The server sent an error where a reply, or more of it, should have been."""

    def __init__(self, complaint: Complaint) -> None:
        super().__init__(complaint.message)
        self.complaint = complaint


class Incoming:
    """Takes the pieces of one response. After the reply's explicit end nothing can spoil it any more.

    `done`: the server said that nothing more comes.
    """

    def __init__(self, assembly: Assembly, limit: int = WIRE_LIMIT) -> None:
        self._assembly = assembly
        self._reader = EventReader()
        self._room = limit
        self.done = False

    def feed(self, piece: bytes) -> str:
        """Take bytes; returns the text that they add to the screen. Raises Garbled, Reported."""
        self._room -= len(piece)
        return self._unless_finished(lambda: self._take(self._fed(piece)))

    def close(self) -> str:
        """The bytes are over. Raises Garbled, Reported."""
        text = self._unless_finished(lambda: self._take(self._reader.close()))
        if self._reader.document and not self._assembly.finished:
            raise Garbled(Why.NO_CHAT_REPLY)
        return text

    def _fed(self, piece: bytes) -> list[Event]:
        if self._room < 0:
            raise Garbled(Why.UNREADABLY_MUCH)
        return self._reader.feed(piece)

    def _unless_finished(self, read: Callable[[], str]) -> str:
        try:
            return read()
        except Garbled:
            if not self._assembly.finished:
                raise
            self.done = True
            return ""

    def _take(self, events: Sequence[Event]) -> str:
        shown = []
        for event in events:
            if self.done:
                break
            if event.data.startswith("[DONE]"):
                self.done = True
            elif event.data.strip():
                shown.append(self._chunk(event))
        return "".join(shown)

    def _chunk(self, event: Event) -> str:
        try:
            chunk = json.loads(event.data)
        except (ValueError, RecursionError):
            if event.name == "error":
                raise Reported(complaint_of(None, event.data, {}, 0.0)) from None
            raise Garbled(Why.CORRUPT_CHUNK) from None
        if _is_error(event, chunk) and not self._assembly.finished:
            raise Reported(complaint_of(None, chunk, {}, 0.0))
        if not isinstance(chunk, dict):
            raise Garbled(Why.NO_CHAT_REPLY)
        return self._assembly.add(chunk)


def _is_error(event: Event, chunk: object) -> bool:
    if event.name == "error":
        return True
    if isinstance(chunk, list) and chunk:
        chunk = chunk[0]
    return isinstance(chunk, dict) and bool(chunk.get("error") or chunk.get("object") == "error")
