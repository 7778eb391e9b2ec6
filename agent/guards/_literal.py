"""Finds a variable's name that reached a program as it stands, `$` and all: something kept the shell from expanding it.

The commonest cause is a backslash before the dollar, written into a script by whoever quoted it once too often.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from agent.phrases import canonical

END = 4_000  # characters looked at from each end of a stream
LINES = 60  # lines with a dollar that are looked at

_NAME = re.compile(r"\$(?:\{[A-Za-z_]\w{0,60}\}|[A-Za-z_]\w{0,60}|[1-9@*](?=['\":/]))")
_SAID = re.compile(
    r"not found|could not resolve|couldn't (?:find|open|connect)|can't (?:open|read|find|cd)|no such|unable to"
    r"|cannot (?:open|stat|access)|integer expression|invalid (?:option|url|number|host|port)|unknown host"
    r"|bad address|not a valid|does not exist|doesn't exist"
)
# These name a variable as it is written, although it was expanded or is a language's own.
_OTHER = re.compile(
    r"ambiguous redirect|unbound variable|undefined|unset|not set|requires explicit|syntax|unexpected|bad substitution"
    r"|null or not|undeclared|\$\((?!\w+\))"
)
_FILE = re.compile(r"^(?:\S{1,60}: )??(\S{1,200}?):(?: (?:line|Zeile|ligne))? ?\d{1,6}: ?")


@dataclass(frozen=True, slots=True)
class Literal:
    """`name` with its dollar, the error `line`, and the script that the line names, if it does."""

    name: str
    line: str
    script: str


def literal(*streams: str) -> Literal | None:
    """The first error line that holds a variable's name unexpanded."""
    for text in streams:
        if "$" not in text:
            continue
        window = text if len(text) <= 2 * END else f"{text[:END]}\n{text[-END:]}"
        lines = [line for line in window.split("\n") if "$" in line][:LINES]
        for line in lines:
            if found := _in(line.strip()[:600]):
                return found
    return None


def _in(line: str) -> Literal | None:
    low = line.lower()
    if line.startswith("+") or _OTHER.search(low):  # a trace of `bash -x`
        return None
    name = _NAME.search(line)
    if name is None or not (_SAID.search(low) or any(canonical(part) for part in re.split(r"[:,()]", line))):
        return None
    script = _FILE.match(line)
    named = script[1] if script and script[1].rpartition("/")[2] not in ("bash", "sh", "dash", "zsh") else ""
    return Literal(name[0], line, named)
