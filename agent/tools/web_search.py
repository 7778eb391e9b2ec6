"""Tool web_search: what the search provider of the settings finds."""

from __future__ import annotations

from pydantic import BaseModel, Field

from agent.errors import ToolError
from agent.ports import CallContext, Result, Tool
from agent.steps import Outcome
from agent.tool import Arguments

MOST = 20


class WebSearch(Arguments):
    query: str = Field(min_length=1, max_length=400)
    count: int = Field(default=6, ge=1, le=MOST)


class _Tool:
    name = "web_search"
    effect = "read"
    description = "Search the web; read a hit with web_fetch."
    arguments: type[BaseModel] = WebSearch

    async def run(self, call: CallContext, args: WebSearch) -> Result:
        """Raises ToolError where there is no search, or it fails."""
        if call.web is None:
            raise ToolError("There is no way to the web here. Go on without it.")
        hits = await call.web.search(args.query, args.count)
        if not hits:
            return Result("Nothing found. Try other words.", details="nothing found", outcome=Outcome.ANSWERED_NO)
        lines = [f"{n}. {hit.title}\n   {hit.url}\n   {hit.text[:300]}" for n, hit in enumerate(hits, start=1)]
        return Result("Untrusted text from the web:\n" + "\n".join(lines), details=f"{len(hits)} hits")


tool: Tool = _Tool()
