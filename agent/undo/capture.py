"""From what stands at a path to a state that it can be given back from."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from agent.undo.blobs import Blobs, Refused, hashed
from agent.undo.states import ABSENT, File, Folder, Limits, Link, Sig, State, Unkept, Why, sig_of
from agent.undo.walk import CACHES, REBUILT, folder, look, signature

READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
TRIES = 3  # for a file that changes while it is copied


@dataclass(frozen=True, slots=True)
class Capture:
    blobs: Blobs
    limits: Limits

    def one(self, path: str, *, sync: bool) -> tuple[Sig | None, State]:
        """What stands at `path` now, its content kept. Raises Refused; what can't be read is an Unkept."""
        parent, name = os.path.split(path)
        try:
            with folder(parent) as at:
                return self.entry(at, name, sync=sync)
        except (FileNotFoundError, NotADirectoryError):
            return None, ABSENT
        except Refused:
            raise
        except OSError:
            return None, Unkept(0, Why.UNREADABLE)

    def entry(self, at: int, name: str, *, sync: bool) -> tuple[Sig, State]:
        """As `one`, in an open folder. Raises FileNotFoundError, Refused."""
        found = os.stat(name or ".", dir_fd=at, follow_symlinks=False)
        sig, mode, owner = signature(found, name), stat.S_IMODE(found.st_mode), (found.st_uid, found.st_gid)
        match stat.S_IFMT(found.st_mode):
            case stat.S_IFDIR:
                return sig, Unkept(mode, Why.PRUNED) if name in REBUILT or name in CACHES else Folder(mode, owner)
            case stat.S_IFLNK:
                return sig, Link(owner, os.readlink(name, dir_fd=at))
            case stat.S_IFREG if found.st_size > self.limits.file_bytes:
                return sig, Unkept(mode, Why.TOO_LARGE)
            case stat.S_IFREG:
                return self._file(at, name, sync)
        return sig, Unkept(mode, Why.SPECIAL)

    def _file(self, at: int, name: str, sync: bool) -> tuple[Sig, State]:
        try:
            fd = os.open(name, READ, dir_fd=at)
        except OSError as error:
            found = os.stat(name, dir_fd=at, follow_symlinks=False)
            if error.errno == errno.ENOENT:
                raise
            return sig_of(found), Unkept(stat.S_IMODE(found.st_mode), Why.UNREADABLE)
        try:
            return self._content(fd, sync)
        finally:
            os.close(fd)

    def _content(self, fd: int, sync: bool) -> tuple[Sig, State]:
        for _ in range(TRIES):
            before = os.fstat(fd)
            mode = stat.S_IMODE(before.st_mode)
            if not stat.S_ISREG(before.st_mode) or before.st_size > self.limits.file_bytes:
                break
            os.lseek(fd, 0, os.SEEK_SET)
            try:
                digest = self.blobs.put(fd, before.st_size, sync=sync)
            except Refused:
                raise
            except OSError:
                return sig_of(before), Unkept(mode, Why.UNREADABLE)
            if sig_of(os.fstat(fd)) == sig_of(before):
                owner = (before.st_uid, before.st_gid)
                return sig_of(before), File(mode, owner, digest, before.st_size, before.st_mtime_ns)
        return sig_of(before), Unkept(mode, Why.UNREADABLE)


def chain(path: str) -> list[str]:
    """The path, and before it every missing folder on the way to it."""
    out = [path]
    while (parent := str(Path(out[0]).parent)) != out[0] and look(parent) is None:
        out.insert(0, parent)
    return out


def same(path: str, state: State) -> bool:
    """Whether the path holds just that now: content, mode, owner, target. Raises OSError."""
    parent, name = os.path.split(path)
    try:
        with folder(parent) as at:
            return _same(at, name, state)
    except (FileNotFoundError, NotADirectoryError):
        return state == ABSENT


def _same(at: int, name: str, state: State) -> bool:
    found = os.stat(name or ".", dir_fd=at, follow_symlinks=False)
    kind, here = stat.S_IFMT(found.st_mode), (stat.S_IMODE(found.st_mode), (found.st_uid, found.st_gid))
    match state:
        case Folder(mode, owner):
            return kind == stat.S_IFDIR and here == (mode, owner)
        case Link(owner, target):
            return kind == stat.S_IFLNK and here[1] == owner and os.readlink(name, dir_fd=at) == target
        case File(mode, owner, digest, size, _):
            return (kind, here, found.st_size) == (stat.S_IFREG, (mode, owner), size) and _holds(at, name, digest)
    return False


def _holds(at: int, name: str, digest: str) -> bool:
    fd = os.open(name, READ, dir_fd=at)
    try:
        return hashed(fd) == digest
    finally:
        os.close(fd)


def by_folder(paths: Iterable[str]) -> dict[str, list[str]]:
    """Names by the folder they stand in."""
    out: dict[str, list[str]] = {}
    for path in paths:
        parent, name = os.path.split(path)
        out.setdefault(parent, []).append(name)
    return out
