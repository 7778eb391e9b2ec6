"""Tool blocked: the model says that it can't go on, why, and what shows it; the run ends as blocked."""

from __future__ import annotations

from pydantic import BaseModel, Field

from agent.errors import ToolError
from agent.ports import CallContext, Result, Tool
from agent.steps import End
from agent.tool import Arguments

LONGEST = 1_500  # characters of each that are shown


class Blocked(Arguments):
    reason: str = Field(description="what is missing, and who can give it")
    evidence: str = Field(description="the command and the error that show it")


class _Tool:
    name = "blocked"
    effect = "read"
    description = "Give up: the task can't be done without something that only the user can give. The run ends."
    arguments: type[BaseModel] = Blocked

    async def run(self, call: CallContext, args: Blocked) -> Result:
        """Raises ToolError where one of the two says nothing."""
        reason, evidence = args.reason.strip(), args.evidence.strip()
        for name, text in (("reason", reason), ("evidence", evidence)):
            if not any(letter.isalnum() for letter in text):
                raise ToolError(f"The {name} is empty: the run goes on. Give both, so that the user can act on them.")
        told = f"Blocked: {reason[:LONGEST]}\n\nEvidence: {evidence[:LONGEST]}"
        return Result("The run ends as blocked.", details=told, ends=End.BLOCKED)


tool: Tool = _Tool()
