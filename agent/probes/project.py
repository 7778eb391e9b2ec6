"""Probe project: the test command that the project in the working directory declares."""

from __future__ import annotations

import asyncio
import json

from agent.ports import CallContext
from agent.probes._project import find


class _Project:
    name = "project"
    timeout_s = 2.0

    async def look(self, call: CallContext, args: str) -> str:
        """`args` is {}. The answer: {command, cwd}, both "" where nothing is declared."""
        found = await asyncio.to_thread(find, call.workspace, (call.cwd,))
        command, cwd = found or ("", "")
        return json.dumps({"command": command, "cwd": cwd}, ensure_ascii=False)


probe = _Project()
