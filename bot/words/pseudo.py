"""A language that nobody speaks: English in brackets, so that a string without them is one that stands elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

OPEN, CLOSE = "⟦", "⟧"


def bracketed(thing: Any) -> Any:
    """The same with each of its strings in brackets; what a function returns included."""
    match thing:
        case str():
            return f"{OPEN}{thing}{CLOSE}" if thing.strip() else thing
        case tuple() | list():
            return type(thing)(bracketed(each) for each in thing)
        case dict():
            return {key: bracketed(value) for key, value in thing.items()}
        case _ if callable(thing):
            return _wrapped(thing)
        case _:
            return thing


def _wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def speak(*args: Any, **kwargs: Any) -> Any:
        return bracketed(function(*args, **kwargs))

    return speak
