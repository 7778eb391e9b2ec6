"""The sockets in the file system that somebody listens on: through one, a command could have work done outside."""

from __future__ import annotations

import os
import stat
from pathlib import Path

ACCEPTS = 0x10000  # __SO_ACCEPTCON, the flags column of /proc/net/unix (unix(7))


def listening(table: str = "/proc/net/unix") -> list[str]:
    """Real paths, without what isn't there or not a socket. Datagram sockets (a log's) aren't among them."""
    try:
        with open(table, encoding="utf-8", errors="surrogateescape") as file:
            rows = [line.rstrip("\n").split(maxsplit=7) for line in file]
    except OSError:
        return []
    paths = {row[7] for row in rows[1:] if len(row) == 8 and int(row[3], 16) & ACCEPTS}
    return sorted(filter(is_socket, {os.path.realpath(path) for path in paths if path.startswith("/")}))


def is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(Path(path).stat().st_mode)
    except OSError:
        return False
