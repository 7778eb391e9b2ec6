"""The listing behind the probe disk."""

from __future__ import annotations

import heapq
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from agent.ports import CallContext
from agent.probes._scan import Found, scanner

NEWEST = 20
PATHS = 64
TOUCHED = 50


def listed(call: CallContext, asked: dict[str, Any]) -> dict[str, Any]:
    """See the probe. Blocking."""
    found = scanner.scan(call.workspace, call.forbidden)
    _look_again(call.workspace, found, asked.get("touched", ())[:TOUCHED])
    most = max(min(int(asked.get("newest", NEWEST)), NEWEST), 0)
    named = ((changed, path) for path, changed in found.files() if path.isprintable())
    now = time.time_ns()
    newest = [[path, max(now - changed, 0) // 10**9] for changed, path in heapq.nlargest(most, named)]
    missing = [path for path in asked.get("paths", ())[:PATHS] if not _there(call, str(path))]
    return {"files": found.count, "whole": found.whole, "newest": newest, "missing": missing}


def _look_again(root: str, found: Found, touched: Iterable[Any]) -> None:
    """A file that was written in place changed without its folder."""
    for path in touched:
        folder, _, name = os.path.relpath(str(path), root).rpartition("/")
        if name in found.folders.get(folder, ()):
            with suppress(OSError):
                found.folders[folder][name] = os.lstat(str(path)).st_mtime_ns


def _there(call: CallContext, path: str) -> bool:
    """Whether it stands in the workspace or the working directory; what can't be told counts as there."""
    if "~" in path or "\0" in path:
        return True
    places = [os.path.normpath(Path(start, path)) for start in (call.cwd, call.workspace)]
    if call.box and all(place.startswith("/tmp/") for place in places):
        return True
    within = any(place == own or place.startswith(f"{own}/") for place in places for own in call.forbidden)
    return within or any(map(os.path.lexists, places))
