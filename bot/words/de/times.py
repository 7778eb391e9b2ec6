"""Lengths of time, in German."""

from __future__ import annotations


def seconds(figure: float) -> str:
    """Seconds to a tenth."""
    return f"{figure:.1f} s".replace(".", ",")


def span(seconds: float) -> str:
    seconds = max(0, round(seconds))
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s" if seconds % 60 else f"{seconds // 60} min"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"


def written(figure: str) -> str:
    swapped = figure.translate(str.maketrans(",.", ".,"))
    return f"{swapped.replace('$', '')} $" if "$" in figure else swapped


def number(figure: float) -> str:
    """1.234.567, as it is written in German."""
    return f"{figure:,.0f}".replace(",", ".")


def figure(value: float) -> str:
    """1,5 or 1.234, as it is written in German: four digits that count."""
    return f"{value:,.4g}".translate(str.maketrans(",.", ".,")) if abs(value) < 10_000 else number(value)
