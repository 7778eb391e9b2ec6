"""One command from beginning to end, in a thread: the place, the scans around it, the pipes, and what came of it."""

from __future__ import annotations

import os
import signal
import threading
from dataclasses import dataclass
from functools import partial

from agent.errors import ToolError
from agent.host import place
from agent.host.boxing import Boxing
from agent.host.capture import Capture
from agent.host.environment import MARK
from agent.host.following import Following
from agent.host.link import Link
from agent.host.outcome import Ending, ending
from agent.host.spill import Redacts, Spill
from agent.host.starting import Request
from agent.host.statdiff import Bounds, Hashes, changes, scan
from agent.host.survivors import Survivors, ended
from agent.host.trees import Trees
from agent.ports import Command, Ran
from agent.steps import Change, Outcome

MORE_TRIES = 2  # to make a box, where it failed before anything ran
STOP_GRACE_S = 1.0  # a person who stops a run shall not wait for a program's manners


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


class Attempt:
    """`run` in a worker thread, `stop` from anywhere."""

    def __init__(self, command: Command, around: Surroundings) -> None:
        """Raises ToolError for a text that no shell can take."""
        self._command = command
        self._around = around
        self._text = place.encoded(command.text)
        self._mark = f"{MARK}={around.home}:{command.owner}:{command.id}"
        self._lock = threading.Lock()
        self._stopped = False
        self._following: Following | None = None

    def run(self) -> Ran:
        """Raises ToolError where the command can't be started."""
        command, around = self._command, self._around
        if self._stopped:
            raise ToolError("The command was stopped before it was started. Nothing ran.")
        cwd, note = place.start(command.cwd, command.workspace)
        with around.trees.entered(command.workspace) as stay:
            before = scan(command.workspace, around.bounds)
            following = self._followed(cwd)
            for _ in range(MORE_TRIES):
                if self._unboxed(following):
                    following = self._followed(cwd)
            after = scan(command.workspace, around.bounds) if before is not None else None
            files = changes(command.workspace, before, after, around.hashes, around.bounds)
        if following.unstarted:
            raise ToolError(f"bash could not be started: {os.strerror(following.unstarted)}. Nothing ran.")
        if self._unboxed(following):
            raise ToolError(f"The sandbox could not be made, and nothing ran. It says: {following.complaint()}")
        return self._told(following, cwd, note, None if stay.overlapped else files)

    def stop(self) -> None:
        """End the whole tree; `run` returns when it is gone."""
        with self._lock:
            self._stopped = True
            if self._following is not None:
                self._following.end(STOP_GRACE_S)

    def clear(self) -> None:
        """After `run` has returned to nobody: end what it left behind."""
        if self._following is not None and self._around.survivors.remove(self._command.owner, self._following.control):
            self._following.control.end(STOP_GRACE_S)
            ended(self._following.control)

    def _followed(self, cwd: str) -> Following:
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
        captures = [self._capture("stdout"), self._capture("stderr")]
        following = Following(control, dict(zip(reading, captures, strict=True)), self._command.timeout_s)
        with self._lock:
            self._following = following
            if self._stopped:
                following.end(STOP_GRACE_S)
        try:
            following.follow()
        finally:
            for fd in reading:
                os.close(fd)
        self._release(following)
        return following

    def _unboxed(self, following: Following) -> bool:
        """Whether its box could not be made and nothing of it has run."""
        exited = following.exited
        if not self._command.box or exited is None or following.ending:
            return False
        return self._around.boxing.failed(exited.begun, exited.status, following.complaint())

    def _request(self, cwd: str) -> Request:
        variables = (f"{name}={value}" for name, value in self._around.environment.items())
        environment = tuple(map(os.fsencode, (*variables, self._mark)))
        return self._around.boxing.request(self._command, cwd, self._text, environment)

    def _capture(self, stream: str) -> Capture:
        name = f"{self._command.id}.{stream}"
        return Capture(self._around.redactor, partial(Spill, self._command.workspace, name, self._around.redactor))

    def _release(self, following: Following) -> None:
        """Keep the watcher of what was left behind, and make up for one that was killed."""
        if following.exited is not None and following.exited.survivors and not following.ending:
            self._around.survivors.add(self._command.owner, following.control)
            return
        if following.ending and not following.lost:  # asked for after the shell's own end
            ended(following.control)
        following.control.close()
        if following.lost and not following.gone:
            ended(self._around.link.send([b"sweep", os.fsencode(self._mark)], []))

    def _told(self, following: Following, cwd: str, note: str, files: tuple[Change, ...] | None) -> Ran:
        (stdout, *full_out), (stderr, *full_err) = (capture.finish() for capture in following.pipes.values())
        exited = following.exited
        went, went_note = place.after(exited.cwd if exited else "", cwd, boxed=self._command.box)
        judged = self._judged(following, stdout.head + stdout.tail, stderr.head + stderr.tail)
        lost = "" if exited or following.ending else "The process that watched the command was killed, and it with it."
        excess = self._around.boxing.excess(following.excess, self._command)
        return Ran(
            outcome=judged.outcome,
            exit_code=judged.exit_code,
            signal=judged.signal,
            duration=following.duration,
            cwd=went,
            stdout=stdout,
            stderr=stderr,
            full=tuple(path for path, _ in (full_out, full_err) if path),
            survivors=exited.survivors if exited and not following.ending else (),
            files=files,
            note=" ".join(filter(None, (note, went_note, lost, excess, full_out[1], full_err[1]))),
        )

    def _judged(self, following: Following, stdout: str, stderr: str) -> Ending:
        exited = following.exited
        if following.timed_out:
            return Ending(Outcome.TIMED_OUT, None, exited.status & 0x7F or None if exited else None)
        if exited is None:
            return Ending(Outcome.KILLED, None, None)
        if following.excess:
            return Ending(Outcome.KILLED, 128 + signal.SIGKILL, signal.SIGKILL)
        return ending(self._command.text, exited.status, exited.pipe, stdout, stderr)
