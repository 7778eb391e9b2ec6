"""Why something happened, in the language of whoever is spoken to. Pure."""

from __future__ import annotations

from typing import Any

from agent import causes
from bot import words


def because(text: str, told: str) -> str:
    """`told` are causes as JSON text, `text` is their English sentence: said as it is where one isn't known here."""
    known = causes.load(told)
    try:
        return " ".join(causes.told(each, words.CAUSES, _said) for each in known) or text
    except (LookupError, ValueError, TypeError):
        return text


def clauses(known: tuple[causes.Cause, ...], text: str = "") -> str:
    """Causes that are parts of a sentence, one after the other; `text` where one isn't known here."""
    try:
        return "; ".join(causes.told(each, words.CAUSES, _said) for each in known) or text
    except (LookupError, ValueError, TypeError):
        return text


def brief(told: str) -> str:
    """The first cause as part of a sentence, without the model's name and without advice; "" if it isn't known here."""
    for first in causes.load(told)[:1]:
        try:
            line = " ".join(causes.told(first, words.CAUSES, _without_model).split())
        except (LookupError, ValueError, TypeError):
            return ""
        return (line[:1].lower() + line[1:]).rstrip(".")
    return ""


def _said(value: Any, kind: str) -> str:
    return words.say(value, kind) if kind and kind != "model" else str(value)


def _without_model(value: Any, kind: str) -> str:
    return "" if kind == "model" else _said(value, kind)
