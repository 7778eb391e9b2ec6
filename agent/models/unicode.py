"""Text that can be sent and stored: surrogate halves joined where they make a pair, U+FFFD where one stands alone."""

from __future__ import annotations

import unicodedata

_UNSEEN = frozenset("ZC")  # separators and controls, by the first letter of the general category
_HOLLOW = frozenset("{}[]\"'`,:\u115f\u1160\u2800\u3164\uffa0")  # empty JSON, empty quotes; letters without a shape


def mend(text: str) -> str:
    """`text` as valid Unicode. JSON escapes ("\\ud83d") bring lone surrogates into strings; no encoder takes them."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def is_blank(text: str) -> bool:
    """Whether a person would see nothing said: blank space, invisible signs, or JSON with nothing in it."""
    return all(sign in _HOLLOW or unicodedata.category(sign)[0] in _UNSEEN for sign in text)


class Halves:
    """Joins surrogate pairs that a server cut into two pieces of a stream."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, piece: str) -> str:
        piece = self._half + piece
        self._half = ""
        if piece and "\ud800" <= piece[-1] <= "\udbff":
            piece, self._half = piece[:-1], piece[-1]
        return mend(piece)

    def close(self) -> str:
        piece, self._half = self._half, ""
        return mend(piece)
