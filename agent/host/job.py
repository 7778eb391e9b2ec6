"""One background command: followed in a thread of its own until nothing of it is left, and looked at meanwhile."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, replace

from agent.errors import ToolError
from agent.host import place
from agent.host.capture import Capture
from agent.host.following import GIVE_UP_S, GRACE_S, Following
from agent.host.launch import STOP_GRACE_S, Launch, output_of
from agent.host.live import Live
from agent.host.trees import Trees
from agent.ports import Job, Ran
from agent.steps import Outcome, Stream

TICK_S = 0.5  # between looks at the clock


@dataclass(slots=True)
class Staying(Following):
    """Follows a command and all that it left running. A time limit may be infinite."""

    def follow(self) -> None:
        began = time.monotonic()
        deadline = began + self.timeout_s
        self._open = dict(self.pipes)
        while not (self.lost or self.unstarted):
            now = time.monotonic()
            if now < deadline:
                self._step([self.control.fileno(), *self._open], min(deadline, now + TICK_S))
            elif self.timed_out:  # the watcher doesn't answer
                self.lost = True
            else:
                self.timed_out = True
                deadline = now + GIVE_UP_S
                self.end(GRACE_S)
            for capture in self.pipes.values():
                if isinstance(capture, Live):
                    capture.settle()
        self.duration = time.monotonic() - began
        self._linger()


class BackgroundJob:
    """`start` it once; everything else may be called from any thread."""

    def __init__(self, id: str, launch: Launch, trees: Trees, on_end: Callable[[BackgroundJob], None]) -> None:
        self.id = id
        self.command = launch.command
        self.begun = time.time()
        self.over: Future[None] = Future()
        self.why = ""
        self._launch, self._trees, self._on_end = launch, trees, on_end
        self._began = time.monotonic()
        self._cwd = self._note = ""
        self._following: Staying | None = None
        self._captures: list[Live] = []
        self._ran: Ran | None = None
        self._lock = threading.Lock()
        self._stay = ExitStack()
        self.unboxed = False  # it is over since its box could not be made
        self.refusal: ToolError | None = None  # it is over and nothing of it has run

    def start(self) -> None:
        """Returns once it has been handed over. Raises ToolError where it can't be."""
        self._cwd, self._note = place.start(self.command.cwd, self.command.workspace)
        self._stay.enter_context(self._trees.entered(self.command.workspace))
        try:
            control, pipes = self._launch.sent(self._cwd, Live)
            self._captures = list(pipes.values())
            following = self._following = Staying(control, {**pipes}, self.command.timeout_s)
            threading.Thread(target=self._follow, args=[following], name=f"job {self.id}", daemon=True).start()
        except BaseException:
            self._stay.close()
            raise
        if self.why:  # asked for before there was anything to end
            following.end(STOP_GRACE_S)

    def end(self, why: str) -> None:
        """Ask for the end of all of it; `over` is done after it."""
        with self._lock:
            if self._ran is not None:
                return
            self.why = self.why or why
            following = self._following
        if following is not None:
            following.end(STOP_GRACE_S)

    @property
    def running(self) -> bool:
        return self._ran is None

    def now(self) -> Job:
        """As it stands."""
        ran = self._ran
        return Job(self.id, self.command.text, self.begun, ran is None, ran or self._so_far(), self.why)

    def _follow(self, following: Staying) -> None:
        try:
            following.follow()
        finally:
            self._stay.close()
            for fd in following.pipes:
                os.close(fd)
            following.control.close()
            self._finish(following)

    def _finish(self, following: Staying) -> None:
        captures: list[Capture] = list(following.pipes.values())
        told = self._launch.told(following, output_of(captures), self._cwd, self._note, None)
        outcome = Outcome.KILLED if self.why else told.outcome
        ran = replace(
            told, outcome=outcome, cwd=self._cwd, survivors=()
        )  # it leads the session nowhere, leaves nothing
        self.unboxed = self._launch.unboxed(following)
        try:
            self._launch.refused(following)
        except ToolError as error:
            self.refusal = error
        with self._lock:
            self._ran = ran
            self._following, self._captures = None, []  # a quarter of a megabyte each
        try:
            if not following.gone and (following.exited is None or following.exited.survivors):
                self._launch.sweep()
        finally:
            self._on_end(self)
            self.over.set_result(None)

    def _so_far(self) -> Ran:
        with self._lock:
            captures, following = self._captures, self._following
        stdout, stderr = [capture.now() for capture in captures] or (Stream(), Stream())
        exited = following.exited if following else None
        return Ran(
            outcome=Outcome.OK,
            exit_code=os.waitstatus_to_exitcode(exited.status) if exited else None,
            signal=None,
            duration=time.monotonic() - self._began,
            cwd=self._cwd,
            stdout=stdout,
            stderr=stderr,
            full=tuple(filter(None, (capture.path for capture in captures))),
            survivors=exited.survivors if exited else (),
            files=None,
            note=self._note,
        )
