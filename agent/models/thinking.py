"""Takes a model's thinking out of a streamed reply, where it opens the reply in a known tag and is closed.

A tag in the middle of an answer is part of the answer and stays. What is given out is the same for any cutting of the
reply into pieces; blank space before the answer is dropped, so that little is ever held.
"""

from __future__ import annotations

import re

_NAMES = ("think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "seed:think")
FAMILIES: dict[str, str] = {f"<{name}>": f"</{name}>" for name in _NAMES} | {
    "[think]": "[/think]",
    "◁think▷": "◁/think▷",
}
"""Opening tag -> closing tag, in lower case; case doesn't matter in a reply."""

_ORPHAN = re.compile(
    r"</(?:think|thinking|thought|reasoning|seed:think)>[ \t]*(?:\n|\Z)|\[/think\][ \t]*(?:\n|\Z)", re.I
)
_LONGEST = max(map(len, FAMILIES))


class Thinking:
    """A filter over one reply: `feed` the pieces, `close` at the end; both return the text to show."""

    def __init__(self) -> None:
        self._held = ""
        self._closing = ""  # set while inside a thought
        self._answering = False

    def feed(self, piece: str) -> str:
        self._held += piece
        while not self._answering:
            if not (self._skip_thought() if self._closing else self._look_for_opening()):
                return ""
        shown, self._held = self._held, ""
        return shown

    def close(self) -> str:
        """What was still held back. A thought that was never closed is all thought: nothing."""
        shown = "" if self._closing else self._held
        self._held, self._answering = "", True
        return shown

    def _skip_thought(self) -> bool:
        """Whether the thought ended in what is held."""
        at = _lower(self._held).find(self._closing)
        if at < 0:
            self._held = self._held[-len(self._closing) :]
            return False
        self._held = self._held[at + len(self._closing) :]
        self._closing = ""
        return True

    def _look_for_opening(self) -> bool:
        """Whether it is decided what the start is."""
        self._held = self._held.lstrip()
        head = _lower(self._held[:_LONGEST])
        for opening, closing in FAMILIES.items():
            if head.startswith(opening):
                self._held, self._closing = self._held[len(opening) :], closing
                return True
        if any(opening.startswith(head) for opening in FAMILIES):
            return False
        self._answering = True
        return True


def after_thought(text: str) -> str:
    """`text` without the thought before a closing tag that was never opened and stands alone at the end of its line:
    some templates open it in the prompt, so that the model only closes it."""
    found = _ORPHAN.search(text)
    before = _lower(text[: found.start()]) if found else ""
    if found is None or any(opening in before for opening in FAMILIES):
        return text
    return text[found.end() :].lstrip()


def _lower(text: str) -> str:
    # str.lower changes the length of some letters, and positions must hold.
    return "".join(c.lower() if c.isascii() else c for c in text)
