"""When the text to replace isn't there: which lines look like it, and what may be wrong with it. Pure."""

from __future__ import annotations

import difflib
import re

from agent.tools._wording import printable

LOOKED_AT = 5_000  # lines compared; about 0.1 s
COMPARED = 200  # characters of a line
SHOWN = 3
CLOSE = 0.6

_NUMBERED = re.compile(r"\s*\d+\t")


def nearest_lines(data: bytes, old: str) -> str:
    """A sentence with the lines of `data` nearest to the longest line of `old`, or a hint at a known mistake."""
    if all(_NUMBERED.match(line) for line in old.splitlines()):
        return "It begins with line numbers: leave them out."
    lines = [line.decode("utf-8", "surrogateescape") for line in data.splitlines()[:LOOKED_AT]]
    wanted = max((line.strip() for line in old.splitlines()), key=len, default="")
    if not wanted:
        return "It is only white space: give some of the text around it."
    bare = {line.strip()[:COMPARED]: number for number, line in reversed(list(enumerate(lines, 1)))}
    near = difflib.get_close_matches(wanted[:COMPARED], bare, n=SHOWN, cutoff=CLOSE)
    if not near:
        return "No line looks like it. Read the file again."
    shown = "\n".join(f"{bare[line]}\t{_cut(lines[bare[line] - 1])}" for line in near)
    if near[0] == wanted[:COMPARED]:
        return f"This line is there, but the white space or the lines around it differ:\n{shown}"
    return f"The nearest lines are:\n{shown}"


def _cut(line: str) -> str:
    return printable(line[:COMPARED], tabs=True) + ("…" if len(line) > COMPARED else "")
