"""Contents by their SHA-256: each kept once, 0600, whole or not at all."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FICLONE = 0x40049409  # ioctl_ficlone(2): share the blocks of a file; btrfs, xfs and some others have it
CLONED = 64 * 1024  # bytes from which sharing blocks is worth a call
PIECE = 2**20
NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
UNCLONABLE = frozenset({errno.EOPNOTSUPP, errno.EXDEV, errno.ENOTTY, errno.ENOSYS})
_LIBC = ctypes.CDLL(None, use_errno=True)


class Refused(OSError):
    """Our own disk did not take it, as opposed to a source that can't be read."""


@contextmanager
def ours() -> Iterator[None]:
    """Turn an OSError inside into Refused."""
    try:
        yield
    except OSError as error:
        raise Refused(error.errno, error.strerror) from error


class Blobs:
    """The contents in one folder. Used by several threads; nothing is removed while one of them writes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._shelves: set[Path] = set()
        self._uncloned: set[int] = set()  # devices that can't share blocks with us

    def put(self, source: int, size: int, *, sync: bool) -> str:
        """Keep what the open file holds; returns its hash. `sync`: it survives a power cut. Raises Refused, and OSError
        for a source that can't be read."""
        cloned = self._clone(source) if size >= CLONED else None
        if cloned is not None:
            with ours():
                return self._cloned(cloned, sync)
        with os.fdopen(os.dup(source), "rb") as file:
            data = file.read(size + 1)  # a file that grows meanwhile shall not fill our memory
        digest = hashlib.sha256(data).hexdigest()
        with ours():
            if not self.has(digest):
                self._write(data, digest, sync)
        return digest

    def has(self, digest: str) -> bool:
        return self._path(digest).is_file()

    def open(self, digest: str) -> int:
        """A descriptor for reading. Raises OSError."""
        return os.open(self._path(digest), _READ)

    def sync(self) -> None:
        """Let everything that was put without `sync` survive a power cut, in one go. Raises OSError."""
        at = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            if _LIBC.syncfs(at):
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        finally:
            os.close(at)

    def free(self) -> int:
        """Bytes that are free on our disk. Raises OSError."""
        found = os.statvfs(self._folder)
        return found.f_bavail * found.f_frsize

    def sweep(self, wanted: set[str]) -> int:
        """Remove every content that isn't `wanted`, and litter of a crash; returns how many files."""
        gone = 0
        for path in self._all():
            if path.name not in wanted:
                path.unlink(missing_ok=True)
                gone += 1
        return gone

    def _all(self) -> Iterator[Path]:
        yield from list(self._folder.glob("*.tmp"))
        for shelf in list(self._folder.iterdir()):
            if shelf.is_dir():
                yield from list(shelf.iterdir())

    def _write(self, data: bytes, digest: str, sync: bool) -> None:
        temporary = self._temporary()
        try:
            with os.fdopen(os.open(temporary, NEW, 0o600), "wb") as out:
                out.write(data)
                out.flush()
                if sync:
                    os.fsync(out.fileno())
            self._settle(temporary, digest, sync)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    def _clone(self, source: int) -> Path | None:
        device = os.fstat(source).st_dev
        if device in self._uncloned:
            return None
        temporary = self._temporary()
        with ours():
            out = os.open(temporary, NEW, 0o600)
        try:
            fcntl.ioctl(out, FICLONE, source)
        except OSError as error:  # whatever the reason, copying tells more
            temporary.unlink()
            if error.errno in UNCLONABLE:
                self._uncloned.add(device)
            return None
        finally:
            os.close(out)
        return temporary

    def _cloned(self, temporary: Path, sync: bool) -> str:
        try:
            with open(temporary, "rb") as file:
                digest = hashed(file.fileno())
                if sync:
                    os.fsync(file.fileno())
            if self.has(digest):
                temporary.unlink()
            else:
                self._settle(temporary, digest, sync)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        return digest

    def _settle(self, temporary: Path, digest: str, sync: bool) -> None:
        shelf = self._folder / digest[:2]
        if shelf not in self._shelves:
            shelf.mkdir(mode=0o700, exist_ok=True)
            self._shelves.add(shelf)
            if sync:
                sync_folder(self._folder)
        temporary.rename(shelf / digest)
        if sync:
            sync_folder(shelf)

    def _temporary(self) -> Path:
        return self._folder / f"{secrets.token_hex(8)}.tmp"

    def _path(self, digest: str) -> Path:
        return Path(f"{self._folder}/{digest[:2]}/{digest}")


def hashed(fd: int) -> str:
    """SHA-256 of an open file from its beginning. Raises OSError."""
    total, place = hashlib.sha256(), 0
    while piece := os.pread(fd, PIECE, place):
        total.update(piece)
        place += len(piece)
    return total.hexdigest()


def sync_folder(path: Path) -> None:
    """Raises OSError."""
    at = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(at)
    finally:
        os.close(at)
