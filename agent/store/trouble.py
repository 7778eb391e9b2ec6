"""What SQLite complained about, as our own errors, in words that say what to do next."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from agent.errors import StoreBroken, StoreBusy, StoreError
from agent.store.files import backups

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_LOCKED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


def verdict(path: Path, error: sqlite3.Error) -> StoreError:
    """The primary result code decides (https://sqlite.org/rescode.html); the extended part is its upper bits."""
    code = getattr(error, "sqlite_errorcode", None)
    extended = code or 0
    primary = extended & 0xFF
    if primary in _LOCKED:
        return StoreBusy(f"The store {path} is locked by another program; nothing was written. It is tried again.")
    if primary in _DAMAGED or extended == sqlite3.SQLITE_IOERR_SHORT_READ or "decode to UTF-8" in str(error):
        return broken(path, str(error))
    if primary == sqlite3.SQLITE_FULL:
        return StoreError(f"The disk of the store {path} is full; nothing was written. Make room, then try again.")
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return StoreError(
            f"The store {path} can't be written ({error}). Jarvis needs to own it and to write to its folder."
        )
    return StoreError(f"The store {path} failed ({error}).")


def unreachable(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"The store {path} can't be opened ({error.strerror or error}). "
        "Jarvis needs to own it and to write to its folder."
    )


def broken(path: Path, what: str) -> StoreBroken:
    """A damaged store: left as it is, with the way to repair it."""
    return StoreBroken(
        f"The store {path} is damaged or is no store of Jarvis: {what}. It was left as it is. {ways_out(path)}"
    )


def ways_out(path: Path) -> str:
    """How a person gets to a working store again."""
    aside = f"Stop Jarvis and move {path.name}, {path.name}-wal and {path.name}-shm out of {path.parent}"
    kept = backups(path)
    copy = f"copy the newest backup, {kept[-1]}, to {path}; or " if kept else "copy a backup of yours to its place; or "
    return f"{aside}. Then {copy}try `sqlite3 MOVED .recover | sqlite3 {path}`; or start afresh without it."
