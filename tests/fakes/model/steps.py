"""What a scripted model does at one point of a conversation: a closed union, from a plain sentence to raw bytes.

["hello"]                                   says hello
[sh("ls"), "done"]                          one call, then a sentence
[Say("look:", (sh("a"), sh("b"))), "done"]  text and two calls in one reply
[[Http(500), Sse((chunk({"content": "x"}), End.CUT)), "fine"]]   a list inside: attempts at the same point
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Union

from tests.fakes.model.turn import Turn

DONE = b"data: [DONE]\n\n"


class End(Enum):
    """How a raw stream ends, or instead of any answer: RESET and HANG only."""

    CLOSE = "the response ends properly, where it is"
    CUT = "the connection is closed without the last chunk"
    RESET = "a TCP reset"
    HANG = "the socket stays open and silent"


@dataclass(frozen=True, slots=True)
class Use:
    """A tool call; `arguments` is the raw text, so it may be broken JSON. `id` "" = a fresh one."""

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Say:
    """A well-formed reply, `delay` seconds late, in `pieces` deltas of text `pause` seconds apart."""

    text: str = ""
    calls: tuple[Use, ...] = ()
    finish: str = ""  # by default tool_calls or stop
    delay: float = 0.0
    pieces: int = 8
    pause: float = 0.0
    usage: bool = True


@dataclass(frozen=True, slots=True)
class Http:
    """Any answer with this status; `body` bytes go out as they are, anything else as JSON, None as an error object."""

    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sse:
    """A raw stream: dicts become events, bytes go out as they are, numbers are seconds to wait."""

    items: tuple[dict[str, Any] | bytes | float | End, ...]


Step = Union[str, Use, Say, Http, Sse, End]
Script = Union[Sequence[Union[Step, list[Step]]], Callable[[Turn], Step]]  # the last step of a sequence repeats


def sh(command: str) -> Use:
    return use("shell", {"command": command})


def write_file(path: str, content: str) -> Use:
    return use("write_file", {"path": path, "content": content})


def use(name: str, arguments: dict[str, Any]) -> Use:
    return Use(name, json.dumps(arguments, ensure_ascii=False))


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    """One event of a stream."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def call_chunk(index: int, call: Use) -> dict[str, Any]:
    """A whole call in one event."""
    function = {"name": call.name, "arguments": call.arguments}
    return chunk({"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": function}]})
