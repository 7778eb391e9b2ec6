"""A final text as sentences: lines, list items, what ends with a full stop; quotations and code are left out. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 8_000  # characters of a text that are looked at: its beginning, where the claims stand

_FENCE = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_END = re.compile(r"(?<=[.!?…])[)*_\"'”“]*\s+(?=[^a-zäöü\s]|$)|\n+")
_MARKS = re.compile(r"^(?:[-*+•]|\d{1,3}[.)]|#{1,6}|\|)\s*")
_SIGNS = re.compile(r"[✅✔☑🎉👍❌⚠️\u2700-\u27bf]|\*\*|__(?=\S)|(?<=\S)__")
_QUOTED = re.compile(r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|»[^«\n]{1,400}«")


def sentences(text: str) -> Iterator[str]:
    """The sentences that are the author's own. A quotation of three words or more becomes `…`."""
    text = _FENCE.sub("\n", text[:LONGEST])
    for raw in _END.split(text):
        if raw is None or raw.lstrip().startswith(">"):
            continue
        line = _MARKS.sub("", _SIGNS.sub("", raw).strip())
        line = " ".join(_QUOTED.sub(_shortened, line).split())
        if line:
            yield line


def fences(text: str) -> Iterator[str]:
    """What stands in blocks of code: output that is shown, mostly."""
    return (found[2] for found in _FENCE.finditer(text[:LONGEST]))


def _shortened(found: re.Match[str]) -> str:
    return found[0] if len(found[0].split()) < 3 else "…"
