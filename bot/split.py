"""Cut a formatted text into letters of at most 4,096 UTF-16 units, in places that a reader doesn't mind.

Never inside a surrogate pair; inside a visible character (ZWJ cluster, combining marks, flags) or a short formatted
stretch only where there is no other place. A code block that spans a cut is a code block on both sides.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from bot.marks import Mark, offsets

LIMIT = 4096  # https://core.telegram.org/bots/api#sendmessage: 1-4096 characters; they are UTF-16 code units
FOOTER = 256  # units left free in the last letter of a long answer
LOOK_BACK = 64  # code points; longer clusters are cut anyway
ZWJ = "\u200d"
BLANK = re.compile(  # what the service takes for nothing
    r"[\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]*"
)


@dataclass(frozen=True, slots=True)
class Part:
    text: str
    marks: tuple[Mark, ...] = ()


def units(text: str) -> int:
    """Length in UTF-16 code units, as Telegram counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) >> 1


def visible(text: str) -> bool:
    """Whether a person would see anything; the service refuses letters that show nothing."""
    blank = BLANK.match(text)
    return blank is None or blank.end() < len(text)


def split(text: str, marks: Sequence[Mark] = (), limit: int = LIMIT) -> list[Part]:
    """The parts, in order. White space at the cuts is dropped, and parts that show nothing."""
    parts = []
    for start, end in _ranges(text, marks, limit):
        while start < end and text[start] == "\n":
            start += 1
        end = start + len(text[start:end].rstrip())
        if visible(text[start:end]):
            parts.append(Part(text[start:end], tuple(_clipped(marks, start, end))))
    return parts


def ends(head: Part, tail: Part, limit: int = LIMIT) -> tuple[Part, Part]:
    """The first part of `head`, and the end of `tail` from a place that a reader doesn't mind, in a little less than
    `limit` units: a line can be put under it."""
    first = next(iter(split(head.text, head.marks, limit)), head)
    text, before = tail.text.rstrip(), offsets(tail.text.rstrip())
    start = bisect_left(before, before[-1] - limit + FOOTER)
    if start:
        start = _begin(text, start)
    return first, Part(text[start:], tuple(_clipped(tail.marks, start, len(text))))


def _begin(text: str, least: int) -> int:
    """Where a tail that may not begin before `least` begins."""
    half = least + (len(text) - least) // 2
    for border in ("\n", " "):
        at = text.find(border, least, half)
        if at >= 0:
            return at + 1
    return next((at for at in range(least, min(half, least + LOOK_BACK)) if not _joined(text, at)), least)


def _ranges(text: str, marks: Sequence[Mark], limit: int) -> Iterator[tuple[int, int]]:
    before = offsets(text)
    whole = _keep_together(before, marks, limit // 2)
    start = 0
    while before[-1] - before[start] > limit:
        most = bisect_right(before, before[start] + limit) - 1
        end = _cut(text, start, most, whole)
        yield start, end
        start = end
    yield start, len(text)


def _keep_together(before: list[int], marks: Sequence[Mark], most: int) -> list[tuple[int, int]]:
    """Disjoint stretches, in order, that are short enough to go into one part whole."""
    together: list[tuple[int, int]] = []
    for mark in sorted(marks, key=lambda m: m.start):
        if before[mark.end] - before[mark.start] > most:
            continue
        if together and mark.start < together[-1][1]:
            together[-1] = (together[-1][0], max(together[-1][1], mark.end))
        else:
            together.append((mark.start, mark.end))
    return together


def _around(at: int, whole: list[tuple[int, int]]) -> int | None:
    """The start of the stretch that a cut at `at` would break."""
    i = bisect_right(whole, (at, -1)) - 1
    return whole[i][0] if i >= 0 and whole[i][0] < at < whole[i][1] else None


def _cut(text: str, start: int, most: int, whole: list[tuple[int, int]]) -> int:
    """Where the part that begins at `start` ends, at most at `most`."""
    half = start + (most - start) // 2
    for border in ("\n\n", "\n", " "):
        at = text.rfind(border, half, most)
        while at >= 0:
            if _around(at + len(border), whole) is None:
                return at + len(border)
            at = text.rfind(border, half, at + len(border) - 1)
    broken = _around(most, whole)
    if broken is not None and broken > half:
        most = broken
    return next((at for at in range(most, max(start, most - LOOK_BACK), -1) if not _joined(text, at)), most)


def _joined(text: str, at: int) -> bool:
    """Whether the code points before and after `at` make one visible character (after Unicode's UAX 29, simplified)."""
    left, right = text[at - 1], text[at]
    if left == ZWJ or right == ZWJ or unicodedata.category(right)[0] == "M":
        return True
    if "\U0001f3fb" <= right <= "\U0001f3ff" or "\U000e0020" <= right <= "\U000e007f":  # skin tones, tags
        return True
    return _regional(right) and _flags_before(text, at) % 2 == 1


def _regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flags_before(text: str, at: int) -> int:
    count = 0
    while at - count > 0 and count < LOOK_BACK and _regional(text[at - count - 1]):
        count += 1
    return count


def _clipped(marks: Iterable[Mark], start: int, end: int) -> Iterator[Mark]:
    for mark in marks:
        if max(mark.start, start) < min(mark.end, end):
            yield replace(mark, start=max(mark.start, start) - start, end=min(mark.end, end) - start)
