"""Which messages make one turn: a paste that the client split, an album, an edit of a part of either. Pure.

Clients cut a text at 4,096 characters, or at a line shortly before, and send the parts within a second; the pictures of
an album come as messages of their own that share an id.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from agent import Inbound
from bot.channel import Arrival
from bot.split import LIMIT, units

Entry = tuple[Inbound, Arrival | None]

NEAR = 3_900  # UTF-16 units: a text so long was probably cut
HALF = LIMIT // 2  # a client looks for a line to cut at in the second half
PASTE_S = 2.0  # seconds in which the rest of a paste comes
ALBUM_S = 1.5  # ... and the next picture of an album
TOGETHER_S = 1.0  # between the dates of parts that were sent at once
MOST = 60  # parts of a turn
REMEMBERED = 200  # turns whose parts are known, for edits


@dataclass(frozen=True, slots=True)
class Found:
    """The entries of the turn that begins a queue; `wait` is how many seconds after the newest more of it may come, 0
    where it is complete."""

    entries: tuple[Entry, ...]
    wait: float = 0.0


def turn_of(queue: Sequence[Entry]) -> Found:
    """The turn at the head of a chat's queue. Messages of others in between are passed over; whatever else the same
    person says in the same place ends it."""
    entries = [queue[0]]
    for entry in list(queue)[1:]:
        if not _same(entries[0][1], entry[1]):
            continue
        if len(entries) == MOST or not _goes_on(entries[-1], entry):
            return Found(tuple(entries))
        entries.append(entry)
    return Found(tuple(entries), 0.0 if len(entries) == MOST else _wait(entries[-1][1]))


def joined(parts: Sequence[Arrival]) -> Arrival:
    """One arrival that stands for all of them, under the address of the first."""
    first = parts[0]
    if len(parts) == 1:
        return first
    text = args = ""
    for before, part in zip([None, *parts], parts, strict=False):
        gap = "" if before is None or not text else _gap(before)
        text += gap + part.text if part.text else ""
        args += part.args if before is None else gap + part.text
    return replace(
        first,
        text=text,
        args=args if first.command else "",
        addressed=any(part.addressed for part in parts),
        attached=tuple(each for part in parts for each in part.attached),
        unusable=next((part.unusable for part in parts if part.unusable), ""),
        quote=next((part.quote for part in parts if part.quote), None),
    )


@dataclass(slots=True)
class Turns:
    """The parts of the newest turns, so that an edit of one of them is read as an edit of the whole."""

    _parts: OrderedDict[str, tuple[Arrival, ...]] = field(default_factory=OrderedDict)  # by the first part's ref
    _first: dict[str, str] = field(default_factory=dict)  # ref of a part -> of the first
    _albums: OrderedDict[tuple[str, str], str] = field(default_factory=OrderedDict)  # (place, album) -> first ref

    def remember(self, parts: Sequence[Arrival]) -> None:
        """Take a turn in, and let the oldest go."""
        if not parts or parts[0].kind != "message":
            return
        first = parts[0]
        self._parts[first.ref] = tuple(parts)
        self._first |= {part.ref: first.ref for part in parts}
        if first.album:
            self._albums[first.place.key, first.album] = first.ref
        while len(self._parts) > REMEMBERED:
            _, gone = self._parts.popitem(last=False)
            for part in gone:
                self._first.pop(part.ref, None)
            self._albums.pop((gone[0].place.key, gone[0].album), None)

    def late(self, arrival: Arrival) -> bool:
        """Whether this belongs to an album whose turn has begun without it."""
        known = self._albums.get((arrival.place.key, arrival.album)) if arrival.album else None
        return known is not None and known != arrival.ref

    def edited(self, edit: Arrival) -> Arrival | None:
        """The whole turn as it reads after the edit; None if the words are what they were, and as much meant for us."""
        parts = self._parts.get(self._first.get(edit.ref, ""), ())
        old = next((part for part in parts if part.ref == edit.ref), None)
        if old is None:
            return edit
        if old.text == edit.text and old.addressed >= edit.addressed:
            return None
        new = replace(old, text=edit.text, addressed=edit.addressed, command=edit.command, args=edit.args)
        after = tuple(new if part.ref == edit.ref else part for part in parts)
        self._parts[after[0].ref] = after
        return replace(joined(after), kind="edit")


def _same(first: Arrival | None, other: Arrival | None) -> bool:
    """Whether both are words of one person in one place."""
    if first is None or other is None or first.kind != "message" or other.kind not in ("message", "edit"):
        return False
    return first.place == other.place and first.sender == other.sender and first.sender is not None


def _goes_on(last: Entry, entry: Entry) -> bool:
    (row, part), (next_row, more) = last, entry
    if part is None or more is None or more.kind != "message" or more.command or part.forwarded != more.forwarded:
        return False
    if part.album or more.album:
        return part.album == more.album
    if more.quote or not _is_text(part) or not _is_text(more):
        return False
    size = units(part.text)
    if size >= NEAR:
        return next_row.received - row.received <= PASTE_S
    return size >= HALF and abs(more.date - part.date) <= TOGETHER_S and next_row.received - row.received <= PASTE_S


def _wait(part: Arrival | None) -> float:
    if part is None or part.kind != "message":
        return 0.0
    if part.album:
        return ALBUM_S
    return PASTE_S if _is_text(part) and units(part.text) >= NEAR else 0.0


def _is_text(part: Arrival) -> bool:
    return not (part.attached or part.unusable)


def _gap(before: Arrival) -> str:
    """What stood between two parts: nothing where the client had to cut, else an end of line that it took away."""
    return "" if not before.album and units(before.text) >= LIMIT else "\n"
