"""Reads a command line as `agent.commandline` does, at a fraction of the cost where the line is plain.

A plain line is one whose quotes hold no program: each quoted text becomes one word. Any other goes to the full reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from agent.commandline import (
    CLOSING,
    HEADERS,
    INTERPRETERS,
    LAUNCHERS,
    WITH_SUBCOMMAND,
    WRAPPERS,
    Simple,
    launched,
    simple_commands,
    unwrapped,
    verb,
)

LONGEST = 4_000  # characters of a command that are looked at
NO_PROGRAM = CLOSING | HEADERS
LAUNCHING = INTERPRETERS | {launcher.split(" ")[0] for launcher in LAUNCHERS}

_QUOTED = re.compile(r"'([^']*+)'|\"([^\"\\$`]*+)\"")
_BLIND = str.maketrans(dict.fromkeys(" \t\n;|&<>(){}#`\\'\"", "_"))
_HARD = ('"', "'", "`", "<<", "$(", "xargs")
_CODE = re.compile(r"\s-[a-z]{0,3}[ce]\s")
_ASIDE = re.compile(r"\\.|(?:^|\s)#[^\n]*+", re.DOTALL)  # an escaped character, a comment
_OPERATOR = re.compile(r"\|\||&&|[|;\n()]|(?<![<>&])&(?![>&])")
_REDIRECTION = re.compile(r"\d?(?P<to>&?>{1,2}&?|<)\s*+(?P<path>[^\s;|&<>()]+)")


@lru_cache(maxsize=256)
def programs(command: str) -> tuple[Simple, ...]:
    """Every program of a command line, in order, as `simple_commands` gives them."""
    text = command[:LONGEST]
    plain = _QUOTED.sub(_word, text) if "'" in text or '"' in text else text
    if "\\" in plain or "#" in plain:
        plain = _ASIDE.sub(lambda found: "_" if found[0][0] == "\\" else " ", plain)
    hard = any(sign in plain for sign in _HARD) or ("-" in plain and _CODE.search(plain))
    return simple_commands(text) if hard else tuple(_split(plain))


def _word(quoted: re.Match[str]) -> str:
    """What is quoted, as one word without operators."""
    return (quoted[1] or quoted[2] or "").translate(_BLIND)


def _split(text: str) -> Iterator[Simple]:
    piped = False
    place = 0
    for operator in _OPERATOR.finditer(text):
        yield from _simple(text[place : operator.start()], piped)
        place, piped = operator.end(), operator[0] == "|"
    yield from _simple(text[place:], piped)


def _simple(part: str, piped: bool) -> Iterator[Simple]:
    writes: tuple[str, ...] = ()
    if ">" in part or "<" in part:
        writes = tuple(
            found["path"]
            for found in _REDIRECTION.finditer(part)
            if found["to"] != "<" and found["to"][-1] != "&" and not found["path"].startswith("/dev/")
        )
        part = _REDIRECTION.sub(" ", part)
    words = part.split()
    if words and (words[0] in WRAPPERS or "=" in words[0] or "/" in words[0]):
        words = unwrapped(words)
    if not words or words[0] in NO_PROGRAM:
        return
    if words[0] in INTERPRETERS and len(words) > 1 and words[1][0] != "-":
        del words[0]
    elif words[0].rpartition("/")[2] in LAUNCHING:
        words = launched(words)
    stem = verb(words) if words[0] in WITH_SUBCOMMAND or "/" in words[0] else words[0]
    yield Simple(stem, tuple(words), writes, piped)
