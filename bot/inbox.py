"""The workspace's inbox: files that people send, under names that can do no harm. Nothing there is ever replaced.

The agent may have put a symbolic link anywhere in its workspace; none is followed, so that what a stranger's file holds
never lands outside.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import unicodedata
from itertools import count
from pathlib import Path

FOLDER = "inbox"
BYTES = 255  # of a name: NAME_MAX of Linux's file systems
NUMBER = 12  # bytes kept free for " (2)"
SUFFIX = 32  # bytes of a suffix worth keeping
MOST = 10_000  # files of one name

_CLOSED = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def safe_name(name: str, fallback: str = "file") -> str:
    """The last part of a path as a name: no control, format (writing direction) or unassigned characters, no dot or
    dash at its start, at most 243 bytes."""
    base = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    kept = "".join(" " if char.isspace() else char for char in base if not _unsafe(char))
    kept = re.sub(r" +", " ", kept).lstrip(".- ~").rstrip(". ")
    stem, dot, suffix = kept.rpartition(".")
    if not dot or len(suffix.encode()) > SUFFIX or not stem.strip(". "):
        stem, dot, suffix = kept, "", ""
    room = BYTES - NUMBER - len((dot + suffix).encode())
    return (_cut(stem, room).rstrip(". ") or fallback) + dot + suffix


def save(workspace: str, name: str, data: bytes) -> str:
    """Write a file and return its absolute path. The same bytes under the same name are written once. Raises OSError,
    also where the inbox is no folder of its own."""
    root = Path(workspace)
    root.mkdir(parents=True, exist_ok=True)
    top = os.open(root, os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(FileExistsError):
            os.mkdir(FOLDER, 0o700, dir_fd=top)
        inbox = os.open(FOLDER, _CLOSED, dir_fd=top)
    finally:
        os.close(top)
    try:
        return str(root / FOLDER / _written(inbox, safe_name(name), data))
    finally:
        os.close(inbox)


def _written(inbox: int, name: str, data: bytes) -> str:
    """Write beside and link into place, so that nobody ever sees a half of it."""
    partial = f".{secrets.token_hex(8)}.part"
    fd = os.open(partial, _NEW, 0o600, dir_fd=inbox)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
        return _linked(inbox, partial, name, data)
    finally:
        os.unlink(partial, dir_fd=inbox)


def _linked(inbox: int, partial: str, name: str, data: bytes) -> str:
    for number in count(1):
        free = name if number == 1 else numbered(name, number)
        try:
            os.link(partial, free, src_dir_fd=inbox, dst_dir_fd=inbox, follow_symlinks=False)
            return free
        except FileExistsError:
            if _holds(inbox, free, data):
                return free
            if number == MOST:
                raise
    raise AssertionError


def numbered(name: str, number: int) -> str:
    """notes.txt, 2: notes (2).txt."""
    stem, dot, suffix = name.rpartition(".")
    return f"{stem} ({number}).{suffix}" if dot else f"{name} ({number})"


def _holds(inbox: int, name: str, data: bytes) -> bool:
    """Whether that is a plain file of just these bytes."""
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=inbox)
    except OSError:
        return False
    with os.fdopen(fd, "rb") as file:
        return os.fstat(file.fileno()).st_size == len(data) and file.read(len(data) + 1) == data


def _unsafe(char: str) -> bool:
    return (not char.isspace() and unicodedata.category(char)[0] == "C") or char == "\ufffd"


def _cut(text: str, limit: int) -> str:
    return text.encode()[:limit].decode("utf-8", "ignore")
