"""Tool task_complete: the claim that the task is done. The gate checks it before it runs; then the run ends with it."""

from __future__ import annotations

from pydantic import BaseModel, Field

from agent.errors import ToolError
from agent.ports import CallContext, Result, Tool
from agent.steps import End
from agent.tool import Arguments


class TaskComplete(Arguments):
    summary: str = Field(description="the answer to the user: what was done, what came out")


class _Tool:
    name = "task_complete"
    effect = "read"
    description = "Say that the task is done. It is checked: tests, files, open errors. Then the run ends."
    arguments: type[BaseModel] = TaskComplete

    async def run(self, call: CallContext, args: TaskComplete) -> Result:
        """Raises ToolError for an empty summary."""
        if not args.summary.strip():
            raise ToolError("The summary is empty: the user would get no answer. Say what was done and what came out.")
        return Result("Accepted. The run ends with your summary as its answer.", ends=End.ANSWERED)


tool: Tool = _Tool()
