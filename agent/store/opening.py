"""Opening a database file: make it, or look at it without touching it, refuse it in words, and bring it up to date."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from agent.errors import StoreError
from agent.store.files import beside, create_private, family, make_private, publish
from agent.store.migrate import Migration, refuse_newer, upgrade, version_of
from agent.store.trouble import broken, unreachable, verdict

CHECKED = 16_000_000  # bytes up to which the whole structure is checked at open; SQLite checks the rest as it reads
# Pages after which the log is written back and begun again. Small, for a commit into a log that has reached its size
# takes half the time of one that makes the file grow (0.26 against 0.53 ms), and every append waits for its commit.
LOG_PAGES = 256
_HEADER = 100  # bytes
_MAGIC = b"SQLite format 3\0"  # https://sqlite.org/fileformat2.html#magic_header_string


def open_database(path: Path, migrations: tuple[Migration, ...], busy_s: float) -> sqlite3.Connection:
    """The connection to a sound database of the newest schema, private to its owner.

    The caller makes sure that no other process opens it meanwhile. Raises StoreBroken for what isn't a database of
    ours (and leaves it as it is), StoreBusy if it stayed locked for `busy_s` seconds, StoreError for anything else.
    """
    try:
        if not path.exists():
            _create(path, migrations)
        _look(path)
        make_private(path)
        version = _inspect(path, busy_s)
        refuse_newer(path, version, migrations[-1].version)
        db = _connect(path, busy_s)
        try:
            upgrade(db, path, version, migrations)
        except BaseException:
            db.close()
            raise
        return db
    except sqlite3.Error as error:
        raise verdict(path, error) from error
    except OSError as error:
        raise unreachable(path, error) from error


def _create(path: Path, migrations: tuple[Migration, ...]) -> None:
    """Build it beside its place, so that a file of that name is a whole database from its first moment on."""
    if beside(path, "-wal").exists():
        raise broken(path, f"it is gone, but its {path.name}-wal, which holds the newest steps, is still there")
    part = beside(path, ".new")
    for leftover in family(part):
        leftover.unlink(missing_ok=True)
    create_private(part)
    db = _connect(part, 0.0)
    try:
        upgrade(db, part, 0, migrations)
    finally:
        db.close()
    publish(part, path)


def _look(path: Path) -> None:
    with path.open("rb") as file:
        header = file.read(_HEADER)
    if not header:
        raise broken(path, "it is empty")
    if not header.startswith(_MAGIC):
        raise broken(path, "it doesn't begin as an SQLite file does")
    log = beside(path, "-wal")
    if not log.exists() and path.stat().st_size < _size_by(header):  # else the log may hold what is missing
        raise broken(path, "its end is missing")


def _size_by(header: bytes) -> int:
    """The size in bytes that the header tells: page size at 16 (1 means 65,536), number of pages at 28.

    Source: https://sqlite.org/fileformat2.html#the_database_header
    """
    page = int.from_bytes(header[16:18], "big")
    return (65_536 if page == 1 else page) * int.from_bytes(header[28:32], "big")


def _inspect(path: Path, busy_s: float) -> int:
    """The schema version, by a connection that can't change anything, not even by a checkpoint when it closes."""
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=busy_s)
    try:
        version = version_of(db, path)
        if path.stat().st_size <= CHECKED:
            found = db.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found != "ok":
                raise broken(path, str(found).replace("\n", " "))
        return version
    finally:
        db.close()


def _connect(path: Path, busy_s: float) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=busy_s, isolation_level=None)
    try:
        mode = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise StoreError(f"The disk of the store {path} can't do write-ahead logging; put it on a local disk.")
        db.execute("PRAGMA synchronous = FULL")
        db.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
        db.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        db.close()
        raise
    return db
