"""Take our secrets out of the environment once they are read: from what children inherit, and from the block that the
kernel shows as /proc/PID/environ."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from agent.settings.names import secret_variables

ENV_START, ENV_END = 49, 50  # fields 50 and 51 of proc_pid_stat(5), counted from 0


def scrub_environment(secrets: Iterable[str] = ()) -> None:
    """Remove every variable that may carry one of our secrets, and blank its value, and each of `secrets` wherever else
    it stands, in the process's initial environment. The latter on Linux only, and silently elsewhere."""
    values = [os.environb.pop(os.fsencode(name), b"") for name in secret_variables()]
    values += [os.fsencode(secret) for secret in secrets]
    for name, value in list(os.environb.items()):
        if any(v and v in value for v in values):
            del os.environb[name]
    if sys.platform == "linux":
        _blank([v for v in values if v])


def _blank(values: Iterable[bytes]) -> None:
    start, end = _bounds()
    if not 0 < start < end:
        return
    block = ctypes.string_at(start, end - start)
    for value in sorted(set(values), key=len, reverse=True):
        at = block.find(value)
        while at >= 0:
            ctypes.memset(start + at, 0, len(value))
            at = block.find(value, at + len(value))


def _bounds() -> tuple[int, int]:
    """Where the initial environment lies in our memory; (0, 0) where the kernel doesn't say."""
    try:
        stat = Path("/proc/self/stat").read_bytes()
    except OSError:
        return 0, 0
    fields = [b"", b"", *stat.rpartition(b") ")[2].split()]  # the second field may hold blanks and brackets
    return (int(fields[ENV_START]), int(fields[ENV_END])) if len(fields) > ENV_END else (0, 0)
