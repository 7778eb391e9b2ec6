"""Tool shell: a command on the host, and what became of it in words and in the ends of its output."""

from __future__ import annotations

import signal
from typing import assert_never

from pydantic import BaseModel, Field

from agent.errors import ToolError
from agent.ports import CallContext, Command, Ran, Result, Tool
from agent.steps import Outcome, Stream
from agent.tool import Arguments
from agent.tools._undoable import undoable_command
from agent.tools._wording import printable

LONGEST_S = 3600.0
END = 2_000  # characters shown of the head and of the tail of a stream
SHOWN_SURVIVORS = 5

SIGNALLED = 128  # an exit status above it means that a signal ended a command (bash manual, "Exit Status")


class Shell(Arguments):
    command: str = Field(description="for bash; pipefail is on, there is no terminal and no input")
    timeout_s: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description=f"seconds, at most {LONGEST_S:.0f}; leave out unless it is long",
    )


class _Tool:
    name = "shell"
    effect = "write"
    description = (
        "Run a bash command on the host. The working directory persists over calls, variables do not. "
        "Long output is cut in the middle: use grep, head, tail. Write files with write_file, not here."
    )
    arguments: type[BaseModel] = Shell

    async def run(self, call: CallContext, args: Shell) -> Result:
        """Raises ToolError for a command that can't be started."""
        if not args.command.strip():
            raise ToolError("The command is empty: nothing was run. Give a bash command.")
        if "\0" in args.command:
            raise ToolError("The command holds a NUL character, which no command can have: nothing was run.")
        limit = min(args.timeout_s or call.timeout_s, LONGEST_S)
        command = Command(
            text=args.command,
            cwd=call.cwd,
            workspace=call.workspace,
            timeout_s=limit,
            owner=call.session,
            id=call.call_id,
            box=call.box,
            network=call.network,
        )
        async with undoable_command(call) as doubt:
            ran = await call.host.run(command)
        return Result(
            text=told(ran, limit),
            details=f"{_brief(ran)} · {ran.duration:.1f} s" + (f" · {doubt}" if doubt else ""),
            outcome=ran.outcome,
            exit_code=ran.exit_code,
            duration=ran.duration,
            cwd=ran.cwd,
            stdout=ran.stdout,
            stderr=ran.stderr,
            files=ran.files,
        )


def told(ran: Ran, limit: float) -> str:
    """The result as the model reads it: status line, streams, remarks. `limit` in seconds."""
    parts = [f"{_status(ran, limit)} · {_took(ran.duration)} · cwd {printable(ran.cwd)}"]
    parts += [
        _stream(name, stream, ran.full)
        for name, stream in (("stdout", ran.stdout), ("stderr", ran.stderr))
        if stream.size
    ]
    if not ran.stdout.size and not ran.stderr.size:
        parts.append("(no output)")
    if ran.survivors:
        more = len(ran.survivors) - SHOWN_SURVIVORS
        names = ", ".join(ran.survivors[:SHOWN_SURVIVORS]) + (f" and {more} more" if more > 0 else "")
        parts.append(f"[still running in the background: {names}; killed at the end of the run]")
    if ran.note:
        parts.append(f"[{ran.note}]")
    return "\n".join(parts)


def _status(ran: Ran, limit: float) -> str:
    match ran.outcome:
        case Outcome.TIMED_OUT:
            return f"timed out after {limit:g} s; the whole process tree was killed"
        case Outcome.KILLED:
            return f"killed by {_signal(ran.signal)}"
        case Outcome.OK:
            return "ok, exit code 0"
        case Outcome.WARNED:
            return "exit code 0, but stderr looks like an error"
        case Outcome.ANSWERED_NO:
            return f"exit code {ran.exit_code}: the answer is no, not a failure"
        case Outcome.FAILED:
            return f"failed, exit code {ran.exit_code}{_meaning(ran.exit_code)}"
        case Outcome.NOT_STARTED | Outcome.BAD_ARGUMENTS | Outcome.HELD | Outcome.CANCELLED | Outcome.INTERRUPTED:
            return ran.outcome.value.replace("_", " ")
    assert_never(ran.outcome)


def _meaning(code: int | None) -> str:
    match code:
        case 127:
            return ": command not found"
        case 126:
            return ": found, but not executable"
        case int() if code > SIGNALLED:
            return f": a command in it was killed by {_signal(code - SIGNALLED)}"
        case _:
            return ""


def _signal(number: int | None) -> str:
    try:
        return f"signal {number} ({signal.Signals(number or 0).name})"
    except ValueError:
        return f"signal {number}" if number else "a signal"


def _took(seconds: float) -> str:
    # Rounded, so that the same quick command gives the same text and a repetition is seen as one.
    return "under 1 s" if seconds < 1 else f"{seconds:.0f} s"


def _brief(ran: Ran) -> str:
    match ran.outcome:
        case Outcome.TIMED_OUT:
            return "timed out"
        case Outcome.KILLED:
            return f"killed by {_signal(ran.signal)}"
        case _:
            return ran.outcome.value if ran.exit_code is None else f"exit {ran.exit_code}"


def _stream(name: str, stream: Stream, full: tuple[str, ...]) -> str:
    whole = stream.head if not stream.tail else None
    if whole is not None and len(whole) <= 2 * END:
        return f"--- {name}\n{whole.rstrip()}"
    head, tail = stream.head[:END], (stream.tail or stream.head)[-END:]
    omitted = max(1, stream.size - len((head + tail).encode("utf-8", "replace")))
    path = next((each for each in full if each.endswith(name[3:])), None)
    where = f"; full output: {path}" if path else "; see more of it with grep, head or tail"
    return f"--- {name} ({stream.size} bytes)\n{head}\n[... {omitted} bytes omitted{where} ...]\n{tail.rstrip()}"


tool: Tool = _Tool()
