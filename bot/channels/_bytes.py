"""The bytes of a letter's file at the moment at which it goes out: regular, not too many, and those that were meant."""

from __future__ import annotations

import hashlib
import os
import stat

from bot.channel import File, Lost, Refused
from bot.clean import clean

# A pipe that stands there now would block for ever, a link lead elsewhere.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def bytes_of(file: File, limit: int) -> bytes:
    """All of it, at most `limit` bytes. Blocking. Raises Lost for a file that is gone or another one than was meant,
    Refused for one that is empty or too large."""
    data = _read(file, limit) if file.path else clean(file.text).encode()
    if file.sha256 and hashlib.sha256(data).hexdigest() != file.sha256:
        raise Lost(f"the file {file.name} has changed")
    if not data or len(data) > limit:
        raise Refused(f"the file {file.name} has {len(data)} bytes")
    return data


def _read(file: File, limit: int) -> bytes:
    try:
        descriptor = os.open(file.path, _READ)
        with os.fdopen(descriptor, "rb") as opened:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Lost(f"the file {file.name} is no file any more")
            return opened.read(limit + 1)
    except (OSError, ValueError) as error:
        raise Lost(f"the file {file.name} can't be read ({error})") from None
