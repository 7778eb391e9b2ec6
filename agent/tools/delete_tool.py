"""Tool delete_tool: take a custom tool away."""

from __future__ import annotations

from pydantic import BaseModel

from agent.errors import ToolError
from agent.ports import CallContext, Result, Tool
from agent.tool import Arguments
from agent.tools.save_tool import NOWHERE


class DeleteTool(Arguments):
    name: str


class _Tool:
    name = "delete_tool"
    effect = "write"
    description = "Delete a custom tool."
    arguments: type[BaseModel] = DeleteTool

    async def run(self, call: CallContext, args: DeleteTool) -> Result:
        """Raises ToolError where there is no such custom tool."""
        if call.workshop is None:
            raise ToolError(NOWHERE)
        await call.workshop.delete(args.name)
        return Result(f"Deleted {args.name}. Calls of it are no longer run.", details=f"deleted {args.name}")


tool: Tool = _Tool()
