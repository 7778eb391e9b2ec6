"""A host that runs nothing: it remembers the commands it was given and answers from a list."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from agent.errors import ToolError
from agent.ports import Child, Command, Host, Job, Jobs, Ran
from agent.steps import Outcome, Stream


def ran(
    outcome: Outcome = Outcome.OK,
    exit_code: int | None = 0,
    stdout: str = "",
    stderr: str = "",
    *,
    signal: int | None = None,
    duration: float = 0.1,
    cwd: str = "/work",
    full: tuple[str, ...] = (),
    survivors: tuple[str, ...] = (),
    note: str = "",
) -> Ran:
    """A Ran whose streams are held whole in their heads."""
    out, err = (Stream(head=text, size=len(text.encode())) for text in (stdout, stderr))
    return Ran(outcome, exit_code, signal, duration, cwd, out, err, full, survivors, (), note)


class FakeJobs(Jobs):
    """Background jobs that are whatever was put into `jobs`; a job begins with the next of `answers` and runs until
    it is killed."""

    def __init__(self, *jobs: Job) -> None:
        self.jobs = {job.id: job for job in jobs}
        self.answers: list[Job | Exception] = []
        self.begun: list[Command] = []
        self.waited: list[float] = []
        self.ends: list[tuple[str, str]] = []
        self.ended = lambda owner, job: None

    async def begin(self, command: Command) -> Job:
        self.begun.append(command)
        id = f"j{len(self.jobs) + 1}"
        answer = self.answers.pop(0) if self.answers else Job(id, command.text, 0.0, True, ran(exit_code=None))
        if isinstance(answer, Exception):
            raise answer
        self.jobs[answer.id] = answer
        return answer

    async def of(self, owner: str) -> tuple[Job, ...]:
        return tuple(self.jobs.values())

    async def wait(self, owner: str, job: str, timeout_s: float) -> Job:
        self.waited.append(timeout_s)
        if job not in self.jobs:
            raise ToolError(f"There is no background job {job!r} here.")
        return self.jobs[job]

    async def kill(self, owner: str, job: str) -> Job:
        found = await self.wait(owner, job, 0)
        if found.running:
            done = replace(found.ran, outcome=Outcome.KILLED)
            self.jobs[job] = replace(found, running=False, ran=done, why="It was ended by a call of jobs.")
        return self.jobs[job]

    def running(self, owner: str) -> int:
        return sum(job.running for job in self.jobs.values())

    async def end(self, owner: str = "", run: str = "") -> int:
        self.ends.append((owner, run))
        return sum(job.running for job in self.jobs.values())


class FakeHost(Host):
    """Answers each command with the next of `answers` (an exception is raised), with an empty success when they are
    used up. `gate`, if given, holds every command until it is set; a cancelled command counts in `cancelled`."""

    def __init__(self, *answers: Ran | Exception, gate: asyncio.Event | None = None) -> None:
        self.answers = list(answers)
        self.jobs: FakeJobs = FakeJobs()
        self.gate = gate
        self.commands: list[Command] = []
        self.cancelled: list[Command] = []
        self.reaped: list[str] = []
        self.swept = 0

    async def run(self, command: Command) -> Ran:
        self.commands.append(command)
        try:
            if self.gate:
                await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled.append(command)
            raise
        answer = self.answers.pop(0) if self.answers else ran(cwd=command.cwd)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def child(self, argv: Sequence[str], name: str, variables: Mapping[str, str]) -> Child:
        raise ToolError("No programs are started here.")

    async def reap(self, owner: str) -> int:
        self.reaped.append(owner)
        return 0

    async def sweep(self) -> int:
        self.swept += 1
        return 0
