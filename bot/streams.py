"""The answer while the model writes it: what streams in a run of a private chat is shown there as a preview.

A preview is no message: it is neither stored nor counted on, and what is taken back of a reply is taken back there too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from agent import Clock, Delta, parent_of, steps
from bot.channel import Letter
from bot.lane import Preview
from bot.markup import letters
from bot.outbox import Sender
from bot.routes import Routes

FIRST_S = 1.0  # a reply that is written sooner needs no preview
WINDOW = 2000  # characters of a long text that are shown at most: its end
STRIDE = 1000  # characters by which it moves on: what is being read stands still meanwhile
REACH = 12_000  # characters before them that are masked, too: no secret is longer
TAKEN_BACK = "…"
HEAD = 40  # characters by which a reply is known again in what was streamed of it

Partial = Callable[[str], str]
Hear = Callable[[str, Delta], None]


@dataclass(slots=True)
class _Stream:
    """One reply as it comes in. `over`: nothing of it comes any more; `void`: it is no answer any more."""

    preview: Preview
    begun: float  # monotonic
    text: list[str] = field(default_factory=list)
    over: bool = False
    void: bool = False


class Streams:
    """Hears what streams in one channel's sessions. `partial` masks a text that isn't whole yet."""

    def __init__(self, routes: Routes, sender: Sender, clock: Clock, partial: Partial) -> None:
        self._routes, self._sender, self._clock, self._partial = routes, sender, clock, partial
        self._streams: dict[str, _Stream] = {}  # the newest of each session
        self._models: dict[str, str] = {}  # session -> who speaks in it
        self._loud: set[str] = set()  # models that write down what isn't part of their answers
        self._ids = count(int(clock.now()))

    def hear(self, session: str, delta: Delta) -> None:
        """What the hub's `on_delta` brings."""
        stream = self._streams.get(session)
        if delta.restart and stream is not None and not stream.over:
            self._take_back(stream)
        if not delta.text or parent_of(session):
            return
        if stream is None or stream.over:
            stream = self._begin(session)
        if stream is not None:
            stream.text.append(delta.text)
            if self._clock.monotonic() - stream.begun >= FIRST_S:
                self._sender.preview(stream.preview)

    def watch(self, session: str, seq: int, step: steps.Step) -> None:
        """A watcher of the hub's: takes the step and returns at once."""
        match step:
            case steps.Opened():
                self._models[session] = step.model
            case steps.Said():
                self._written(session, step)
            case steps.Nudged(level=steps.Level.HOLD, about=None, slot=None):  # the answer went back to the model
                if stream := self._streams.get(session):
                    self._take_back(stream)
            case steps.Ended():
                if stream := self._streams.pop(session, None):
                    self._close(stream)
            case _:
                pass

    def _begin(self, session: str) -> _Stream | None:
        place = self._routes.where(session)
        if place is None or self._models.get(session) in self._loud or not self._sender.previews(place):
            return None
        preview = Preview(place, next(self._ids), lambda: self._compose(stream))
        stream = self._streams[session] = _Stream(preview, self._clock.monotonic())
        return stream

    def _compose(self, stream: _Stream) -> Letter | None:
        if stream.void:
            return Letter(TAKEN_BACK)
        text = _joined(stream.text)
        near = text.rfind("\n", 0, max(0, len(text) - WINDOW - REACH)) + 1
        shown = letters(window(self._partial(text[near:]), text[:near]))
        return Letter(shown[-1].text, shown[-1].entities) if shown and shown[-1].file is None else None

    def _written(self, session: str, said: steps.Said) -> None:
        """Where a reply begins otherwise than what was streamed of it, its model thinks aloud, in a way that is known
        for thought only once it has ended."""
        self._models[session] = said.model
        stream = self._streams.get(session)
        if stream is None or stream.over:  # nothing was streamed of it
            self._streams.pop(session, None)
            return
        self._close(stream)
        streamed, kept = self._partial(_joined(stream.text)).strip(), said.text.strip()
        size = min(HEAD, len(streamed), len(kept))
        if streamed[:size] != kept[:size] and kept[:size] in streamed:
            self._loud.add(said.model)

    def _take_back(self, stream: _Stream) -> None:
        self._close(stream)
        if stream.preview.shown is not None:
            stream.void = True
            self._sender.preview(stream.preview)

    def _close(self, stream: _Stream) -> None:
        stream.over = True
        self._sender.unpreview(stream.preview)


def both(first: Hear, second: Hear) -> Hear:
    """Both hear what streams."""

    def hear(session: str, delta: Delta) -> None:
        first(session, delta)
        second(session, delta)

    return hear


def _joined(pieces: list[str]) -> str:
    pieces[:] = ["".join(pieces)]
    return pieces[0]


def window(text: str, before: str = "") -> str:
    """The end of a long Markdown text, from a line's start if there is one near; a code block goes on in it. What is
    `before` it isn't shown in any case, and ends with a line."""
    size = len(before) + len(text)
    if size <= WINDOW:
        return before + text
    start = max(0, -(-(size - WINDOW) // STRIDE) * STRIDE - len(before))
    line = text.find("\n", start, start + STRIDE // 2) + 1
    start = line or start
    inside = sum(f"\n{part}".count("\n```") for part in (before, text[:start])) % 2
    return f"{TAKEN_BACK}\n\n{'```' if inside else ''}\n{text[start:]}"
