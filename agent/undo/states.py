"""The words of the undo store: what stood at a path, how a change is noticed, why something can't be given back."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Why(StrEnum):
    """Why a path can't be restored."""

    TOO_LARGE = "too large"
    SPECIAL = "special"  # a device, pipe or socket
    UNREADABLE = "unreadable"
    BUDGET = "over budget"  # of bytes or time for a baseline
    DISK = "no room"  # the store's own disk is full or refuses
    PRUNED = "not kept"  # contents of a folder that can be made anew (node_modules, caches), or another file system
    UNLISTED = "too many files"
    UNKNOWN = "unknown"  # it changed, and nothing says what was there before
    SHARED = "shared"  # another session's command ran in the folder at the same time
    BLIND = "no baseline"  # the store could not write anything down before a command
    DAMAGED = "damaged"  # the store's own file was cut or changed
    NOT_EMPTY = "not empty"  # a folder that the run made and that holds what others made


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of what is kept. Bytes, seconds, counts of files and folders."""

    file_bytes: int = 16 * 2**20
    files: int = 10_000
    tree_bytes: int = 512 * 2**20  # contents of one workspace
    free_bytes: int = 256 * 2**20  # a baseline leaves that much free on the store's disk
    store_s: float = 10.0  # of one baseline; what is left is kept by the next
    depth: int = 100  # of folders


@dataclass(frozen=True, slots=True)
class Absent:
    """Nothing stood there."""


@dataclass(frozen=True, slots=True)
class File:
    mode: int
    owner: tuple[int, int]
    sha256: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Link:
    owner: tuple[int, int]
    target: str


@dataclass(frozen=True, slots=True)
class Folder:
    mode: int
    owner: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Unkept:
    """Something stood there that can't be given back."""

    mode: int
    why: Why


State = Absent | File | Link | Folder | Unkept
ABSENT = Absent()

# Mode, size, mtime and ctime (which no program can set back) in ns, inode, owner. A folder's size and times are 0: they
# change with what is in it.
Sig = tuple[int, int, int, int, int, int, int]


def sig_of(found: os.stat_result) -> Sig:
    mode = found.st_mode
    if stat.S_ISDIR(mode):
        return (mode, 0, 0, 0, found.st_ino, found.st_uid, found.st_gid)
    times = (found.st_mtime_ns, found.st_ctime_ns)
    return (mode, found.st_size, *times, found.st_ino, found.st_uid, found.st_gid)


def is_folder(sig: Sig | None) -> bool:
    return sig is not None and stat.S_ISDIR(sig[0])


def encoded(state: State) -> list[Any]:
    """A state as JSON values; `decoded` is its inverse."""
    match state:
        case Absent():
            return ["absent"]
        case File(mode, owner, sha256, size, mtime_ns):
            return ["file", mode, *owner, sha256, size, mtime_ns]
        case Link(owner, target):
            return ["link", *owner, target]
        case Folder(mode, owner):
            return ["folder", mode, *owner]
        case Unkept(mode, why):
            return ["unkept", mode, why.value]


def decoded(value: list[Any]) -> State:
    """Raises ValueError for what no release has written."""
    match value:
        case ["absent"]:
            return ABSENT
        case ["file", int(mode), int(uid), int(gid), str(sha256), int(size), int(mtime_ns)]:
            return File(mode, (uid, gid), sha256, size, mtime_ns)
        case ["link", int(uid), int(gid), str(target)]:
            return Link((uid, gid), target)
        case ["folder", int(mode), int(uid), int(gid)]:
            return Folder(mode, (uid, gid))
        case ["unkept", int(mode), str(why)]:
            return Unkept(mode, Why(why))
    raise ValueError(f"no state: {value!r:.80}")


def sig_decoded(value: list[int] | None) -> Sig | None:
    if value is None:
        return None
    mode, size, mtime, ctime, inode, uid, gid = value
    return (mode, size, mtime, ctime, inode, uid, gid)
