"""A command, a path or a sentence on one line of a phone: folders are left out first, then the middle. Pure."""

from __future__ import annotations

import re

LINE = 40  # characters that a phone shows in one line
WORD = 8  # characters of the end that are given up so that it begins with a word

_GOES = re.compile(r"\Acd [^\s;&|]+ ?(?:&&|;) ?")
_PATH = re.compile(
    r"""(?:(?<=[\s'"=(<>])|\A)(?!\w{1,12}://|[sy]/)((?:~|\.\.?)?/?(?:[^\s'"/:=();|&<>]++/)+)([^\s'"/:=();|&<>]*+)"""
)


def clip(text: str, limit: int = LINE) -> str:
    """One line of at most `limit` characters: the beginning."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def shortened(text: str, limit: int = LINE) -> str:
    """One line of at most `limit` characters: paths by their base names, without a `cd` before the command, then the
    beginning and the end; whatever fits as it is stays so."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    line = _PATH.sub(_base, _GOES.sub("", line, count=1))
    return line if len(line) <= limit else _middle_out(line, limit)


def _base(found: re.Match[str]) -> str:
    return found[2] or found[1].rstrip("/").rpartition("/")[2] + "/"


def _middle_out(line: str, limit: int) -> str:
    """A third of it for the end, or less where a word begins nearby; the beginning takes the rest."""
    last = line[-(limit // 3) :]
    if 0 <= (start := last.find(" ")) < min(WORD, len(last) - 2):
        last = last[start:]
    return f"{line[: limit - 1 - len(last)]}…{last}"
