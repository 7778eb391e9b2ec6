"""Tool save_tool: keep a command under a name of its own, so that it can be called like any other tool."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, Field

from agent.errors import ToolError
from agent.fitting import short
from agent.ports import CallContext, Result, Tool
from agent.tool import Arguments

NOWHERE = "There is no tool workshop here: nothing was done."


class SaveTool(Arguments):
    name: str = Field(description="letters, digits, _ and -")
    command: str | None = Field(default=None, description='bash; argument x is "$ARG_x"')
    script: str | None = Field(default=None, description="instead of command: a whole script with its #! line")
    description: str = Field(description="what it does, when to use it")
    parameters: Any = Field(
        description='JSON schema of its arguments: {"type":"object","properties":{...},"required":[...]}',
        json_schema_extra={"type": "object"},
    )


class _Tool:
    name = "save_tool"
    effect = "write"
    description = (
        "Save a command as a new tool, callable from your next reply on; replaces a tool of that name. Its arguments "
        "come as environment variables ARG_name and as JSON on stdin."
    )
    arguments: type[BaseModel] = SaveTool

    async def run(self, call: CallContext, args: SaveTool) -> Result:
        """Raises ToolError that names the field and the right shape; then nothing was changed."""
        if call.workshop is None:
            raise ToolError(NOWHERE)
        runs = {field: text for field in ("command", "script") if (text := getattr(args, field)) is not None}
        entry = {"name": args.name, "description": args.description, "parameters": args.parameters, **runs}
        remarks = await call.workshop.save(entry)
        saved = next(each for each in call.workshop.entries() if each["name"] == args.name)
        usage = short(args.name, saved["parameters"])
        text = f"Saved. From your next reply on you can call {usage}."
        return Result("\n".join([text, *remarks]), details=f"saved {json.dumps(args.name)}")


tool: Tool = _Tool()
