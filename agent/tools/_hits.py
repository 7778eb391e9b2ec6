"""What a searcher prints (ripgrep's JSON lines) as a bounded list of matching lines."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import Any

from agent.tools._wording import printable

SHOWN = 200  # characters of a line, around its match


@dataclass(frozen=True, slots=True)
class Hit:
    path: str
    line: int
    text: str


@dataclass(slots=True)
class Hits:
    """`take` each line that was printed. `ended`: there will be no more."""

    most: int
    room: int  # characters of all lines together
    found: list[Hit] = field(default_factory=list)
    ended: bool = False
    searched: int = 0  # files, as far as the searcher tells
    binary: int = 0  # files that turned out to be no text
    _unsure: list[Hit] = field(default_factory=list)  # of the file that is being read: it may still be no text

    @property
    def full(self) -> bool:
        return len(self.found) + len(self._unsure) > self.most or self._spent() > self.room

    def take(self, printed: bytes) -> None:
        """Raises ValueError for what isn't of this format."""
        row = json.loads(printed)
        match row["type"]:
            case "match":
                self._unsure.append(_hit(row["data"]))
            case "end" if row["data"].get("binary_offset") is not None:
                self.binary += 1
                self._unsure.clear()
            case "end":
                self._settle()
            case "summary":
                self.ended, self.searched = True, int(row["data"]["stats"]["searches"])
            case _:
                pass

    def close(self) -> list[Hit]:
        """The lines, at most as many as were wanted."""
        self._settle()
        out: list[Hit] = []
        room = self.room
        for hit in self.found[: self.most]:
            room -= len(hit.path) + len(hit.text)
            if room < 0 and out:
                break
            out.append(hit)
        return out

    def _settle(self) -> None:
        self.found += self._unsure
        self._unsure.clear()

    def _spent(self) -> int:
        return sum(len(hit.path) + len(hit.text) for hit in (*self.found, *self._unsure))


def _hit(data: dict[str, Any]) -> Hit:
    raw = _bytes(data["lines"]).removesuffix(b"\n").removesuffix(b"\r")
    spans = data["submatches"]
    start, end = (spans[0]["start"], spans[0]["end"]) if spans else (0, 0)
    path = _bytes(data["path"]).decode("utf-8", "surrogateescape").removeprefix("./")
    return Hit(path, int(data["line_number"]), _around(raw, start, end))


def _bytes(value: dict[str, str]) -> bytes:
    return value["text"].encode() if "text" in value else base64.b64decode(value["bytes"])


def _around(raw: bytes, start: int, end: int) -> str:
    """The line, or, where it is long, what stands around the match."""
    before, match, after = (_text(part) for part in (raw[:start], raw[start:end], raw[end:]))
    if len(before) + len(match) + len(after) <= SHOWN:
        return printable(before + match + after, tabs=True)
    whole, match = match, match[: SHOWN // 2]
    side = (SHOWN - len(match)) // 2
    left = before[-max(side, SHOWN - len(match) - len(after)) :]
    right = after[: SHOWN - len(match) - len(left)]
    end_cut = len(match) < len(whole) or len(right) < len(after)
    shown = f"{'…' if len(left) < len(before) else ''}{left}{match}{right}{'…' if end_cut else ''}"
    return f"{printable(shown, tabs=True)} [line of {len(raw)} bytes]"


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
