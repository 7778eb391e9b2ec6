"""Tool get_tool: a custom tool as it was saved."""

from __future__ import annotations

import json

from pydantic import BaseModel

from agent.errors import ToolError
from agent.ports import CallContext, Result, Tool
from agent.tool import Arguments, nearest
from agent.tools.save_tool import NOWHERE


class GetTool(Arguments):
    name: str


class _Tool:
    name = "get_tool"
    effect = "read"
    description = "A custom tool's whole definition."
    arguments: type[BaseModel] = GetTool

    async def run(self, call: CallContext, args: GetTool) -> Result:
        """Raises ToolError where there is no such custom tool."""
        if call.workshop is None:
            raise ToolError(NOWHERE)
        entries = {entry["name"]: entry for entry in call.workshop.entries()}
        if found := entries.get(args.name):
            return Result(json.dumps(found, ensure_ascii=False, indent=1))
        for aside in call.workshop.set_aside():
            if aside.name == args.name:
                return Result(f"{aside.name} is set aside and not offered: {aside.reason}\n{aside.entry[:8000]}")
        near = nearest(args.name, entries)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise ToolError(f"There is no custom tool {args.name[:64]!r}.{hint} list_tools shows them.")


tool: Tool = _Tool()
