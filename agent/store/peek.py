"""A look at a store that somebody else may have open: read-only, no lock, no migration, nothing changed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from agent.store import statements as sql
from agent.store.migrate import version_of
from agent.store.trouble import verdict
from agent.tables import Person, Switch

SINCE = 2  # the schema version that has people and switches


@dataclass(frozen=True, slots=True)
class Peek:
    version: int
    people: tuple[Person, ...] = ()
    switches: tuple[Switch, ...] = ()
    waiting: int = 0  # messages on their way out
    unfinished: int = 0  # runs


def peek(path: Path) -> Peek | None:
    """What stands in the store, None if there is none yet. Raises StoreError."""
    if not path.exists():
        return None
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=2.0)) as db:
            version = version_of(db, path)
            waiting, unfinished = (
                len(db.execute(sql.UNDELIVERED).fetchall()),
                len(db.execute(sql.UNFINISHED).fetchall()),
            )
            if version < SINCE:
                return Peek(version, waiting=waiting, unfinished=unfinished)
            people = tuple(Person(*row) for row in db.execute(sql.PEOPLE))
            switches = tuple(Switch(*row) for row in db.execute(sql.SWITCHES))
            return Peek(version, people, switches, waiting, unfinished)
    except sqlite3.Error as error:
        raise verdict(path, error) from error
