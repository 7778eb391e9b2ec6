"""A checkpoint as a chat shows it: short lines, and a tap to go on from it at any later time. Pure."""

from __future__ import annotations

import json

from bot import words
from bot.channel import Button, Letter
from bot.oneline import clip

SHOWN = 4  # lines of a part
PARTS = ("done", "remaining", "errors", "failed", "facts")


def letter(session: str, seq: int, checkpoint: str) -> Letter:
    """The message of the checkpoint that stands at `seq`; `checkpoint` is its JSON text."""
    data = json.loads(checkpoint)
    number = data.get("number", 1)
    head = words.checkpoint(number, data.get("turns", 0), data.get("limit", 0))
    if data.get("cause") == "context":
        head = words.shortened(number)
    elif data.get("cause") == "person":
        head = words.CHECKPOINT_NOW
    lines = [head, words.part("goal", clip(str(data.get("goal", "")), 200))]
    for name in PARTS:
        values = [clip(str(value), 90) for value in data.get(name) or ()]
        if values:
            more = words.and_more(len(values) - SHOWN) if len(values) > SHOWN else ""
            lines.append(words.part(name, "; ".join(values[-SHOWN:]) + more))
    buttons = ((Button(words.CONTINUE, f"cont:{seq}:{session}"), Button(words.STOP, f"stop:{session}")),)
    return Letter("\n".join(lines), buttons=buttons, silent=True)
