"""Lists of names, written as text."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=512)
def names(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())
