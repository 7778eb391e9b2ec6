"""What a phone shows of a chat: bubbles with text, entities and buttons, taken from the Bot API fake; pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

RUNNING = (  # what a clock or the length of a folder's name decides
    (re.compile(r"\b\d+:\d\d\b"), "0:00"),
    (re.compile(r"(?:\bunder )?\b\d+(?:\.\d)? s\b"), "0 s"),
    (re.compile(r"\b\d+(?:\.\d)?k tokens\b"), "0k tokens"),
)


@dataclass(frozen=True, slots=True)
class Mark:
    """An entity; offset and length in UTF-16 units."""

    kind: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Bubble:
    mine: bool
    text: str
    marks: tuple[Mark, ...] = ()
    buttons: tuple[tuple[str, ...], ...] = ()
    file: str = ""


def bubbles(messages: Iterable[dict[str, Any]]) -> list[Bubble]:
    """Bubbles of stored messages, oldest first."""
    return [_bubble(message) for message in messages]


def _bubble(message: dict[str, Any]) -> Bubble:
    marks = message.get("entities") or message.get("caption_entities") or []
    rows = message.get("reply_markup", {}).get("inline_keyboard", [])
    return Bubble(
        mine=not message["from"]["is_bot"],
        text=message.get("text") or message.get("caption") or "",
        marks=tuple(Mark(each["type"], each["offset"], each["length"]) for each in marks),
        buttons=tuple(tuple(button["text"] for button in row) for row in rows),
        file=message.get("document", {}).get("file_name", ""),
    )


def moved(bubble: Bubble, folder: str, to: str) -> Bubble:
    """The bubble as if the workspace were at `to`: a scene's own folder has another name each time."""
    while folder in bubble.text:
        at = len(bubble.text.partition(folder)[0].encode("utf-16-le")) // 2
        more = len(to) - len(folder)
        marks = [_shifted(mark, at, more) for mark in bubble.marks]
        bubble = replace(bubble, text=bubble.text.replace(folder, to, 1), marks=tuple(marks))
    return bubble


def _shifted(mark: Mark, at: int, more: int) -> Mark:
    if mark.offset > at:
        return replace(mark, offset=mark.offset + more)
    return replace(mark, length=mark.length + more) if at < mark.offset + mark.length else mark


def written(shown: Iterable[Bubble]) -> str:
    """The golden text: who, what, what is marked, and the buttons; what a clock decides is zero."""
    return "\n".join(_written(each) for each in shown)


def _written(bubble: Bubble) -> str:
    units = bubble.text.encode("utf-16-le")
    lines = [f"{'you' if bubble.mine else 'bot'}| {line}" for line in bubble.text.split("\n")]
    for mark in bubble.marks:
        part = units[2 * mark.offset : 2 * (mark.offset + mark.length)].decode("utf-16-le")
        lines.append(f"   {mark.kind}: {part!r}")
    lines += [f"   [{'] ['.join(row)}]" for row in bubble.buttons]
    lines += [f"   file: {bubble.file}"] if bubble.file else []
    text = "\n".join(lines) + "\n"
    for pattern, still in RUNNING:
        text = pattern.sub(still, text)
    return text
