"""A checkpoint: what a leg leaves behind, from facts and not from the model's memory. Pure.

The next leg starts from `for_model` alone; the chat shows the same things in its own words.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Any

from agent.messages import clip
from agent.room import size_of

GOAL_BYTES = 2000
GOAL_KEPT = 8000  # of the goal in the checkpoint itself
LINE_BYTES = 300
MOST = 20  # lines of a part; the newest are kept


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """`number` counts from 1 within a run; `turns` of `limit` were used in the leg. Each line is one thing."""

    number: int
    goal: str  # in the user's words
    turns: int
    limit: int
    done: tuple[str, ...] = ()
    remaining: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()  # approaches that failed, by what they came to
    facts: tuple[str, ...] = ()  # confirmed once, true from then on
    errors: tuple[str, ...] = ()  # still open
    files: tuple[str, ...] = ()  # changed, with their hashes
    commands: tuple[str, ...] = ()  # the last ones, with exit codes
    talk: tuple[str, ...] = ()  # what was said before, a line each
    said: str = ""  # the model's own last words: garnish
    progress: bool = True  # whether the leg got anywhere
    cause: str = "turns"  # turns | context: why the leg ended

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Checkpoint:
        """Read one of this or an older release: unknown parts are dropped, missing ones are empty."""
        data = json.loads(text)
        known = {field.name for field in fields(cls)}
        values: dict[str, Any] = {"number": 1, "goal": "", "turns": 0, "limit": 0}
        values |= {name: value for name, value in data.items() if name in known}
        parts: Any = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
        return cls(**parts)


PARTS = (
    ("The conversation before, in short", "talk"),
    ("Done", "done"),
    ("Still to do", "remaining"),
    ("Errors still open", "errors"),
    ("Tried and failed, don't repeat", "failed"),
    ("Known facts", "facts"),
    ("Files changed", "files"),
    ("Last commands", "commands"),
)


def for_model(checkpoint: Checkpoint, limit: int, lines: int = MOST) -> str:
    """The first message of the next leg, in at most `limit` bytes, unless its shortest form is longer: at most `lines`
    of each part, and fewer as long as it is too long."""
    text = _with_lines(checkpoint, lines)
    return text if lines <= 1 or size_of(text) <= limit else for_model(checkpoint, limit, lines * 2 // 3)


def _with_lines(checkpoint: Checkpoint, most: int) -> str:
    lines = [
        f"You are going on with a task after checkpoint {checkpoint.number}. The conversation before it is gone; what "
        "counts of it follows. The task, in the user's words:",
        clip(checkpoint.goal, GOAL_BYTES),
    ]
    for title, name in PARTS:
        if values := getattr(checkpoint, name):
            lines += ["", f"{title}:", *[f"- {clip(value, LINE_BYTES)}" for value in values[-most:]]]
    if checkpoint.said:
        lines += ["", "Your own last words on it (unchecked):", clip(checkpoint.said, 600)]
    return "\n".join([*lines, "", "Go on from here. Don't start over, and check what you rely on."])
