"""How guards quote commands and errors: on one line, short, cut in the middle, since the end of an error says most."""

from __future__ import annotations

import re
from collections.abc import Iterable

CARD = 400  # bytes
_CD = re.compile(r"\A\s*+cd\s++[^\s;&|]{1,300}+\s*+(?:&&|;)\s*+")


def quoted(text: str, limit: int) -> str:
    """`text` on one line in at most `limit` bytes, cut in the middle."""
    line = " ".join(text[: 8 * limit].split())
    if len(line) <= limit and line.isascii():
        return line
    raw = line.encode("utf-8", "replace")
    if len(raw) <= limit:
        return line
    tail = limit // 3
    head = raw[: limit - tail - len("…".encode())]
    return f"{head.decode('utf-8', 'ignore')}…{raw[-tail:].decode('utf-8', 'ignore')}"


def bare(command: str) -> str:
    """A command without the change of folder before it, which says least and comes first."""
    found = _CD.match(command)
    return command[found.end() :] or command if found else command


def listed(texts: Iterable[str], count: int, limit: int) -> str:
    """The first `count` different ones, each in back quotes, with the number of those left out."""
    each = list(dict.fromkeys(texts))
    shown = ", ".join(f"`{quoted(text, limit)}`" for text in each[:count])
    return f"{shown} and {len(each) - count} more" if len(each) > count else shown


def fitted(*parts: str, limit: int = CARD) -> str:
    """The parts that fit into `limit` bytes, in order, with spaces between; the first is always there."""
    whole = " ".join([part for part in parts if part])
    if len(whole) <= limit and parts[0] and whole.isascii():
        return whole
    out, size = parts[0], bytes_of(parts[0])
    for part in parts[1:]:
        more = 1 + bytes_of(part) if part else limit
        if size + more <= limit:
            out, size = f"{out} {part}", size + more
    return out


def bytes_of(text: str) -> int:
    """The length in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
