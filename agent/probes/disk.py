"""Probe disk: what lies in the workspace, what changed last, and which of some paths are missing."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from agent.ports import CallContext


class _Disk:
    name = "disk"
    timeout_s = 5.0

    async def look(self, call: CallContext, args: str) -> str:
        """`args` is {paths, touched, newest}: paths that should be there, files that were changed in place, and how
        many of the files that changed last to name. The answer: {files, whole, newest: [[path, age in s]], missing}.
        Raises ValueError for other arguments."""
        return json.dumps(await asyncio.to_thread(_answer, call, json.loads(args)), ensure_ascii=False)


def _answer(call: CallContext, asked: dict[str, Any]) -> dict[str, Any]:
    from agent.probes._listed import listed  # brings rules that most runs never need

    return listed(call, asked)


probe = _Disk()
