"""The comparison behind the probe drift, with what is remembered of parsed files."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from agent.drift.find import Offers, mismatches
from agent.drift.resolve import PythonPaths, ScriptPaths
from agent.drift.shape import Mismatch
from agent.drift.tsconfig import Aliases
from agent.probes._affected import affected
from agent.probes._apart import Apart
from agent.probes._scan import scanner
from agent.probes._sources import Parsed, Sources

MOST = 40  # mismatches

_known: dict[str, Parsed] = {}


def compared(
    root: str, forbidden: tuple[str, ...], changed: Iterable[str] | None, aliases: Mapping[str, Any], within_s: float
) -> list[Mismatch]:
    """The mismatches below `root` that have to do with the `changed` files (absolute; None: with any), at most 40.
    Blocking; raises TimeoutError after `within_s`."""
    deadline = time.monotonic() + within_s
    apart = Apart(deadline)
    try:
        return _found(Sources(root, scanner.scan(root, forbidden), _known, deadline, apart), root, changed, aliases)
    finally:
        apart.close()


def _found(tree: Sources, root: str, changed: Iterable[str] | None, aliases: Mapping[str, Any]) -> list[Mismatch]:
    offers = Offers(tree, ScriptPaths(tree, Aliases(tree, aliases)), PythonPaths(tree))
    if changed is None:
        return list(islice(mismatches(offers, tree.paths), MOST))
    inside = {path for each in changed if (path := _inside(root, each))}
    files, touched = affected(tree, offers, inside)
    return list(islice(mismatches(offers, files, touched), MOST))


def _inside(root: str, path: str) -> str:
    """The path relative to the workspace, "" where it is outside."""
    for start in (root, os.path.realpath(root)):
        relative = os.path.relpath(path, start)
        if not relative.startswith("..") and relative != ".":
            return relative
    return ""
