"""Finds, in what a command printed, the line that says what went wrong: of a traceback, a compiler, a tool, a shell.

Pure. Only the first and last 8 kB are looked at. Words are those of English, German and French tools.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from agent.errorwords import ERROR, ERROR_START, HARMLESS, HARMLESS_WORDS, TRAILER, TRAILS, WORDS
from agent.phrases import canonical

END = 8_192  # characters looked at from each end
LINE = 500  # characters of a line that are looked at


class Rank(IntEnum):
    """How much a line says about the cause."""

    NONE = 0
    TRAILER = 1  # "make: *** [all] Error 2": something before it says more
    COMPLAINT = 2  # "cannot", "invalid", "unknown" ...
    ERROR = 3  # says error or fatal, is an operating system's phrase, or names a place in a source file
    EXCEPTION = 4  # the last exception line of a traceback


@dataclass(frozen=True, slots=True)
class Complaint:
    """`line` as printed; `more` is the part of it that stands on another line (a panic's message, a symbol's name)."""

    rank: Rank
    line: str = ""
    more: str = ""


NOTHING = Complaint(Rank.NONE)

_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]{0,40}[A-Za-z]|\][^\x07\x1b]{0,200}\x07?)")
_COLOURS = re.compile(r"(?<![\w\])])\[[0-9;]{1,12}m|\[0m")
_PARTS = re.compile(r"[:,()\[\]]")

# Signs of a stack, without which "XError: ..." is one error line among others.
_STACK = ("Traceback (most recent call last)", '  File "', "panicked at", "terminate called", "Stack trace:")
_STACK_BELOW = ("\n    at ", "\nE  ", "\n\tat ", "\n      at ", "\ngoroutine ", "\n\tfrom ")
_EXCEPTION = re.compile(
    r"\A[ |+]{0,12}(?:E {3,12})?"
    r"(?:Exception in thread \"[^\"]{0,80}\" |Caused by: |\[cause\]: |Uncaught |Unhandled exception[.:] )?"
    r"(?P<name>(?:[A-Za-z_][\w$]{0,80}[.:/\\]{1,2}){0,10}[A-Za-z_][\w$]{0,120})"
    r"(?: \[\w{1,60}\])?(?P<end>: |:?$)"
)
_NAMED = ("Error", "Exception", "Interrupt", "Exit", "Failure", "Group", "Timeout", "Fault")


def pick(stdout: str, stderr: str) -> Complaint:
    """The line that says most, of either stream; of two that say as much, stderr's."""
    found = complaint(stderr)
    if found.rank >= Rank.ERROR:
        return found
    other = complaint(stdout)
    return other if other.rank > found.rank else found


@lru_cache(maxsize=256)
def complaint(text: str) -> Complaint:
    """The line that says what went wrong: a traceback's last exception line, else the first of the highest rank."""
    if not text:
        return NOTHING
    text = window(text)
    if _holds(text, _STACK) or ("\n" in text and _holds(text, _STACK_BELOW)):
        found = _exception(text.split("\n"))
        if found.rank:
            return found
    return _line(text)


def window(text: str) -> str:
    """The two ends of a text, without terminal escapes; each state of a progress bar on a line of its own."""
    if len(text) > 2 * END:
        text = f"{text[:END]}\n{text[-END:]}"
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if "[0m" in text:
        text = _COLOURS.sub("", text)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def rank(line: str) -> Rank:
    """How much a line says by itself."""
    low = line[:LINE].strip().strip("│╷╵ ").lower()
    if not low or (_holds(low, HARMLESS_WORDS) and HARMLESS.search(low)):
        return Rank.NONE
    if TRAILER.match(low) or _holds(low, TRAILS):
        return Rank.TRAILER
    if _says_error(low) or _is_phrase(low):
        return Rank.ERROR
    return Rank.COMPLAINT if WORDS.search(f"\n{low}") else Rank.NONE


