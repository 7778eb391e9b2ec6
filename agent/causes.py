"""Why something happened, as facts that can be said in any language: which sentence, and what stands in it. Pure.

The journal keeps causes as JSON text beside the English sentence that is made of them; whoever speaks to a person says
them in that person's language, and falls back on the sentence for causes of another release.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from string import Formatter
from typing import Any

from agent.acts import Act
from agent.why import Sentence, Why

Say = Callable[[Any, str], str]  # a text or number, and the kind of it that stands in the sentence: "model", "s", "n"
DEEPEST = 5  # causes within causes
_json = json.JSONEncoder(ensure_ascii=False).encode  # json.dumps would make an encoder for each text


@dataclass(frozen=True, slots=True)
class Cause:
    """`name` is one of `Why` or `Act`, or one that another release knows. Of its `values` a cause is told within the
    sentence, and several are told one after the other."""

    name: str
    values: tuple[Any, ...] = ()

    def __str__(self) -> str:
        """In English. Raises LookupError for a name that isn't known, or too few values."""
        return told(self, ENGLISH, plainly)


def because(why: Sentence, *values: str | int | float | Cause | tuple[Cause, ...]) -> Cause:
    return Cause(why.value, values)


def english(*causes: Cause) -> str:
    return " ".join(map(str, causes))


def told(cause: Cause, sentences: Mapping[str, str], say: Say) -> str:
    """The sentence of a cause; `say` words a value. A slot such as {0:file|files} names what the number counts.

    Raises LookupError or ValueError for what the sentences lack or doesn't fit into them.
    """
    values = [_inner(value, sentences, say) for value in cause.values]
    out: list[str] = []
    for text, place, kind in _pieces(sentences[cause.name]):
        out.append(text if place is None else _worded(values[place], kind, say))
    return "".join(out)


def dump(*causes: Cause) -> str:
    """As JSON text."""
    return _json(plain(*causes))


def plain(*causes: Cause) -> list[list[Any]]:
    """As what JSON can hold."""
    return [_plain(cause) for cause in causes]


def as_data(*causes: Cause) -> str:
    """As the data of a nudge that has no other."""
    return _json({"causes": plain(*causes)})


def also(causes: str, *more: Cause) -> str:
    """The same JSON text with more causes; "" where there were none, for then the sentence alone is known."""
    return dump(*load(causes), *more) if causes else ""


def within(data: str) -> str:
    """The causes that a guard's data holds, as JSON text; "" if it holds none."""
    try:
        found = json.loads(data).get("causes") if data else None
    except (ValueError, AttributeError, RecursionError):
        return ""
    return _json(found) if isinstance(found, list) else ""


def masked(cause: Cause, mask: Callable[[str], str]) -> Cause:
    """The same with each of its texts masked."""

    def each(value: Any) -> Any:
        match value:
            case Cause():
                return masked(value, mask)
            case tuple():
                return tuple(map(each, value))
            case str():
                return mask(value)
            case _:
                return value

    return Cause(cause.name, tuple(map(each, cause.values)))


def load(text: str) -> tuple[Cause, ...]:
    """What `dump` wrote; nothing of what it can't have written."""
    try:
        found = json.loads(text) if text else []
        return tuple(_cause(each, DEEPEST) for each in found)
    except (ValueError, TypeError, LookupError, RecursionError):
        return ()


def plainly(value: Any, kind: str) -> str:
    """A value as English says it."""
    match kind:
        case "n":
            return f"{value:,.0f}"
        case "s":
            return f"{value:g} s"
        case "$":
            return f"${value:,.4g}"
        case "th":
            return {1: "first", 2: "second", 3: "third"}.get(value, f"{value}th")
        case _:
            return str(value)


@lru_cache(maxsize=1_024)
def _pieces(sentence: str) -> tuple[tuple[str, int | None, str], ...]:
    """A sentence cut at its slots, each the place of a value and its kind. Raises ValueError for a slot without one."""
    out: list[tuple[str, int | None, str]] = []
    for text, place, kind, _ in Formatter().parse(sentence):
        out.append((text, None, ""))
        if place is not None:
            out.append(("", int(place), kind or ""))
    return tuple(out)


def _worded(value: Any, kind: str, say: Say) -> str:
    one, several, many = kind.partition("|")
    return (one if value == 1 else many) if several else say(value, kind)


def _inner(value: Any, sentences: Mapping[str, str], say: Say) -> Any:
    match value:
        case Cause():
            return told(value, sentences, say)
        case tuple():
            return "; ".join(told(each, sentences, say) for each in value)
        case _:
            return value


def _plain(cause: Cause) -> list[Any]:
    """[name, value, ...], where a cause is {"cause": ...} and several are {"causes": ...}."""
    out: list[Any] = [cause.name]
    for value in cause.values:
        match value:
            case Cause():
                out.append({"cause": _plain(value)})
            case tuple():
                out.append({"causes": [_plain(each) for each in value]})
            case _:
                out.append(value)
    return out


def _cause(found: list[Any], deep: int) -> Cause:
    if not deep or not isinstance(found, list):
        raise ValueError("no cause")
    name, *values = found
    return Cause(str(name), tuple(_value(value, deep - 1) for value in values))


def _value(value: Any, deep: int) -> Any:
    match value:
        case {"cause": inner}:
            return _cause(inner, deep)
        case {"causes": [*inner]}:
            return tuple(_cause(each, deep) for each in inner)
        case str() | int() | float():
            return value
        case _:
            raise ValueError("no value of a cause")


ENGLISH: Mapping[str, str] = {each.value: each.english for each in (*Why, *Act)}
