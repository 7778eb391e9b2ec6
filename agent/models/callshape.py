"""The JSON that means a tool call, in the spellings that models use, and how much of a text it takes up."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agent.arguments import Unreadable, read, unique

_NAMES = ("name", "tool", "tool_name", "function_name", "function")
_ARGUMENTS = ("arguments", "parameters", "args", "tool_input", "input")
_BETWEEN = re.compile(r"[\s,;]*")
_CLOSER = re.compile(r"</[\w:]{1,30}>|<[|｜]/?[^<>|｜\n]{1,40}[|｜]>|\[/\w{1,20}\]|```")
_DECODER = json.JSONDecoder(object_pairs_hook=unique, strict=False)


@dataclass(frozen=True, slots=True)
class Written:
    """One call as text. `fields` are arguments of which each is text of a type that only the tool's schema tells."""

    name: str
    arguments: Mapping[str, Any]
    fields: tuple[tuple[str, str], ...] = ()


def json_at(text: str, at: int) -> tuple[Any, int]:
    """The JSON value that begins at `at`, and where it ends. What mends arguments mends it here too, up to a closing
    tag. None where it can't be read; the end is then that of the text."""
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        closer = _CLOSER.search(text, at)
    if closer is None:
        return None, len(text)
    try:
        return read(text[at : closer.start()]), closer.start()
    except Unreadable:
        return None, closer.end()


def json_in(text: str) -> Iterator[tuple[Any, int]]:
    """Each JSON value with which a text begins, and where it stands; a last None for what follows and is none."""
    at, end = _after(text, 0), len(text.rstrip())
    while at < end:
        start = at
        if text[at] not in "{[":
            yield None, start
            return
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            yield None, start
            return
        yield value, start
        at = _after(text, at)


def calls_in(value: Any, sure: bool = False) -> list[Written]:
    """The calls that a JSON value means; none unless all of it does. `sure`: it is marked as a call, so that a name
    alone is one without arguments."""
    match value:
        case list():
            calls = [call for each in value if isinstance(each, dict) for call in calls_in(each, sure)]
            return calls if len(calls) >= len(value) else []
        case {"tool_calls": list(inner)}:
            return calls_in(inner, sure=True)
        case {"function": dict(inner)}:
            return calls_in(inner, sure)
        case dict():
            call = _call(value, sure)
            return [call] if call else []
    return []


def _call(value: dict[str, Any], sure: bool) -> Written | None:
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    key = next((key for key in _ARGUMENTS if key in value), None)
    if not name or (key is None and not sure):
        return None
    arguments = value[key] if key else {}
    if isinstance(arguments, str):
        try:
            arguments = read(arguments)
        except Unreadable:
            return None
    if arguments is None:
        arguments = {}
    return Written(name, arguments) if isinstance(arguments, dict) else None


def _after(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    return found.end() if found else at
