"""Tool list_tools: the custom tools, and what of the tools file can't be used."""

from __future__ import annotations

from pydantic import BaseModel

from agent.errors import ToolError
from agent.fitting import short
from agent.ports import CallContext, Result, Tool
from agent.tool import Arguments
from agent.tools.save_tool import NOWHERE

SAID = 100  # characters of a description


class ListTools(Arguments):
    pass


class _Tool:
    name = "list_tools"
    effect = "read"
    description = "Your custom tools."
    arguments: type[BaseModel] = ListTools

    async def run(self, call: CallContext, args: ListTools) -> Result:
        """Raises ToolError where there is no workshop."""
        if call.workshop is None:
            raise ToolError(NOWHERE)
        lines = [
            f"{short(each['name'], each['parameters'])}: {each['description'][:SAID]}"
            for each in call.workshop.entries()
        ]
        lines += [f"set aside: {each.name}: {each.reason}" for each in call.workshop.set_aside()]
        return Result("\n".join(lines) or "There are no custom tools. save_tool makes one.")


tool: Tool = _Tool()
