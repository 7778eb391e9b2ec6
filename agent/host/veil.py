"""Hides secrets in our own start-up environment, which any process of our user could read in /proc/self/environ."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from pathlib import Path

ENV_START, ENV_END = 49, 50  # fields of /proc/pid/stat, counted from 0 (proc(5))


def veil(secrets: Iterable[str]) -> int:
    """Overwrite each of `secrets` with asterisks where the kernel shows our environment; returns how often.

    To be called once the settings are read: what was read stays as it is. Does nothing where /proc doesn't tell where.
    """
    stat = Path("/proc/self/stat").read_text()
    fields = ["pid", "name", *stat[stat.rfind(")") + 2 :].split()]
    start, end = int(fields[ENV_START]), int(fields[ENV_END])
    if not 0 < start < end:
        return 0
    hidden = 0
    for secret in filter(None, (secret.encode(errors="surrogateescape") for secret in secrets)):
        place = ctypes.string_at(start, end - start).find(secret)
        while place >= 0:
            ctypes.memset(start + place, ord("*"), len(secret))
            hidden += 1
            place = ctypes.string_at(start, end - start).find(secret)
    return hidden
