"""What was said so far, a line each: what a checkpoint keeps of the conversation. Pure."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field

from agent.steps import Asked, Corrected, Handed, Said, Step

LINES = 20
LINE = 300  # characters


@dataclass(slots=True)
class Talk:
    """A fold: the newest lines of the user's and of the model's, without calls and results."""

    _lines: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=LINES))

    def fold(self, seq: int, step: Step) -> None:
        match step:
            case Asked(text=text) | Corrected(text=text):
                self._lines.append((seq, f"User: {_line(text)}"))
            case Said(text=text, calls=()) if text.strip():
                self._lines.append((seq, f"You: {_line(text)}"))
            case Handed(fresh=True):
                kept = json.loads(step.checkpoint).get("talk", ())
                newer = [line for line in self._lines if line[1] not in kept]
                self._lines = deque([*((0, line) for line in kept), *newer], LINES)
            case _:
                pass

    def until(self, seq: int) -> tuple[str, ...]:
        """The lines up to a step."""
        return tuple(line for at, line in self._lines if at <= seq)


def _line(text: str) -> str:
    line = " ".join(text[: 4 * LINE].split())
    return line if len(line) <= LINE else f"{line[: LINE - 1]}…"
