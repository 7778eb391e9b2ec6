"""Small files of ours, replaced whole: read within a bound, written so that a crash leaves the old or the new."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

LARGEST = 1 << 20  # bytes; what is larger is no tools file
Mark = tuple[int, int, int, int]


class Unreadable(Exception):
    """The file is there and can't be used; `str()` says why, in words that fit after "can't be read: "."""


def mark(path: Path) -> Mark | None:
    """What changes with any change of the file; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


def content(path: Path) -> bytes | None:
    """The whole file, None where there is none. Raises Unreadable."""
    try:
        # A pipe in its place must not hold us up.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Unreadable("it is no regular file")
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unreadable(error.strerror or type(error).__name__) from error
    if len(data) > LARGEST:
        raise Unreadable(f"it is larger than {LARGEST:,} bytes")
    return data


def replace(path: Path, data: bytes) -> None:
    """Put `data` there, readable for us alone; a link stays a link. Raises OSError; the old file then stands."""
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    with suppress(OSError):  # some file systems can't sync a folder
        folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
