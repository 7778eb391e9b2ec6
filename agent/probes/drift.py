"""Probe drift: which names are taken from files that don't give them, among what a run has changed."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from typing import Any

from agent.ports import CallContext

WITHIN_S = 8.0


class _Drift:
    name = "drift"
    timeout_s = WITHIN_S + 2.0

    async def look(self, call: CallContext, args: str) -> str:
        """`args` is {changed, aliases}: absolute paths of what was changed, null for everything, and patterns of
        modules with their targets. The answer: {found: [Mismatch]}, at most 40. Raises TimeoutError, ValueError for
        other arguments."""
        found = await asyncio.to_thread(_found, call, json.loads(args))
        return json.dumps({"found": found}, ensure_ascii=False)


def _found(call: CallContext, asked: dict[str, Any]) -> list[dict[str, Any]]:
    from agent.probes._compared import compared  # brings grammars and rules that most runs never need

    changed = asked["changed"]
    paths = None if changed is None else list(map(str, changed))
    return [asdict(each) for each in compared(call.workspace, call.forbidden, paths, asked["aliases"] or {}, WITHIN_S)]


probe = _Drift()
