"""Carrying an undo out: one entry at a time, whole or not at all, no link followed, whatever stands there meanwhile."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from agent.undo.blobs import NEW, PIECE, Blobs
from agent.undo.history import History
from agent.undo.planning import look_safely, whole
from agent.undo.states import ABSENT, File, Folder, Link, is_folder
from agent.undo.walk import folder, look

MADE = 0o755  # of a missing folder that nothing is known of
_ITSELF = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


class Torn(OSError):
    """A kept content isn't what its name says."""


@dataclass(slots=True)
class Restoring:
    """The way back for some paths of a history."""

    history: History
    blobs: Blobs
    done: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)

    def carry_out(self, paths: Iterable[str]) -> None:
        """Removals from the inside out, folders from the outside in, files, and last what folders allow."""
        inward = sorted(paths, key=lambda path: (path.count("/"), path))
        folders = [path for path in inward if isinstance(self.history.was(path), Folder)]
        self._each((path for path in folders if is_folder(look_safely(path))), self._open_up)
        self._each((path for path in reversed(inward) if look_safely(path) is not None), self._clear)
        self._each(folders, self._make)
        self._each([path for path in inward if isinstance(self.history.was(path), File | Link)], self._put)
        self._each(reversed(folders), self._close_down)
        self.done |= {path for path in inward if self.history.was(path) == ABSENT and look_safely(path) is None}
        self.done -= self.failed.keys()

    def _each(self, paths: Iterable[str], act: Callable[[int, str, str], None]) -> None:
        for path in paths:
            if path in self.failed:
                continue
            parent, name = os.path.split(path)
            try:
                self._make_way(parent)
                with folder(parent) as at:
                    act(at, name, path)
            except OSError as error:
                self.failed[path] = (error.strerror or type(error).__name__).lower()

    def _make_way(self, parent: str) -> None:
        """Make what is missing on the way to a path; those that the plan knows of get their mode at the end."""
        if look(parent) is not None:
            return
        for above in reversed([Path(parent), *Path(parent).parents]):
            if look(str(above)) is None:
                with folder(str(above.parent)) as at, suppress(FileExistsError):
                    os.mkdir(above.name, MADE, dir_fd=at)

    def _open_up(self, at: int, name: str, path: str) -> None:
        """A folder that the run had closed must be open for what was in it."""
        was = self.history.was(path)
        change_mode(at, name, (was.mode if isinstance(was, Folder) else 0) | 0o700)

    def _clear(self, at: int, name: str, path: str) -> None:
        """Remove what must not stand in the way: a rename replaces files and links, but no folders."""
        was, now = self.history.was(path), look(path)
        if now is None or (is_folder(now) and isinstance(was, Folder)):
            return
        if is_folder(now):
            if whole(path):
                shutil.rmtree(name, dir_fd=at)
            else:
                os.rmdir(name, dir_fd=at)
        elif not isinstance(was, File | Link):
            os.unlink(name, dir_fd=at)

    def _make(self, at: int, name: str, path: str) -> None:
        with suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=at)

    def _put(self, at: int, name: str, path: str) -> None:
        match self.history.was(path):
            case File() as was:
                self._put_file(at, name, was)
            case Link(owner, target):
                put_link(at, name, owner, target)
        self.done.add(path)

    def _close_down(self, at: int, name: str, path: str) -> None:
        was = self.history.was(path)
        assert isinstance(was, Folder)
        own(at, name, was.owner)
        change_mode(at, name, was.mode)
        self.done.add(path)

    def _put_file(self, at: int, name: str, was: File) -> None:
        temporary = f".jarvis-{secrets.token_hex(8)}.tmp"
        fd = os.open(temporary, NEW, 0o600, dir_fd=at)
        try:
            with os.fdopen(fd, "wb") as out:
                self._copy(was, out.fileno())
                found = os.fstat(fd)
                if was.owner != (found.st_uid, found.st_gid):
                    with suppress(PermissionError):
                        os.fchown(fd, *was.owner)
                os.fchmod(fd, was.mode)
                os.utime(fd, ns=(was.mtime_ns, was.mtime_ns))
                os.fsync(fd)
            os.rename(temporary, name, src_dir_fd=at, dst_dir_fd=at)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=at)
            raise
        settle(at)

    def _copy(self, was: File, out: int) -> None:
        source, total = self.blobs.open(was.sha256), hashlib.sha256()
        try:
            while piece := os.read(source, PIECE):
                total.update(piece)
                view = memoryview(piece)
                while view:
                    view = view[os.write(out, view) :]
        finally:
            os.close(source)
        if total.hexdigest() != was.sha256:
            raise Torn(5, "the kept copy is damaged")


def put_link(at: int, name: str, owner: tuple[int, int], target: str) -> None:
    """Raises OSError; what stood there then still does."""
    temporary = f".jarvis-{secrets.token_hex(8)}.tmp"
    os.symlink(target, temporary, dir_fd=at)
    try:
        own(at, temporary, owner)
        os.rename(temporary, name, src_dir_fd=at, dst_dir_fd=at)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=at)
        raise


def change_mode(at: int, name: str, mode: int) -> None:
    """Of a folder, and of nothing that a link at its place points to. Raises OSError."""
    fd = os.open(name or ".", _ITSELF, dir_fd=at)
    try:
        found = os.fstat(fd)
        if not stat.S_ISDIR(found.st_mode):
            raise NotADirectoryError(20, "not a directory")
        if stat.S_IMODE(found.st_mode) != mode:
            Path(f"/proc/self/fd/{fd}").chmod(mode)
    finally:
        os.close(fd)


def own(at: int, name: str, owner: tuple[int, int]) -> None:
    """Give it back to whom it belonged, if we may. Raises OSError."""
    found = os.stat(name or ".", dir_fd=at, follow_symlinks=False)
    if owner != (found.st_uid, found.st_gid):
        with suppress(PermissionError):
            os.chown(name or ".", *owner, dir_fd=at, follow_symlinks=False)


def settle(at: int) -> None:
    """Make the names in a folder survive a power cut, where its file system can."""
    with suppress(OSError):
        fd = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=at)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
