"""A host that runs nothing: it remembers the commands it was given and answers from a list."""

from __future__ import annotations

import asyncio

from agent.ports import Command, Host, Ran
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


class FakeHost(Host):
    """Answers each command with the next of `answers` (an exception is raised), with an empty success when they are
    used up. `gate`, if given, holds every command until it is set; a cancelled command counts in `cancelled`."""

    def __init__(self, *answers: Ran | Exception, gate: asyncio.Event | None = None) -> None:
        self.answers = list(answers)
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

    async def reap(self, owner: str) -> int:
        self.reaped.append(owner)
        return 0

    async def sweep(self) -> int:
        self.swept += 1
        return 0
