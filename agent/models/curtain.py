"""Holds back the part of a streamed reply that may turn out to be a tool call written as text: nobody reads JSON."""

from __future__ import annotations

import re

_FENCES = ("```json", "```tool", "```\n{", "```\n[")
_TAGS = ("<function", "<invoke", "<|", "[tool_calls]")
_FIRST = ("{", "[{", "<tool", "<｜", *_TAGS, *_FENCES)
_LATER = ("<tool_call", "<｜tool", "functools[", *_TAGS, *_FENCES)
_ANY = re.compile("|".join(map(re.escape, _LATER)), re.IGNORECASE)
_LONGEST = max(map(len, _FIRST + _LATER))


class Curtain:
    """`feed` the pieces and show what comes back; what is held comes with `close`, if it was no call after all."""

    def __init__(self) -> None:
        self._held: list[str] = []
        self._begun = False  # the start is known to be no call
        self._drawn = False  # from here on all is held

    def feed(self, piece: str) -> str:
        """The text that can be shown now."""
        self._held.append(piece)
        if self._drawn or not (self._begun or self._decided()):
            return ""
        text = self.close()
        found = _ANY.search(text)
        if found:
            self._drawn = True
        cut = found.start() if found else len(text) - _begun_at_the_end(text)
        self._held = [text[cut:]]
        return text[:cut]

    def close(self) -> str:
        """All that is held back."""
        text = "".join(self._held)
        self._held = []
        return text

    def _decided(self) -> bool:
        """Whether the start is known, and is none of a call."""
        self._held = ["".join(self._held)]
        head = self._held[0].lstrip()[:_LONGEST].lower()
        self._drawn = head.startswith(_FIRST)
        self._begun = not self._drawn and not any(opening.startswith(head) for opening in _FIRST)
        return self._begun


def _begun_at_the_end(text: str) -> int:
    """How many characters at the end may become an opening with the next piece."""
    tail = text[1 - _LONGEST :].lower()
    return next((len(tail) - at for at in range(len(tail)) if any(each.startswith(tail[at:]) for each in _LATER)), 0)
