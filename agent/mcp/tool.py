"""A tool of an MCP server as one of ours: its arguments by the server's schema, its answer as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from agent.fitting import fitted
from agent.mcp.offered import Offer
from agent.mcp.server import Server
from agent.ports import CallContext, Result
from agent.steps import Outcome, ToolSpec
from agent.tool import Arguments, BadArguments
from agent.toolschema import sendable


class McpTool:
    arguments: type[BaseModel] = Arguments

    def __init__(self, server: Server, offer: Offer) -> None:
        self.name, self.description = offer.name, offer.description
        self.effect = "read" if offer.reads else "write"
        self.offer = offer
        self._server = server
        self._spec = ToolSpec(offer.name, offer.description, sendable(offer.schema))

    def spec(self) -> ToolSpec:
        return self._spec

    def parse(self, arguments: str) -> dict[str, Any] | BadArguments:
        return fitted(self.name, self.offer.schema, arguments)

    async def run(self, call: CallContext, args: Mapping[str, Any]) -> Result:
        """Raises ToolError where the server is down."""
        name = self._server.configured.name
        try:
            answer = await self._server.call(self.offer.remote, args, call.timeout_s)
        except TimeoutError:
            text = (
                f"The MCP server {name} gave no answer within {call.timeout_s:.0f} s. What it did by then is not known."
            )
            return Result(text, "timed out", outcome=Outcome.TIMED_OUT, files=None)
        files = () if self.effect == "read" else None
        if answer.error:
            text, details, outcome = answer.text or "It failed without a word.", "failed", Outcome.FAILED
        else:
            text, details, outcome = answer.text or "(an empty answer)", f"{len(answer.text)} characters", Outcome.OK
        return Result(text, details, outcome=outcome, files=files, tainted=not self._server.configured.trusted)
