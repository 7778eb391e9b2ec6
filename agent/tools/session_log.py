"""Tool session_log: what happened in a session of this chat, step by step, filtered."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from pydantic import BaseModel, Field

from agent.errors import ToolError
from agent.guards._standing import FROM_THE_WEB
from agent.ports import CallContext, Result, Tool
from agent.steps import Asked, Corrected, Decided, Ended, Failed, Finished, Handed, Level, Nudged, Said, Step
from agent.tool import Arguments
from agent.tools._wording import printable
from agent.tools.recent_sessions import NOWHERE

STEPS, MOST = 40, 200
LINE = 300  # characters of a step
ALL = 16_000  # characters of the result

Kind = Literal["asked", "said", "calls", "results", "errors", "notes", "ends"]


class SessionLog(Arguments):
    session: str = Field(default="", max_length=300, description="id; none = this one")
    kinds: list[Kind] = Field(default=[], max_length=7, description="none = all")
    text: str = Field(default="", max_length=200, description="only steps that hold it")
    last: int = Field(default=STEPS, ge=1, le=MOST)


class _Tool:
    name = "session_log"
    effect = "read"
    description = "What happened in a session of this chat, the newest steps last."
    arguments: type[BaseModel] = SessionLog

    async def run(self, call: CallContext, args: SessionLog) -> Result:
        """Raises ToolError for a session that this chat doesn't have."""
        if call.past is None:
            raise ToolError(NOWHERE)
        name = args.session.strip() or call.session
        steps = await call.past.steps(call.session, name)
        if steps is None:
            raise ToolError("This chat has no such session. recent_sessions lists those there are.")
        found = [line for seq, step in steps for line in _lines(seq, step, args)]
        shown = _fitting(found[-args.last :])
        left_out = len(found) - len(shown)
        head = [f"({left_out} earlier steps are not shown: raise `last`, or filter.)"] if left_out else []
        text = "\n".join([*head, *shown]) or "No step matches."
        return Result(text, details=f"{len(shown)} steps", tainted=any(_from_elsewhere(step) for _, step in steps))


def _lines(seq: int, step: Step, args: SessionLog) -> list[str]:
    """The step as lines of the wanted kinds that hold the wanted text."""
    clock = datetime.fromtimestamp(step.at, UTC).strftime("%m-%d %H:%M:%S")
    lines = []
    for kind, text in _told(step):
        if (args.kinds and kind not in args.kinds) or args.text.casefold() not in text.casefold():
            continue
        flat = " ".join(text.split())
        shown = flat if len(flat) <= LINE else f"{flat[: LINE - 1]}…"
        lines.append(f"#{seq} {clock} {kind}: {printable(shown)}")
    return lines


def _told(step: Step) -> list[tuple[Kind, str]]:
    match step:
        case Asked() | Corrected():
            return [("asked", step.text)]
        case Said():
            calls: list[tuple[Kind, str]] = [("calls", f"{call.name} {call.arguments}") for call in step.calls]
            return [("said", step.text), *calls] if step.text else calls
        case Finished():
            code = f" exit {step.exit_code}" if step.exit_code is not None else ""
            return [("results", f"{step.tool} {step.outcome.value}{code}: {step.text}")]
        case Failed():
            return [("errors", step.text)]
        case Nudged() if step.text and step.level > Level.NOTE:
            return [("notes", f"{step.event}: {step.text}")]
        case Decided():
            return [("notes", f"{step.verdict} {step.reason}".strip())]
        case Handed():
            return [("notes", f"checkpoint: {step.text}")]
        case Ended():
            return [("ends", f"{step.end.value} {step.reason}".strip())]
        case _:
            return []


def _fitting(lines: list[str]) -> list[str]:
    """The newest that fit into a result."""
    kept: list[str] = []
    room = ALL
    for line in reversed(lines):
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept[::-1]


def _from_elsewhere(step: Step) -> bool:
    match step:
        case Finished(tool=tool, tainted=tainted):
            return tainted or tool in FROM_THE_WEB
        case Asked(forwarded=forwarded, tainted=tainted):
            return forwarded or tainted
        case _:
            return False


tool: Tool = _Tool()
