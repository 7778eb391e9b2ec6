"""The custom tools of this installation: `agent.registry.Workshop` on three files in the home.

`tools.json` is the user's and ours; it is read again whenever it changed. `tools.good.json` is the last content that
could be read, which stands in for it should it be damaged. `tools.quarantine.json` holds what is no tool.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from agent.errors import ToolError
from agent.ports import Tool
from agent.recipe import Recipe, judged
from agent.registry import News, SetAside
from agent.toolschema import Unfit
from agent.workshop.files import LARGEST, Unreadable, content, mark, replace
from agent.workshop.quarantine import Quarantine
from agent.workshop.shelf import MOST, Bad, Shelf, entries_of, file_of, shelved

logger = logging.getLogger(__name__)

TOOLS, GOOD, QUARANTINE, DAMAGED = "tools.json", "tools.good.json", "tools.quarantine.json", "tools.damaged.json"
SHOWN = 6  # entries in one notice


class ToolWorkshop:
    """One a process. `make` turns a recipe into a tool; `taken` are the names of built-in tools."""

    title = "Custom"

    def __init__(self, home: Path, make: Callable[[Recipe], Tool], taken: Iterable[str] = ()) -> None:
        self._file, self._good, self._damaged = home / TOOLS, home / GOOD, home / DAMAGED
        self._make, self._taken = make, frozenset(taken)
        self._quarantine_file = home / QUARANTINE
        self._quarantine: Quarantine | None = None
        self._lock = asyncio.Lock()
        self._mark: object = ()  # no file has this one
        self._shelf = Shelf()
        self._tools: tuple[Tool, ...] = ()
        self._claimed: set[str] = set()  # news on their way into a journal

    # -- a registry -------------------------------------------------------------------------------------------------
    async def refresh(self) -> None:
        async with self._lock:
            try:
                await asyncio.to_thread(self._look)
            except Exception:  # the tools file must never cost a chat its answer
                logger.exception("the tools file could not be read again; the tools stay as they were")

    def tools(self) -> Sequence[Tool]:
        return self._tools

    def news(self) -> Sequence[News]:
        fresh = [bad for bad in self._aside().untold() if bad.digest not in self._claimed] if self._quarantine else []
        self._claimed |= {bad.digest for bad in fresh}
        if not fresh:
            return []
        return [News(" ".join(bad.digest for bad in fresh), _notice(fresh))]

    async def told(self, news: Sequence[News]) -> None:
        async with self._lock:
            self._aside().told(digest for each in news for digest in each.key.split())
            await asyncio.to_thread(self._store_quarantine)

    def troubles(self) -> Sequence[tuple[str, str]]:
        return [(aside.name, aside.reason) for aside in self.set_aside()]

    # -- the workshop -----------------------------------------------------------------------------------------------
    async def save(self, entry: dict[str, Any]) -> Sequence[str]:
        async with self._lock:
            return await asyncio.to_thread(self._save, entry)

    async def delete(self, name: str) -> None:
        async with self._lock:
            await asyncio.to_thread(self._delete, name)

    def entries(self) -> Sequence[dict[str, Any]]:
        return [recipe.entry() for recipe in self._shelf.recipes]

    def set_aside(self) -> Sequence[SetAside]:
        held = self._aside().all() if self._quarantine else []
        return [SetAside(bad.name, bad.reason, bad.entry) for bad in held]

    # -- in a thread, under the lock --------------------------------------------------------------------------------
    def _look(self) -> None:
        found = mark(self._file)
        if found == self._mark:
            return
        shelf = self._read()
        quarantine = self._aside()
        quarantine.release([recipe.name for recipe in shelf.recipes], but={bad.digest for bad in shelf.bad})
        quarantine.take(shelf.bad)
        self._store_quarantine()
        self._show(shelf)
        self._mark = found

    def _read(self) -> Shelf:
        """The tools of the file, or of the last good copy where the file is damaged."""
        try:
            data = content(self._file)
            shelf = shelved(entries_of(data), self._taken) if data is not None else Shelf()
        except Unreadable as error:
            return self._fallen_back(str(error))
        self._aside().release([TOOLS])
        if data is not None:
            self._keep(data)
        return shelf

    def _keep(self, data: bytes) -> None:
        try:
            if _differs(self._good, data):
                replace(self._good, data)
        except OSError as error:
            logger.warning("no copy of the tools file could be kept: %s", error)

    def _fallen_back(self, why: str) -> Shelf:
        good = self._entries_of_copy()
        shelf = shelved(good or [], self._taken)
        instead = f"the last good copy, {GOOD}, is used" if good is not None else "there is no good copy of it"
        digest = hashlib.sha256(f"{why} {mark(self._file)}".encode()).hexdigest()[:24]
        whole = Bad(digest, TOOLS, f"it can't be read ({why}); {instead} until it is mended.", "null")
        return Shelf(shelf.recipes, (*shelf.bad, whole))

    def _entries_of_copy(self) -> list[Any] | None:
        try:
            data = content(self._good)
            return None if data is None else entries_of(data)
        except Unreadable:
            return None

    def _save(self, entry: dict[str, Any]) -> Sequence[str]:
        try:
            checked = judged(entry, self._taken)
        except Unfit as error:
            raise ToolError(f"Not saved, nothing was changed: {error}") from None
        self._look()
        recipes = {recipe.name: recipe for recipe in self._shelf.recipes}
        if checked.recipe.name not in recipes and len(recipes) >= MOST:
            raise ToolError(f"Not saved: there are {MOST} custom tools already. Delete one with delete_tool.")
        recipes[checked.recipe.name] = checked.recipe
        self._write(list(recipes.values()))
        return checked.remarks

    def _delete(self, name: str) -> None:
        self._look()
        left = [recipe for recipe in self._shelf.recipes if recipe.name != name]
        aside = any(bad.name == name for bad in self._aside().all())
        if len(left) == len(self._shelf.recipes) and not aside:
            why = "it is built in" if name in self._taken else "there is no custom tool of that name"
            raise ToolError(f"Not deleted: {name[:64]!r}: {why}. list_tools shows them.")
        self._aside().release([name])
        self._write(left)

    def _write(self, recipes: list[Recipe]) -> None:
        """Replace the file; what could not be read of the old one is kept beside it. Raises ToolError."""
        data = file_of(recipes)
        if len(data) > LARGEST:
            raise ToolError(f"Not saved: the tools file would be larger than {LARGEST:,} bytes. Delete other tools.")
        try:
            self._rescue()
            replace(self._file, data)
        except OSError as error:
            raise ToolError(f"The tools file could not be written ({error.strerror}). Nothing was changed.") from error
        self._keep(data)
        quarantine = self._aside()
        quarantine.release([TOOLS, *(recipe.name for recipe in recipes)])
        self._store_quarantine()
        self._show(Shelf(tuple(recipes)))
        self._mark = mark(self._file)

    def _rescue(self) -> None:
        """Before the file is replaced: what in it is no tool stays somewhere, however much it is. Raises OSError."""
        try:
            old = content(self._file)
        except Unreadable:
            self._file.replace(self._damaged)
            return
        try:
            fine = old is None or not shelved(entries_of(old), self._taken).bad
        except Unreadable:
            fine = False
        if not fine:
            replace(self._damaged, old or b"")

    def _show(self, shelf: Shelf) -> None:
        """Tools that are as they were stay the same objects, so that nothing is built anew at each look."""
        old = dict(zip(self._shelf.recipes, self._tools, strict=True))
        self._tools = tuple(old.get(recipe) or self._make(recipe) for recipe in shelf.recipes)
        self._shelf = shelf

    def _aside(self) -> Quarantine:
        if self._quarantine is None:
            self._quarantine = Quarantine(self._quarantine_file)
        return self._quarantine

    def _store_quarantine(self) -> None:
        try:
            self._aside().store()
        except OSError as error:
            logger.warning("the quarantine of tools could not be written: %s", error)


def _differs(path: Path, data: bytes) -> bool:
    try:
        return content(path) != data
    except Unreadable:
        return True


def _notice(bad: Sequence[Bad]) -> str:
    """One line an entry: which tool, and why."""
    lines = [f"{each.name}: {each.reason}" for each in bad[:SHOWN]]
    more = f"\nand {len(bad) - SHOWN} more; /tools shows them" if len(bad) > SHOWN else ""
    return f"Set aside from {TOOLS}, not offered:\n" + "\n".join(lines) + more
