"""All words of Jarvis's own that a user reads, in the language of whoever is spoken to.

`words.NAME` is looked up when it is used, in the catalogue of the language that `speaking` has set; what a language
lacks is said in English. So no module keeps words of its own in a constant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.words.language import DEFAULT, SHOWN, known, speaking, spoken

if TYPE_CHECKING:
    from bot.words.en import *  # noqa: F403

__all__ = ["DEFAULT", "SHOWN", "known", "speaking", "spoken"]


def __getattr__(name: str) -> object:
    return spoken(name)
