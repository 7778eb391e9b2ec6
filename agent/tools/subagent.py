"""Tool subagent: one task in a fresh context, with fewer tools and a budget of its own; its answer is the result."""

from __future__ import annotations

from pydantic import BaseModel, Field

from agent.errors import ToolError
from agent.ports import CallContext, Errand, Result, Tool
from agent.tool import Arguments

TURNS, MOST_TURNS = 12, 40
TOKENS, MOST_TOKENS = 100_000, 1_000_000


class Subagent(Arguments):
    task: str = Field(min_length=1, max_length=20_000, description="all it has to know; it sees nothing of this talk")
    tools: list[str] = Field(default=[], max_length=40, description="names; none = all")
    turns: int = Field(default=TURNS, ge=1, le=MOST_TURNS)
    tokens: int = Field(default=TOKENS, ge=1_000, le=MOST_TOKENS)


class _Tool:
    name = "subagent"
    effect = "write"
    description = "Give one task to a sub-agent with a fresh context; its answer is the result."
    arguments: type[BaseModel] = Subagent
    takes_up = True  # the child is found again by the id of the call

    async def run(self, call: CallContext, args: Subagent) -> Result:
        """Raises ToolError for an empty task, for unknown tools, and within a sub-agent."""
        if call.spawn is None:
            raise ToolError("A sub-agent can't start another one. Do the task yourself.")
        if not args.task.strip():
            raise ToolError("The task is empty. Say in `task` all that the sub-agent has to know.")
        return await call.spawn(Errand(args.task, tuple(dict.fromkeys(args.tools)), args.turns, args.tokens))


tool: Tool = _Tool()
