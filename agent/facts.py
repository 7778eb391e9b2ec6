"""What a successful call confirmed for good: where things are, which version, which port answers. Pure.

A fact is confirmed by output, never by a claim, and a failure later doesn't take it back: it may be replaced by a newer
confirmation alone.
"""

from __future__ import annotations

import re
from itertools import islice

from agent.intent import Intent

MOST = 100
LONGEST = 160  # characters of a value
SCANNED = 2_000  # characters of output

_LOCATING = frozenset({"which", "command -v", "type", "realpath", "readlink", "pwd", "whereis"})
_PATH = re.compile(r"(?:^|\s)(/[\w./+@-]{1,140})", re.MULTILINE)
_VERSION = re.compile(r"(?<![\w.])v?(\d{1,4}\.\d{1,6}(?:\.\d{1,6})?[\w.+-]{0,20})")
_ASKS_VERSION = frozenset({"--version", "-V", "-version", "version"})
_PORT = re.compile(r"(?:port[ =:]{1,2}|[\w\]]:)(\d{2,5})\b", re.IGNORECASE)
_SERVES = re.compile(r"\b(?:listen(?:ing|s)?|running|serving|started|available|ready)\b[^\n]*+\Z")
BEFORE = 72  # characters before a port in which somebody says that it is listened on
_SOCKET = re.compile(r"LISTEN[ \t][^\n]{0,60}?:(\d{2,5})[ \t]")
_LOCAL = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0):(\d{2,5})")


def facts_of(meant: Intent, stdout: str) -> dict[str, str]:
    """What the output of a successful call confirms, by key: `path of python3`, `version of node`, `port 8000`."""
    text = stdout[:SCANNED]
    found: dict[str, str] = {}
    for part in meant.parts:
        name = part.stem
        if name in _LOCATING:
            _locate(part.operands, name, text, found)
        elif _asks_version(part.words) and (version := _VERSION.search(text)):
            found[f"version of {part.words[0].rpartition('/')[2]}"] = version[1]
        elif name in ("curl", "wget", "nc") and (port := _LOCAL.search(" ".join(part.words))):
            found[f"port {port[1]}"] = "answers"
        elif name in ("ss", "netstat", "lsof"):
            found |= {f"port {number}": "is listened on" for number in _SOCKET.findall(text)[:10]}
    found |= {f"port {number}": "is listened on" for number in (_listened(text) if meant.parts else ())}
    return {key: value[:LONGEST] for key, value in found.items()}


def _listened(text: str) -> list[str]:
    """The ports of which the text says, on the same line, that something listens there."""
    low = text.lower()
    found = (port for port in _PORT.finditer(low) if _SERVES.search(low, max(0, port.start() - BEFORE), port.start()))
    return [port[1] for port in islice(found, 5)]


def _locate(operands: tuple[str, ...], name: str, text: str, found: dict[str, str]) -> None:
    paths = _PATH.findall(text)
    if name == "pwd" and paths:
        found["working folder"] = paths[-1]
        return
    for operand, path in zip(operands, paths, strict=False):
        found[f"path of {operand}"] = path


def _asks_version(words: tuple[str, ...]) -> bool:
    return (words[1:2] == ("-v",) and words[0] in ("node", "npm")) or not _ASKS_VERSION.isdisjoint(words[1:2])


def added(known: dict[str, str], found: dict[str, str]) -> int:
    """Put what is new into `known`; gives how many facts were new. Beyond 100 the older ones stay."""
    new = 0
    for key, value in found.items():
        if key not in known and len(known) < MOST:
            new += 1
        if key in known or len(known) < MOST:
            known[key] = value
    return new
