"""Formatting over a text, made lawful for the chat service (https://core.telegram.org/bots/api#messageentity)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

MOST = 100  # entities of one message; the service drops the rest
STYLES = ("bold", "italic", "strikethrough")
SOLID = ("pre", "code")
QUOTES = ("blockquote", "expandable_blockquote")


@dataclass(frozen=True, slots=True)
class Mark:
    """Formatting of text[start:end] (code points), by the Bot API's names."""

    kind: str
    start: int
    end: int
    url: str = ""
    language: str = ""


def lawful(marks: Sequence[Mark]) -> list[Mark]:
    """What the service allows of them, in order: no style in code, no quote in a quote, no code in a link."""
    links = [m for m in marks if m.kind == "text_link"]
    solid = [m for m in marks if m.kind in SOLID and not Stretches(links).touches(m)]
    code = Stretches(solid)
    styles = (piece for m in marks if m.kind in STYLES for piece in code.spare(m))
    allowed = [*solid, *links, *styles, *_outermost(m for m in marks if m.kind in QUOTES)]
    return sorted((m for m in allowed if m.start < m.end), key=_order)


def entities(text: str, marks: Sequence[Mark]) -> tuple[dict[str, object], ...]:
    """As the Bot API takes them: offsets and lengths in UTF-16 units; where there are too many, code comes first."""
    before = offsets(text)
    first = sorted(sorted(marks, key=lambda m: m.kind not in SOLID)[:MOST], key=_order)
    return tuple(
        {"type": m.kind, "offset": before[m.start], "length": before[m.end] - before[m.start]}
        | ({"url": m.url} if m.url else {})
        | ({"language": m.language} if m.language else {})
        for m in first
    )


def offsets(text: str) -> list[int]:
    """For each index of `text`, and its end, the UTF-16 units before it."""
    before = [0]
    for char in text:
        before.append(before[-1] + 1 + (char > "\uffff"))
    return before


def spoiled(text: str, marks: Sequence[Mark], secret: str) -> list[Mark]:
    """The marks, and a spoiler over each `secret` outside of code, where no other mark may be."""
    found, at = [], text.find(secret)
    while at >= 0:
        found.append(Mark("spoiler", at, at + len(secret)))
        at = text.find(secret, at + len(secret))
    code = Stretches(mark for mark in marks if mark.kind in SOLID)
    return sorted([*marks, *(mark for mark in found if not code.touches(mark))], key=_order)


class Stretches:
    """Disjoint marks, looked up by place."""

    def __init__(self, marks: Iterable[Mark]) -> None:
        self._marks = sorted(marks, key=lambda m: m.start)
        self._starts = [m.start for m in self._marks]

    def within(self, mark: Mark) -> Iterator[Mark]:
        """Those that share a character with `mark`, in order."""
        i = max(0, bisect_right(self._starts, mark.start) - 1)
        while i < len(self._marks) and self._marks[i].start < mark.end:
            if self._marks[i].end > mark.start:
                yield self._marks[i]
            i += 1

    def touches(self, mark: Mark) -> bool:
        return any(True for _ in self.within(mark))

    def spare(self, mark: Mark) -> Iterator[Mark]:
        """What is left of `mark` outside of them."""
        at = mark.start
        for taken in self.within(mark):
            yield replace(mark, start=at, end=max(at, taken.start))
            at = taken.end
        yield replace(mark, start=at, end=max(at, mark.end))


def _order(mark: Mark) -> tuple[int, int]:
    return mark.start, -mark.end


def _outermost(marks: Iterable[Mark]) -> Iterator[Mark]:
    end = 0
    for mark in sorted(marks, key=_order):
        if mark.start >= end:
            yield mark
            end = mark.end
