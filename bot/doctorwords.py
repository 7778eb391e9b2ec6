"""What the doctor says, in the language of whoever asked; on the command line in English."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from bot.words import spoken

if TYPE_CHECKING:
    from bot.words.en.doctor import *  # noqa: F403


def __getattr__(name: str) -> object:
    return spoken(name, "doctor")


def said(key: str, *values: object) -> str:
    """The sentence of this key, its values filled in."""
    return cast(dict[str, str], spoken("SAYS", "doctor"))[key].format(*values)