def _holds(text: str, words: tuple[str, ...]) -> bool:
    for word in words:  # noqa: SIM110 - a generator costs more than what it looks for
        if word in text:
            return True
    return False


def _is_phrase(low: str) -> bool:
    """Whether a part of the line is an operating system's phrase."""
    for part in _PARTS.split(low):  # noqa: SIM110
        if canonical(part):
            return True
    return False


def _says_error(low: str) -> bool:
    if ERROR_START.match(low):
        return True
    for found in ERROR.finditer(low):
        before = low[found.start() - 1 : found.start()]
        part_of_a_name = low[found.start()].isalpha() and (before.isalnum() or (before and before in "_-."))
        if not part_of_a_name or low[found.end() : found.end() + 1] == ":":  # KeyError: is one all the same
            return True
    return False


def _line(text: str) -> Complaint:
    low = "\n" + text.lower()
    if len(low) != len(text) + 1:  # some letters change length in lower case; places must agree
        low = "\n" + "".join(c if len(c.lower()) != 1 else c.lower() for c in text)
    best, at, place = Rank.NONE, 0, 0
    while best < Rank.ERROR and (found := WORDS.search(low, place)):
        hit = found.end() - 1 if low[found.start()] == "\n" else found.start()
        start = low.rfind("\n", 0, hit + 1)
        end = low.find("\n", hit + 1)
        end = len(low) if end < 0 else end
        value = rank(low[start + 1 : end])
        if value > best:
            best, at = value, start
        place = end
    if not best:
        return NOTHING
    if "\n" not in text:
        return Complaint(best, text[:LINE])
    lines = text[at : at + 8 * LINE].split("\n", 12)
    return Complaint(best, lines[0][:LINE], _more(lines))


def _more(lines: list[str]) -> str:
    """What belongs to the error line but stands below it."""
    first = lines[0].rstrip()
    below = [line.strip("│ \t") for line in lines[1:]]
    if first.endswith("cannot find symbol"):
        return next((line for line in below if line.startswith("symbol:")), "")
    if first.lstrip().startswith("● ") or first.endswith(":"):
        return next((line for line in below if line), "")[:LINE]
    if first.startswith("│ Error: "):
        return next((line for line in below if line and not line.startswith("on ") and not line[0].isdigit()), "")[
            :LINE
        ]
    return next((line for line in below[:1] if line.startswith("--> ")), "")


def _exception(lines: list[str]) -> Complaint:
    """The last exception line of a text that holds a stack."""
    inside = False
    at = -1
    for place, line in enumerate(lines):
        body = line.partition("| ")[2] if line.lstrip().startswith("|") else line  # an exception group's members
        if line.endswith("Traceback (most recent call last):") and len(line) < 80:
            inside = True
        elif inside and body and body[0] not in " +":
            inside, at = False, place
        elif ("panicked at" in line or line.startswith(("terminate called", "panic: "))) or _names(line, lines, place):
            at = place
    if at < 0:
        return NOTHING
    return Complaint(Rank.EXCEPTION, lines[at][:LINE], _message(lines, at))


def _names(line: str, lines: list[str], place: int) -> bool:
    if ("Err" not in line and "Exc" not in line and "Int" not in line and "Fail" not in line) or len(line) > 20 * LINE:
        return False
    found = _EXCEPTION.match(line)
    if found is None or not found["name"].endswith(_NAMED) or line.startswith("    raise"):
        return False
    if found["name"] == "Error":  # only with a stack of its own
        return any(below.lstrip().startswith(("at ", "Require stack")) for below in lines[place + 1 : place + 4])
    return found["end"] == ": " or place + 1 == len(lines) or not lines[place + 1].startswith("  ")


def _message(lines: list[str], at: int) -> str:
    """The message of an exception that stands on the next line."""
    line = lines[at].rstrip()
    below = next((text.strip() for text in lines[at + 1 : at + 4] if text.strip()), "")
    if line.startswith("terminate called"):
        return below if below.startswith("what():") else ""
    return below[:LINE] if line.endswith(":") else ""
