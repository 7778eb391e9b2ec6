"""A command on its way to the keeper, and what is made of its end: the same for one that is waited for and one that
goes on in the background."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from agent.errors import ToolError
from agent.host import place
from agent.host.boxing import Boxing
from agent.host.capture import Capture
from agent.host.environment import MARK
from agent.host.following import Following
from agent.host.link import Control, Link
from agent.host.outcome import Ending, ending
from agent.host.spill import Redacts, Spill
from agent.host.starting import Request
from agent.host.statdiff import Bounds, Hashes
from agent.host.survivors import Survivors, ended
from agent.host.trees import Trees
from agent.ports import Command, Ran
from agent.steps import Change, Outcome, Stream

MORE_TRIES = 2  # to make a box, where it failed before anything ran
STOP_GRACE_S = 1.0  # a person who stops a run shall not wait for a program's manners

C = TypeVar("C", bound=Capture)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all commands of a host share."""

    home: str
    environment: dict[str, str]
    redactor: Redacts
    bounds: Bounds
    link: Link
    survivors: Survivors
    trees: Trees
    hashes: Hashes
    boxing: Boxing


@dataclass(frozen=True, slots=True)
class Output:
    """Both streams, the paths of their full texts, and what couldn't be kept, in words."""

    stdout: Stream
    stderr: Stream
    full: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


class Launch:
    """One command, ready to be sent."""

    def __init__(self, command: Command, around: Surroundings) -> None:
        """Raises ToolError for a text that no shell can take."""
        self.command = command
        self._around = around
        self._text = place.encoded(command.text)
        self._mark = f"{MARK}={around.home}:{command.owner}:{command.id}"

    def sent(self, cwd: str, kind: Callable[[Redacts, Callable[[], Spill]], C]) -> tuple[Control, dict[int, C]]:
        """Hand it to the keeper; its watcher, and its pipes with a capture of this kind for each, stdout first. Raises
        ToolError."""
        reading, writing = zip(os.pipe(), os.pipe(), strict=True)
        try:
            control = self._around.link.send(self._request(cwd).packed(), list(writing))
        except ToolError:
            for fd in reading:
                os.close(fd)
            raise
        finally:
            for fd in writing:
                os.close(fd)
        captures = [kind(self._around.redactor, self._spill(name)) for name in ("stdout", "stderr")]
        return control, dict(zip(reading, captures, strict=True))

    def sweep(self) -> None:
        """End whatever carries its mark: for a watcher that was killed. Raises ToolError."""
        ended(self._around.link.send([b"sweep", os.fsencode(self._mark)], []))

    def unboxed(self, following: Following) -> bool:
        """Whether its box could not be made and nothing of it has run."""
        exited = following.exited
        if not self.command.box or exited is None or following.ending:
            return False
        return self._around.boxing.failed(exited.begun, exited.status, following.complaint())

    def refused(self, following: Following) -> None:
        """Raises ToolError if nothing of it has run."""
        if following.unstarted:
            raise ToolError(f"bash could not be started: {os.strerror(following.unstarted)}. Nothing ran.")
        if self.unboxed(following):
            raise ToolError(f"The sandbox could not be made, and nothing ran. It says: {following.complaint()}")

    def told(self, following: Following, output: Output, cwd: str, note: str, files: tuple[Change, ...] | None) -> Ran:
        """What became of it, begun in `cwd`."""
        exited, stdout, stderr = following.exited, output.stdout, output.stderr
        went, went_note = place.after(exited.cwd if exited else "", cwd, boxed=self.command.box)
        judged = self._judged(following, stdout.head + stdout.tail, stderr.head + stderr.tail)
        lost = "" if exited or following.ending else "The process that watched the command was killed, and it with it."
        excess = self._around.boxing.excess(following.excess, self.command)
        return Ran(
            outcome=judged.outcome,
            exit_code=judged.exit_code,
            signal=judged.signal,
            duration=following.duration,
            cwd=went,
            stdout=stdout,
            stderr=stderr,
            full=output.full,
            survivors=exited.survivors if exited and not following.ending else (),
            files=files,
            note=" ".join(filter(None, (note, went_note, lost, excess, *output.problems))),
        )

    def _request(self, cwd: str) -> Request:
        given = (*self._around.environment.items(), *self.command.variables)
        variables = (f"{name}={value}" for name, value in given)
        environment = tuple(map(os.fsencode, (*variables, self._mark)))
        return self._around.boxing.request(self.command, cwd, self._text, environment)

    def _spill(self, stream: str) -> Callable[[], Spill]:
        return partial(Spill, self.command.workspace, f"{self.command.id}.{stream}", self._around.redactor)

    def _judged(self, following: Following, stdout: str, stderr: str) -> Ending:
        exited = following.exited
        if following.timed_out:
            return Ending(Outcome.TIMED_OUT, None, exited.status & 0x7F or None if exited else None)
        if exited is None:
            return Ending(Outcome.KILLED, None, None)
        if following.excess:
            return Ending(Outcome.KILLED, 128 + signal.SIGKILL, signal.SIGKILL)
        return ending(self.command.text, exited.status, exited.pipe, stdout, stderr)


def output_of(captures: list[Capture]) -> Output:
    """What two captures hold once nothing comes any more."""
    (stdout, *out), (stderr, *err) = (capture.finish() for capture in captures)
    return Output(stdout, stderr, tuple(path for path, _ in (out, err) if path), tuple(filter(None, (out[1], err[1]))))
