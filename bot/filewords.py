"""Words about files, voice messages and edits, in the language of whoever is spoken to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.words import spoken

if TYPE_CHECKING:
    from bot.words.en.files import *  # noqa: F403


def __getattr__(name: str) -> object:
    return spoken(name, "files")
