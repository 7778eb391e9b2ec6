"""Probe drift: which names are taken from files that don't give them, among what a run has changed."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any

from agent.drift.find import Offers, mismatches
from agent.drift.resolve import PythonPaths, ScriptPaths
from agent.drift.shape import Mismatch
from agent.drift.tsconfig import Aliases
from agent.ports import CallContext
from agent.probes._affected import affected
from agent.probes._scan import scanner
from agent.probes._sources import Parsed, Sources

MOST = 40  # mismatches
WITHIN_S = 8.0


@dataclass(slots=True)
class _Drift:
    name: str = "drift"
    timeout_s: float = WITHIN_S + 2.0
    known: dict[str, Parsed] = field(default_factory=dict, repr=False)

    async def look(self, call: CallContext, args: str) -> str:
        """`args` is {changed, aliases}: absolute paths of what was changed, null for everything, and patterns of
        modules with their targets. The answer: {found: [Mismatch]}, at most 40. Raises TimeoutError, ValueError for
        other arguments."""
        asked = json.loads(args)
        found = await asyncio.to_thread(self._found, call, asked)
        return json.dumps({"found": [asdict(each) for each in found]}, ensure_ascii=False)

    def _found(self, call: CallContext, asked: dict[str, Any]) -> list[Mismatch]:
        root = call.workspace
        tree = Sources(root, scanner.scan(root, call.forbidden), self.known, time.monotonic() + WITHIN_S)
        aliases: Mapping[str, Any] = asked.get("aliases") or {}
        offers = Offers(tree, ScriptPaths(tree, Aliases(tree, aliases)), PythonPaths(tree))
        if asked.get("changed") is None:
            return list(islice(mismatches(offers, tree.paths), MOST))
        changed = {path for each in asked["changed"] if (path := _inside(root, str(each)))}
        files, touched = affected(tree, offers, changed)
        return list(islice(mismatches(offers, files, touched), MOST))


def _inside(root: str, path: str) -> str:
    """The path relative to the workspace, "" where it is outside."""
    for start in (root, os.path.realpath(root)):
        relative = os.path.relpath(path, start)
        if not relative.startswith("..") and relative != ".":
            return relative
    return ""


probe = _Drift()
