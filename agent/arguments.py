"""A tool call's arguments as text: read into one JSON object, mended where they can mean one thing only. Pure.

What was cut off is never mended, since half a command is another command; nor is anything that needs a guess.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

DEEPEST = 64  # levels of nesting; more is no call that anybody meant, and some servers' parsers give up at it
SHOWN_NAME = 64  # characters; also the longest name that providers take

AS_OBJECT = "an object instead of text"  # how some servers send them
AS_TEXT = "a call written as text"
UNTOLD = ("", AS_OBJECT, AS_TEXT)  # nothing that the model did wrong, or that it could do otherwise
TWICE = "JSON inside a JSON string"
FENCED = "code fences"
COMMAS = "trailing commas"
BREAKS = "raw line breaks in a string"

_FENCE = re.compile(r"```(?:json|JSON)?[ \t]*+\n")
_STRING_OR_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+(?:"|\\?\Z))|,(?=\s*+[}\]])', re.DOTALL)
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|([\[{])|([\]}])', re.DOTALL)


class Unreadable(ValueError):
    """The text is no JSON object; `str()` says why, worded for the model."""


def read(text: str) -> dict[str, Any]:
    """The JSON object in `text`. Raises Unreadable."""
    return _read(text)[0]


def mended(text: str) -> tuple[str, str]:
    """The arguments as text of one JSON object, and what had to be mended; as they are, with "", where nothing had to
    be or nothing can be."""
    if is_object(text):
        return text, ""
    try:
        value, what = _read(text)
        return (json.dumps(value, ensure_ascii=False, allow_nan=False), ", ".join(what)) if what else (text, "")
    except ValueError:  # unreadable, or a number beyond all bounds
        return text, ""


def is_object(text: str) -> bool:
    """Whether any JSON parser takes the text as an object: no NaN, no bare surrogate, nothing nested without end."""
    try:
        if not text.lstrip().startswith("{") or _too_deep(text):
            return False
        value = json.loads(text, parse_constant=_no_constant)
        return isinstance(value, dict) and not has_half(value)
    except (ValueError, RecursionError):
        return False


def has_half(value: Any) -> bool:
    """Whether half of a surrogate pair stands alone in it, which no encoder takes."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def quoted(name: str) -> str:
    """A name of any kind, fit for a sentence."""
    cut = name if len(name) <= SHOWN_NAME else name[:SHOWN_NAME] + "…"
    return json.dumps(cut.encode("utf-8", "replace").decode(), ensure_ascii=False)


def kind(value: Any) -> str:
    """What a JSON value is, in words."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "a list"
        case _:
            return "an object"


def _read(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    if not text.strip():
        return {}, ()  # several servers send this for a call without arguments
    value, what = _decoded(text)
    if isinstance(value, str):
        value, inner = _decoded(value)
        what = (TWICE, *what, *inner)
    if isinstance(value, dict):
        return value, what
    raise Unreadable(f"the arguments must be one JSON object, not {kind(value)}")


def _decoded(text: str) -> tuple[Any, tuple[str, ...]]:
    if _too_deep(text):
        raise Unreadable("the arguments are not usable JSON: nested too deeply")
    first: Exception | None = None
    for candidate, what in _candidates(text):
        try:
            value = json.loads(candidate, strict=False, object_pairs_hook=unique, parse_constant=_no_constant)
            return value, what if _is_strict(candidate) else (*what, BREAKS)
        except Unreadable:
            raise
        except RecursionError:
            raise Unreadable("the arguments are not usable JSON: nested too deeply") from None
        except ValueError as error:  # bad syntax, or an integer of thousands of digits
            first = first or error
    if isinstance(first, json.JSONDecodeError):
        where = f"{first.msg.removesuffix(' at')} at character {first.pos} of {len(text)}"
        raise Unreadable(f"the arguments are not valid JSON ({where}; perhaps cut off)")
    raise Unreadable("the arguments are not valid JSON (a number is too long)")


def _candidates(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield text, ()
    fenced = _unfenced(text)
    inner = text if fenced is None else fenced
    what = () if fenced is None else (FENCED,)
    if fenced is not None:
        yield inner, what
    yield _STRING_OR_COMMA.sub(lambda found: found[1] or "", inner), (*what, COMMAS)


def _unfenced(text: str) -> str | None:
    """What stands within the one fence that is all of the text."""
    text = text.strip()
    opening = _FENCE.match(text)
    fenced = opening and text.endswith("```") and len(text) >= opening.end() + 3
    return text[opening.end() : -3] if opening and fenced else None


def _is_strict(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _too_deep(text: str) -> bool:
    depth = 0
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    for found in _STRING_OR_BRACKET.finditer(text):
        depth += bool(found[1]) - bool(found[2])
        if depth > DEEPEST:
            return True
    return False


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """For `object_pairs_hook`: an object in which no name stands twice. Raises Unreadable."""
    out = dict(pairs)
    if len(out) == len(pairs):
        return out
    seen: set[str] = set()
    twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
    raise Unreadable(f"{quoted(twice)} is given twice in the arguments' JSON")


def _no_constant(name: str) -> Any:
    raise Unreadable(f"the arguments are not valid JSON ({name} is not a JSON number)")
