"""Text that a chat service takes as it is: no lone surrogates, control characters shown instead of obeyed."""

from __future__ import annotations

import re

_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef]")


def clean(text: str) -> str:
    """The same text, safe. Line ends become "\\n"; a control character becomes its picture (ESC: ␛), what can't stand
    in a message U+FFFD; overrides of the writing direction, with which text can be made to read as another, go."""
    if not _UNSAFE.search(text):
        return text
    if any("\ud800" <= c <= "\udfff" for c in text):  # halves that belong together are joined, the others replaced
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSAFE.sub(lambda found: _safe(found[0]), text)


def _safe(char: str) -> str:
    if char < " ":
        return chr(0x2400 + ord(char))
    if char == "\x7f":
        return "␡"
    if char in "\u2028\u2029":
        return "\n"
    return "" if "\u202a" <= char <= "\u202e" or "\u2066" <= char <= "\u2069" else "\ufffd"
