"""Text that can be sent and stored: surrogate halves joined where they make a pair, U+FFFD where one stands alone."""

from __future__ import annotations


def mend(text: str) -> str:
    """`text` as valid Unicode. JSON escapes ("\\ud83d") bring lone surrogates into strings; no encoder takes them."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


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
