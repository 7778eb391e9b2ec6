"""Where an output goes that is too long to keep: WORKSPACE/.jarvis/out, bounded, and no symlink followed."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from agent.host.plain import Plain

FOLDER = ".jarvis"
FILE_CAP = 16 * 1024 * 1024  # bytes of one stream
TOTAL_CAP = 1024 * 1024 * 1024  # bytes of all files; the oldest go first
MANY_LINES = "PRIVATE KEY"
LONGEST_SECRET = 12_000  # characters
NUMBERED = 20  # files of one name
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
CUT = b"\n[cut here: only the first 16 MB of an output are kept]\n"


class Chunks(Protocol):
    """Text that comes in pieces, with its secrets masked (agent/redact.py)."""

    def feed(self, text: str) -> str: ...
    def close(self) -> str: ...


class Redacts(Protocol):
    """The door's redactor as far as a command's output needs it."""

    def output(self, text: str) -> str: ...
    def stream(self, shapes: bool = False) -> Chunks: ...
    def holds_secret(self, text: str) -> bool: ...


class Spill:
    """One stream's full text on its way into its file."""

    def __init__(self, workspace: str, name: str, redactor: Redacts) -> None:
        """Make the file. Raises OSError, also where .jarvis or out is not a plain folder."""
        self._workspace = workspace
        self._plain = Plain()
        self._masked = redactor.stream(shapes=True)
        self._written = 0
        self._recent = ""
        with out_folder(workspace) as folder:
            self._fd, self.name = fresh_file(folder, re.sub(r"[^\w.-]", "_", name)[-120:])
        self.path = str(Path(workspace, FOLDER, "out", self.name))
        with suppress(OSError):  # a file system without locks
            fcntl.flock(self._fd, fcntl.LOCK_SH)  # for as long as it is written, retention leaves it alone

    @property
    def full(self) -> bool:
        return self._written >= FILE_CAP

    def feed(self, data: bytes) -> None:
        """Raises OSError when the disk is full."""
        if not self.full:
            text = self._plain.feed(data)
            self._recent = (self._recent + text)[-LONGEST_SECRET:]
            self._write(self._masked.feed(text))

    def settle(self) -> None:
        """Write what is only held back because a secret might go on in the next line, unless one of many lines has
        begun. Raises OSError."""
        if not self.full and MANY_LINES not in self._recent:
            self._write(self._masked.close())

    def _write(self, text: str) -> None:
        data = text.encode(errors="replace")[: FILE_CAP - self._written]
        self._written += os.write(self._fd, data)

    def close(self) -> None:
        try:
            if not self.full:
                self._write(self._masked.feed(self._plain.close()) + self._masked.close())
            if self.full:
                os.write(self._fd, CUT)
            with out_folder(self._workspace) as folder:
                trim(folder)
        finally:
            os.close(self._fd)


@contextmanager
def out_folder(workspace: str) -> Iterator[int]:
    """A descriptor of WORKSPACE/.jarvis/out, made where it is missing. Raises OSError."""
    jarvis = subfolder(os.open(workspace, os.O_DIRECTORY), FOLDER, close=True)
    try:
        with suppress(FileExistsError):
            ignore = os.open(".gitignore", NEW, 0o644, dir_fd=jarvis)
            try:
                os.write(ignore, b"*\n")
            finally:
                os.close(ignore)
        folder = subfolder(jarvis, "out")
    finally:
        os.close(jarvis)
    try:
        yield folder
    finally:
        os.close(folder)


def subfolder(parent: int, name: str, close: bool = False) -> int:
    try:
        with suppress(FileExistsError):
            os.mkdir(name, 0o755, dir_fd=parent)
        return os.open(name, os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    finally:
        if close:
            os.close(parent)


def fresh_file(folder: int, name: str) -> tuple[int, str]:
    """A new file; a name that is taken (call ids are unique in a session only) gets a number before its ending, or
    where many are taken something that nobody else has."""
    stem, _, ending = name.rpartition(".")
    for number in range(1, NUMBERED + 2):
        mark = str(number) if number <= NUMBERED else secrets.token_hex(8)
        candidate = name if number == 1 else f"{stem}-{mark}.{ending}"
        try:
            return os.open(candidate, NEW, 0o600, dir_fd=folder), candidate
        except FileExistsError:
            continue
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name)


def trim(folder: int) -> None:
    """Remove the oldest files until all of them fit."""
    found: list[tuple[int, int, str]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:  # another command made room meanwhile
                continue
            if stat.S_ISREG(status.st_mode):
                found.append((status.st_mtime_ns, status.st_size, entry.name))
    excess = sum(size for _, size, _ in found) - TOTAL_CAP
    for _, size, name in sorted(found):
        if excess <= 0:
            return
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
        excess -= size
