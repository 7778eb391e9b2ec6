"""A look at the tools file from outside of the running bot: nothing is written, nothing set aside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from agent.workshop.files import Unreadable, content
from agent.workshop.shelf import entries_of, shelved
from agent.workshop.workshop import TOOLS


@dataclass(frozen=True, slots=True)
class Seen:
    """`damage` says why the whole file can't be read, or is ""; `bad` are names and reasons of single entries."""

    tools: int = 0
    bad: tuple[tuple[str, str], ...] = ()
    damage: str = ""


def peek(home: Path, taken: Iterable[str]) -> Seen:
    """What the bot would make of the file now. Blocking; raises nothing."""
    try:
        data = content(home / TOOLS)
        shelf = shelved(entries_of(data) if data is not None else [], frozenset(taken))
    except Unreadable as error:
        return Seen(damage=str(error))
    return Seen(len(shelf.recipes), tuple((bad.name, bad.reason) for bad in shelf.bad))
