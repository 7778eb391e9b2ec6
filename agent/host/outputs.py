"""Retention of full outputs: in WORKSPACE/.jarvis/out, what is old and no longer written goes."""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterable
from contextlib import suppress

from agent.host.spill import FOLDER

_CLOSED = os.O_DIRECTORY | os.O_NOFOLLOW
_LOOK = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


def forgotten(workspaces: Iterable[str], before: float) -> int:
    """Delete what was last written before this wall time; returns how many files went. No link is followed, nothing is
    made, and a folder that can't be read is passed over. Blocking."""
    gone = 0
    for workspace in workspaces:
        with suppress(OSError):
            gone += _forgotten(workspace, before)
    return gone


def _forgotten(workspace: str, before: float) -> int:
    top = os.open(workspace, os.O_DIRECTORY)
    try:
        jarvis = os.open(FOLDER, _CLOSED, dir_fd=top)
    finally:
        os.close(top)
    try:
        folder = os.open("out", _CLOSED, dir_fd=jarvis)
    finally:
        os.close(jarvis)
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries]
        return sum([_deleted(name, folder, before) for name in names])
    finally:
        os.close(folder)


def _deleted(name: str, folder: int, before: float) -> bool:
    try:
        fd = os.open(name, _LOOK, dir_fd=folder)
    except OSError:
        return False
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_mtime >= before:
            return False
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)  # a quiet job may still write to it (Spill holds it shared)
        os.unlink(name, dir_fd=folder)
        return True
    except OSError:
        return False
    finally:
        os.close(fd)
