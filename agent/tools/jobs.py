"""Tool jobs: what became of background commands, and their end."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, Field

from agent.errors import ToolError
from agent.ports import CallContext, Job, Result, Tool
from agent.tool import Arguments
from agent.tools._ran import standing, state, took
from agent.tools._wording import printable

LISTED = 20
COMMAND = 120  # characters shown of one in the list
LINES = 400
AFTER_WAIT = 20  # lines
WAIT_S = 60.0


class JobsArguments(Arguments):
    action: Literal["list", "tail", "wait", "kill"]
    id: str | None = Field(default=None, description="of the job, all but list need it")
    lines: int = Field(default=40, ge=1, le=LINES, description="for tail")
    timeout_s: float = Field(default=WAIT_S, gt=0, allow_inf_nan=False, description="for wait, seconds")


class _Tool:
    name = "jobs"
    effect = "read"  # but for kill, which the policy knows to be a change
    description = "Background commands: list them, see the tail of one's output, wait for its end, kill it."
    arguments: type[BaseModel] = JobsArguments

    async def run(self, call: CallContext, args: JobsArguments) -> Result:
        """Raises ToolError for a job that isn't there."""
        jobs = call.host.jobs
        if args.action == "list":
            return _listed(await jobs.of(call.session))
        if not args.id:
            raise ToolError(f"Which job? Give its id to {args.action}; action list shows them.")
        match args.action:
            case "tail":
                return _looked(await jobs.wait(call.session, args.id, 0), args.lines)
            case "wait":
                return _waited(await jobs.wait(call.session, args.id, min(args.timeout_s, call.timeout_s)))
            case "kill":
                job = await jobs.kill(call.session, args.id)
                return Result(standing(job, AFTER_WAIT), f"{job.id}: {state(job)}", files=None)


def _listed(jobs: tuple[Job, ...]) -> Result:
    if not jobs:
        return Result("No background jobs were begun here.", "none")
    running = sum(job.running for job in jobs)
    older = [f"[{len(jobs) - LISTED} older ones not shown]"] if len(jobs) > LISTED else []
    return Result("\n".join([*older, *map(_line, jobs[-LISTED:])]), f"{running} running of {len(jobs)}")


def _line(job: Job) -> str:
    command = printable(job.command)
    shown = command if len(command) <= COMMAND else command[:COMMAND] + "…"
    why = f" ({job.why})" if job.why else ""
    return f"{job.id}: {state(job)}{why} · {took(job.ran.duration)} · {shown}"


def _looked(job: Job, lines: int) -> Result:
    """A look is no failure, whatever it shows; how an ended job ended is a fact all the same."""
    told = Result(standing(job, lines), f"{job.id}: {state(job)}")
    if job.running:
        return told
    return replace(told, exit_code=job.ran.exit_code, stdout=job.ran.stdout, stderr=job.ran.stderr, job=job.id)


def _waited(job: Job) -> Result:
    """An ended job's outcome is that of the call, so that a failure is seen as one."""
    text, ran = standing(job, AFTER_WAIT), job.ran
    if job.running:
        return Result(f"{text}\n[not over yet: wait again, or do something else meanwhile]", f"{job.id}: still running")
    return Result(
        text,
        f"{job.id}: {state(job)}",
        outcome=ran.outcome,
        exit_code=ran.exit_code,
        stdout=ran.stdout,
        stderr=ran.stderr,
        files=None,
        job=job.id,
    )


tool: Tool = _Tool()
