"""Two tools that do nothing to the machine: one that writes down each run, and one that waits at a gate."""

from __future__ import annotations

import asyncio

from pydantic import BaseModel

from agent.errors import ToolError
from agent.ports import CallContext, Result
from agent.steps import Change


class Word(BaseModel):
    word: str


class Mark:
    """A write tool whose effect is a line in `lines`, the canary of the tests."""

    name = "mark"
    effect = "write"
    description = "Leave a mark."
    arguments = Word

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.gate: asyncio.Event | None = None

    async def run(self, call: CallContext, args: Word) -> Result:
        self.lines.append(args.word)
        if self.gate:
            await self.gate.wait()
        if args.word == "refuse":
            raise ToolError("I don't do that.")
        if args.word == "break":
            raise ZeroDivisionError
        files = (Change("/work/marks", None, f"{len(self.lines):064x}"),) if self.effect == "write" else ()
        return Result(f"marked {args.word}", cwd="/elsewhere" if args.word == "cd" else None, files=files)


class Peek(Mark):
    """The same as a read tool."""

    name = "peek"
    effect = "read"
    description = "Look."
