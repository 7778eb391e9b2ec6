"""Regular files by (open folder, name): read one, replace one whole. All in one thread hop of the caller.

A reader of the file sees the old content or the new one, never a mixture, also over a crash: temporary file in the
same folder, fsync, rename, fsync of the folder.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from collections.abc import Callable
from contextlib import suppress

from agent.errors import ToolError
from agent.tools._paths import missing
from agent.tools._wording import printable

HASHED = 8 * 2**20  # bytes; what is larger counts as unknown, so that a look stays fast

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
}


def look(at: int, name: str, path: str) -> os.stat_result | None:
    """What stands at `name`: a regular file, or None. Raises ToolError for anything else, OSError."""
    try:
        found = os.stat(name or ".", dir_fd=at, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(found.st_mode):
        target = printable(os.readlink(name, dir_fd=at))
        raise ToolError(f"{printable(path)} is a symbolic link to {target}. Name the file itself.")
    _regular(found, path)
    return found


def open_file(at: int, name: str, path: str) -> int:
    """A descriptor for reading a regular file. Looks before it opens, since opening a device can have effects, and
    again after, since it may have been replaced. Raises ToolError, OSError."""
    if look(at, name, path) is None:
        raise missing(path)
    descriptor = os.open(name, _READ, dir_fd=at)
    try:
        _regular(os.fstat(descriptor), path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def read_file(at: int, name: str, path: str, limit: int = HASHED) -> bytes | None:
    """The whole content, or None where it is over `limit` bytes. Raises ToolError, OSError."""
    with os.fdopen(open_file(at, name, path), "rb") as file:
        data = file.read(limit + 1)
    return data if len(data) <= limit else None


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def writable(at: int, name: str, path: str) -> os.stat_result | None:
    """As `look`, for a file that we may change: replacing it would go past its own mode. Raises ToolError, OSError."""
    found = look(at, name, path)
    if found and not os.access(name, os.W_OK, dir_fd=at, effective_ids=True):
        os.close(os.open(name, _WRITE, dir_fd=at))  # only to hear the reason: mode, or a read-only file system
    return found


def replace(
    at: int, name: str, data: bytes, mode: int, old: os.stat_result | None, check: Callable[[], None] = lambda: None
) -> None:
    """Put `data` at `name` as a file of this mode, with the owner of `old` where we may set it. `check` runs last
    before the rename and may raise. On any error the old file stands as it was and nothing else is left."""
    temporary = f".jarvis-{secrets.token_hex(8)}.tmp"
    descriptor = os.open(temporary, _NEW, 0o600, dir_fd=at)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if old and (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
                with suppress(PermissionError):
                    os.fchown(descriptor, old.st_uid, old.st_gid)
            os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        check()
        os.rename(temporary, name, src_dir_fd=at, dst_dir_fd=at)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=at)
        raise
    _settle(at)


def _settle(at: int) -> None:
    # The new file is in place: a file system that can't sync a folder must not turn that into a failure.
    with suppress(OSError):
        descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=at)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _regular(found: os.stat_result, path: str) -> None:
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "no regular file")
        hint = " Use list_dir for it." if kind == "a folder" else " File tools take regular files only."
        raise ToolError(f"{printable(path)} is {kind}.{hint}")
