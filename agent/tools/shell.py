"""Tool shell: a command on the host, and what became of it in words and in the ends of its output."""

from __future__ import annotations

from pydantic import BaseModel, Field

from agent.errors import ToolError
from agent.ports import CallContext, Command, Job, Ran, Result, Tool
from agent.tool import Arguments
from agent.tools._ran import brief, standing, told
from agent.tools._undoable import undoable_command

LONGEST_S = 3600.0
LONGEST_JOB_S = 7 * 86_400.0  # of a background job


class Shell(Arguments):
    command: str = Field(description="for bash; pipefail is on, there is no terminal and no input")
    timeout_s: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description=f"seconds, at most {LONGEST_S:.0f}; leave out unless it is long",
    )
    background: bool = Field(default=False, description="returns at once, goes on after the answer; see jobs")


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
        limit = LONGEST_JOB_S if args.background else call.timeout_s
        command = Command(
            text=args.command,
            cwd=call.cwd,
            workspace=call.workspace,
            timeout_s=min(args.timeout_s or limit, limit if args.background else LONGEST_S),
            owner=call.session,
            id=call.call_id,
            box=call.box,
            network=call.network,
            run=call.run,
        )
        async with undoable_command(call) as doubt:
            if args.background:
                return _begun(await call.host.jobs.begin(command), doubt, undone=call.undo is not None)
            ran = await call.host.run(command)
        return _result(ran, told(ran, command.timeout_s), doubt)


def _result(ran: Ran, text: str, *remarks: str) -> Result:
    return Result(
        text=text,
        details=" · ".join(filter(None, (brief(ran), f"{ran.duration:.1f} s", *remarks))),
        outcome=ran.outcome,
        exit_code=ran.exit_code,
        duration=ran.duration,
        cwd=ran.cwd,
        stdout=ran.stdout,
        stderr=ran.stderr,
        files=ran.files,
    )


def _begun(job: Job, doubt: str, *, undone: bool) -> Result:
    """What is said of a background command after a first look at it. `undone`: its changes up to now can be."""
    ran = job.ran
    if not job.running:
        return _result(ran, f"{told(ran, LONGEST_JOB_S)}\n[job {job.id} ended at once]", doubt)
    later = f"{job.id} goes on · what it changes from now on can't be undone" if undone else f"{job.id} goes on"
    more = "[It goes on after your answer. jobs tells how it goes (tail, wait) and ends it (kill).]"
    return Result(
        text=f"{standing(job)}\n{more}",
        details=" · ".join(filter(None, (later, doubt))),
        duration=ran.duration,
        cwd=ran.cwd,
        files=None,
        job=job.id,
    )


tool: Tool = _Tool()
