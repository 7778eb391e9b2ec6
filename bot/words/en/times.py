"""Lengths of time, in English."""

from __future__ import annotations


def seconds(figure: float) -> str:
    """Seconds to a tenth."""
    return f"{figure:.1f} s"


def span(seconds: float) -> str:
    """A length of time as a person says it."""
    seconds = max(0, round(seconds))
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s" if seconds % 60 else f"{seconds // 60} min"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"


def written(figure: str) -> str:
    """A figure such as 1.2k or $1,234, as it is written in this language."""
    return figure


def clock(seconds: float) -> str:
    """0:42, 12:05, 1:02:03."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
