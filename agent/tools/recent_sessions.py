"""Tool recent_sessions: the newest sessions of this chat, by title."""

from __future__ import annotations

from datetime import UTC, datetime

from pydantic import BaseModel, Field

from agent.errors import ToolError
from agent.ports import CallContext, Listed, Result, Tool
from agent.tool import Arguments
from agent.tools._wording import printable

MOST = 30
NOWHERE = "There are no earlier sessions to look at here."


class RecentSessions(Arguments):
    count: int = Field(default=10, ge=1, le=MOST)


class _Tool:
    name = "recent_sessions"
    effect = "read"
    description = "The newest sessions of this chat, with titles; read one with session_log."
    arguments: type[BaseModel] = RecentSessions

    async def run(self, call: CallContext, args: RecentSessions) -> Result:
        """Raises ToolError where there are none, or they can't be read."""
        if call.past is None:
            raise ToolError(NOWHERE)
        found = await call.past.newest(call.session, args.count)
        if not found:
            raise ToolError(NOWHERE)
        return Result("\n".join(_line(each, call.session) for each in found), details=f"{len(found)} sessions")


def _line(listed: Listed, own: str) -> str:
    day = datetime.fromtimestamp(listed.updated, UTC).strftime("%Y-%m-%d %H:%M UTC")
    mark = " (this one)" if listed.session == own else " (goes on)" if listed.running else ""
    return f"{listed.session}{mark} · {day} · {printable(' '.join(listed.title.split())) or '(no words)'}"


tool: Tool = _Tool()
