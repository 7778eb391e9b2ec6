"""Markdown tables, made readable on a phone: narrow ones as aligned monospace, wide ones as one list item a row."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import zip_longest

PHONE = 36  # columns of monospace that a phone shows without wrapping
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_DELIMITERS = re.compile(r" {0,3}+\|?+[ \t]*+:?+-++:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+[ \t]*+$")
_PIPE = re.compile(r"(?<!\\)\|")
_STYLE = re.compile(r"(\*\*|`)(?=\S)(.+?)(?<=\S)\1")
_PLAIN = re.compile(r"[^*_`\[\]|~]+")


def readable(markdown: str, columns: int = PHONE) -> str:
    """The same text with each table outside of code replaced; every cell is kept."""
    if "|" not in markdown:
        return markdown
    return "\n".join(_lines(markdown.split("\n"), columns))


def _lines(lines: list[str], columns: int) -> Iterator[str]:
    fence = ""
    i = 0
    while i < len(lines):
        if mark := _FENCE.match(lines[i]):
            fence = _after(fence, mark[1])
        elif not fence and _starts(lines, i):
            end = i + 2
            while end < len(lines) and "|" in lines[end] and not _FENCE.match(lines[end]):
                end += 1
            yield from _table([_cells(line) for line in (lines[i], *lines[i + 2 : end])], columns)
            i = end
            continue
        yield lines[i]
        i += 1


def _after(fence: str, mark: str) -> str:
    """The fence that is open after a line that begins with `mark`, "" if none."""
    if not fence:
        return mark
    return "" if mark.startswith(fence) else fence


def _starts(lines: list[str], i: int) -> bool:
    if i + 1 == len(lines) or "|" not in lines[i] or "|" not in lines[i + 1]:
        return False
    return not lines[i].startswith(("    ", "\t", ">")) and _DELIMITERS.match(lines[i + 1]) is not None


def _cells(line: str) -> list[str]:
    line = line.strip()
    line = line[1:] if line.startswith("|") else line
    line = line[:-1] if line.endswith("|") and not line.endswith("\\|") else line
    return [cell.strip() for cell in _PIPE.split(line)]


def _table(rows: list[list[str]], columns: int) -> Iterator[str]:
    bare = [[_bare(cell) for cell in row] for row in rows]
    wide = max(len(row) for row in bare)
    widths = [max(_width(row[i]) if i < len(row) else 0 for row in bare) for i in range(wide)]
    yield ""
    if sum(widths) + 3 * (wide - 1) <= columns or len(rows) == 1:
        yield from _monospace(bare, widths)
    else:
        yield from _records(rows)
    yield ""


def _bare(cell: str) -> str:
    """A cell as it reads in monospace: without markup."""
    return _STYLE.sub(r"\2", cell).replace("\\|", "|")


def _width(text: str) -> int:
    """Columns that a terminal font gives the text: 2 for wide characters, none for marks."""
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def _monospace(rows: list[list[str]], widths: list[int]) -> Iterator[str]:
    fence = "`" * max(
        3, 1 + max((len(run) for row in rows for cell in row for run in re.findall("`+", cell)), default=0)
    )
    yield fence
    for number, row in enumerate(rows):
        padded = (cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=False))
        yield " | ".join(padded).rstrip()
        if number == 0 and len(rows) > 1:
            yield "-+-".join("-" * width for width in widths)
    yield fence


def _records(rows: list[list[str]]) -> Iterator[str]:
    heads = rows[0]
    for row in rows[1:]:
        filled = [cell or "–" for cell in (*row, *[""] * (len(heads) - len(row)))]
        if _PLAIN.fullmatch(filled[0]):
            filled[0] = f"**{filled[0]}**"
        named = [f"{head}: {cell}" if head else cell for head, cell in zip_longest(heads, filled, fillvalue="")]
        yield "- " + "\n  ".join(named)
