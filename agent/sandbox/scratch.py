"""Retention of the boxes' private /tmp and /dev/shm: what nothing has touched for long goes."""

from __future__ import annotations

import os
import stat
import time
from contextlib import suppress
from pathlib import Path


def emptied(home: str, older_than_s: float) -> int:
    """Delete what no one has read, written or changed for `older_than_s` seconds; returns how many files went.

    Commands may run in the boxes meanwhile and move folders about: every step is relative to a folder that is held
    open and follows no link (openat(2)), so that nothing outside is ever deleted.
    """
    before = time.time() - older_than_s
    gone = 0
    for box in folders(Path(home, "box")):
        for place in folders(box):
            gone += _emptied(place, before)
    return gone


def folders(path: Path) -> list[Path]:
    try:
        return [Path(entry.path) for entry in os.scandir(path) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _emptied(place: Path, before: float) -> int:
    gone = 0
    for _, below, files, fd in os.fwalk(place, topdown=False, follow_symlinks=False):
        for name in (*files, *below):
            if _untouched(name, fd, before):
                gone += _deleted(name, fd)
    return gone


def _deleted(name: str, fd: int) -> bool:
    """Whether a file or a link went. A folder goes, too, if nothing in it is in use."""
    with suppress(OSError):
        if stat.S_ISDIR(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode):
            os.rmdir(name, dir_fd=fd)
            return False
        os.unlink(name, dir_fd=fd)
        return True
    return False


def _untouched(name: str, fd: int, before: float) -> bool:
    try:
        status = os.stat(name, dir_fd=fd, follow_symlinks=False)
    except OSError:
        return False
    # Reading a folder, as we do, is no use of it.
    used = (status.st_mtime, status.st_ctime) if stat.S_ISDIR(status.st_mode) else status[7:10]
    return max(used) < before
