"""The files of a store on the disk: their names, private creation, and a name that only finished files get."""

from __future__ import annotations

import os
from pathlib import Path


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def family(path: Path) -> tuple[Path, Path, Path]:
    """The database and the two files that SQLite keeps beside it while it is open or after a crash."""
    return path, beside(path, "-wal"), beside(path, "-shm")


def backup_path(path: Path, version: int) -> Path:
    """Where the copy of schema `version` is kept."""
    return beside(path, f".v{version:03}.backup")


def backups(path: Path) -> list[Path]:
    """The copies that were made before migrations, the oldest schema first."""
    return sorted(path.parent.glob(f"{path.name}.v[0-9][0-9][0-9].backup"))


def create_private(path: Path) -> None:
    """An empty file that only its owner may read, whatever the umask. Raises OSError."""
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        os.fchmod(handle, 0o600)
    finally:
        os.close(handle)


def make_private(path: Path) -> None:
    """SQLite gives -wal and -shm the mode of the database, but only when it makes them. Raises OSError."""
    for file in family(path):
        if file.exists() and file.stat().st_mode & 0o077:
            file.chmod(0o600)


def publish(part: Path, target: Path) -> None:
    """Give a finished file its name, so that a crash leaves the old state or the new one. Raises OSError."""
    _sync(part)
    part.replace(target)
    _sync(target.parent)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
