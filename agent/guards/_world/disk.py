"""The answer of the probe disk."""

from __future__ import annotations

import json
from dataclasses import dataclass

from agent.steps import Seen

PROBE = "disk"


@dataclass(frozen=True, slots=True)
class Disk:
    """`newest` are (path, age in seconds) of the files that changed last."""

    files: int = 0
    whole: bool = True
    newest: tuple[tuple[str, int], ...] = ()
    missing: frozenset[str] = frozenset()


def disk_of(seen: Seen) -> Disk | None:
    """None where the probe had no answer."""
    try:
        value = json.loads(seen.value) if seen.status == "ok" else None
        if not isinstance(value, dict):
            return None
        newest = tuple((str(path), int(age)) for path, age in value["newest"])
        return Disk(int(value["files"]), bool(value["whole"]), newest, frozenset(map(str, value["missing"])))
    except (ValueError, KeyError, TypeError):
        return None


def age(seconds: int) -> str:
    """In the largest unit that isn't zero."""
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
