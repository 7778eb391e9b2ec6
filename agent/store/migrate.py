"""Numbered migrations: each in a transaction of its own, after a copy of the file as it was."""

from __future__ import annotations

import re
import sqlite3
from functools import cache
from pathlib import Path
from typing import NamedTuple

from agent.errors import StoreBroken
from agent.store.files import backup_path, beside, create_private, publish
from agent.store.trouble import broken, ways_out

_NAME = re.compile(r"(\d{3})_([a-z0-9_]+)\.sql")


class Migration(NamedTuple):
    """One change of the schema; `script` is SQL text without BEGIN and COMMIT."""

    version: int
    name: str
    script: str


@cache
def packaged() -> tuple[Migration, ...]:
    """The migrations of this release, 1, 2, 3, ..."""
    found = []
    for file in sorted(Path(__file__).with_name("migrations").iterdir()):
        if match := _NAME.fullmatch(file.name):
            found.append(Migration(int(match[1]), match[2], file.read_text("utf-8")))
    return tuple(found)


def version_of(db: sqlite3.Connection, path: Path) -> int:
    """The schema version of a database. Raises StoreBroken if it has none, so isn't ours."""
    named = db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'").fetchone()
    newest = db.execute("SELECT MAX(version) FROM schema_version").fetchone()[0] if named else None
    if newest is None:
        raise broken(path, "it has no schema version")
    return int(newest)


def refuse_newer(path: Path, version: int, known: int) -> None:
    """Raises StoreBroken if a later release wrote this database."""
    if version > known:
        raise StoreBroken(
            f"The store {path} was written by a newer Jarvis (schema {version}, this one knows up to {known}) and was "
            f"left as it is. Install the newer Jarvis again, or go back: {ways_out(path)}"
        )


def upgrade(db: sqlite3.Connection, path: Path, version: int, migrations: tuple[Migration, ...]) -> None:
    """Apply what is newer than `version` (0: a new, empty database, which needs no copy)."""
    for migration in migrations:
        if migration.version <= version:
            continue
        if version > 0:
            _copy(db, backup_path(path, migration.version - 1))
        _apply(db, migration)


def _apply(db: sqlite3.Connection, migration: Migration) -> None:
    number, name, script = migration
    mark = f"INSERT INTO schema_version (version, name) VALUES ({number:d}, '{name}')"
    try:
        db.executescript(f"BEGIN IMMEDIATE;\n{script}\n;{mark};\nCOMMIT;")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _copy(db: sqlite3.Connection, target: Path) -> None:
    """A whole and private copy under the target's name, or none."""
    part = beside(target, ".part")
    part.unlink(missing_ok=True)
    create_private(part)
    copy = sqlite3.connect(part)
    try:
        db.backup(copy)
    finally:
        copy.close()
    publish(part, target)
