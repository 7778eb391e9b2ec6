"""The file of entries that are no tools: each kept whole with its reason, told to a chat once and never again."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from agent.workshop.files import Unreadable, content
from agent.workshop.files import replace as put
from agent.workshop.shelf import Bad

MOST = 100  # the newest are kept


@dataclass(frozen=True, slots=True)
class Held:
    """One entry of the file, and whether a chat was told of it."""

    bad: Bad
    told: bool = False


class Quarantine:
    """What the file says, in memory; `store` writes it back where it changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: dict[str, Held] = {held.bad.digest: held for held in _read(path)}
        self._stored = dict(self._held)

    def take(self, bad: Iterable[Bad]) -> None:
        """Set these aside; those known stay as they are."""
        for each in bad:
            self._held.setdefault(each.digest, Held(each))
        for digest in list(self._held)[:-MOST]:
            del self._held[digest]

    def release(self, names: Iterable[str], but: Container[str] = ()) -> None:
        """There are tools of these names now, or nobody wants them any more; `but` are digests of what stays."""
        gone = set(names)
        self._held = {digest: held for digest, held in self._held.items() if held.bad.name not in gone or digest in but}

    def told(self, digests: Iterable[str]) -> None:
        for digest in digests:
            if digest in self._held:
                self._held[digest] = replace(self._held[digest], told=True)

    def untold(self) -> list[Bad]:
        return [held.bad for held in self._held.values() if not held.told]

    def all(self) -> list[Bad]:
        return [held.bad for held in self._held.values()]

    def store(self) -> None:
        """Blocking, short. Raises OSError."""
        if self._held == self._stored:
            return
        rows = [{**asdict(held.bad), "told": held.told} for held in self._held.values()]
        put(self._path, (json.dumps({"set_aside": rows}, ensure_ascii=False, indent=2) + "\n").encode())
        self._stored = dict(self._held)


def _read(path: Path) -> Sequence[Held]:
    """What can be read of the file: it is a record of ours, and losing it costs one notice more."""
    try:
        rows: Any = json.loads(content(path) or b"{}").get("set_aside", [])
    except (Unreadable, ValueError, AttributeError, RecursionError):
        return []
    return [held for row in rows if (held := _held(row))] if isinstance(rows, list) else []


def _held(row: Any) -> Held | None:
    if not isinstance(row, Mapping):
        return None
    fields = [row.get(name) for name in ("digest", "name", "reason", "entry")]
    if not all(isinstance(field, str) for field in fields):
        return None
    return Held(Bad(*map(str, fields)), bool(row.get("told")))
