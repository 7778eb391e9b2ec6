"""Tool plan: the to-do list of a task. The call itself is the store: everybody who shows or checks a plan folds it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field, model_validator

from agent.errors import ToolError
from agent.plan import ITEMS, line, spoken
from agent.ports import CallContext, Result, Tool
from agent.tool import Arguments


class PlanItem(Arguments):
    text: str
    status: Literal["pending", "in_progress", "completed", "blocked"] = "pending"
    verify: str = Field(default="", description="command that shows it is done")
    artifacts: list[str] = Field(default=[], description="files it leaves")

    @model_validator(mode="before")
    @classmethod
    def _as_models_write_it(cls, given: Any) -> Any:
        """A bare text counts as an item, `done` as completed, null as left out."""
        if isinstance(given, str):
            return {"text": given}
        if not isinstance(given, dict):
            return given
        told = {name: value for name, value in given.items() if value is not None}
        return {**told, "status": spoken(told["status"])} if isinstance(told.get("status"), str) else told


class PlanArguments(Arguments):
    items: list[PlanItem] = Field(description="the whole list, in order; at most one in_progress")


class _Tool:
    name = "plan"
    effect = "read"
    description = "Keep the to-do list of a task of several steps; send it again when a step is begun or done."
    arguments: type[BaseModel] = PlanArguments

    async def run(self, call: CallContext, args: PlanArguments) -> Result:
        """Raises ToolError for a list that is no plan."""
        if not args.items:
            raise ToolError("The plan is empty: nothing was kept. Give at least one item.")
        if len(args.items) > ITEMS:
            raise ToolError(f"The plan has {len(args.items)} items, of {ITEMS}: nothing was kept. Join small steps.")
        if not all(item.text.strip() for item in args.items):
            raise ToolError("An item has no text: nothing was kept. Say in each what is to be done.")
        doing = [line(item.text) for item in args.items if item.status == "in_progress"]
        if len(doing) > 1:
            raise ToolError(
                f"{len(doing)} items are in_progress, one at most: nothing was kept. Set all but the one that you work "
                "on to pending or completed."
            )
        done = sum(item.status == "completed" for item in args.items)
        told = f"Kept: {done} of {len(args.items)} completed." + (f" Now: {doing[0]}" if doing else "")
        return Result(told, details=f"{done}/{len(args.items)}")


tool: Tool = _Tool()
