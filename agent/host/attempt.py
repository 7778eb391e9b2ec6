"""One command from beginning to end, in a thread: the place, the scans around it, the pipes, and what came of it."""

from __future__ import annotations

import os
import threading

from agent.errors import ToolError
from agent.host import place
from agent.host.capture import Capture
from agent.host.following import Following
from agent.host.launch import MORE_TRIES, STOP_GRACE_S, Launch, Surroundings, output_of
from agent.host.statdiff import changes, scan
from agent.host.survivors import ended
from agent.ports import Command, Ran


class Attempt:
    """`run` in a worker thread, `stop` from anywhere."""

    def __init__(self, command: Command, around: Surroundings) -> None:
        """Raises ToolError for a text that no shell can take."""
        self._command = command
        self._around = around
        self._launch = Launch(command, around)
        self._lock = threading.Lock()
        self._stopped = False
        self._following: Following | None = None

    def run(self) -> Ran:
        """Raises ToolError where the command can't be started."""
        command, around, launch = self._command, self._around, self._launch
        if self._stopped:
            raise ToolError("The command was stopped before it was started. Nothing ran.")
        cwd, note = place.start(command.cwd, command.workspace)
        with around.trees.entered(command.workspace) as stay:
            before = scan(command.workspace, around.bounds)
            following = self._followed(cwd)
            for _ in range(MORE_TRIES):
                if launch.unboxed(following):
                    following = self._followed(cwd)
            after = scan(command.workspace, around.bounds) if before is not None else None
            files = changes(command.workspace, before, after, around.hashes, around.bounds)
        launch.refused(following)
        output = output_of(list(following.pipes.values()))
        return launch.told(following, output, cwd, note, None if stay.overlapped else files)

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
        control, pipes = self._launch.sent(cwd, Capture)
        following = Following(control, pipes, self._command.timeout_s)
        with self._lock:
            self._following = following
            if self._stopped:
                following.end(STOP_GRACE_S)
        try:
            following.follow()
        finally:
            for fd in pipes:
                os.close(fd)
        self._release(following)
        return following

    def _release(self, following: Following) -> None:
        """Keep the watcher of what was left behind, and make up for one that was killed."""
        if following.exited is not None and following.exited.survivors and not following.ending:
            self._around.survivors.add(self._command.owner, following.control)
            return
        if following.ending and not following.lost:  # asked for after the shell's own end
            ended(following.control)
        following.control.close()
        if following.lost and not following.gone:
            self._launch.sweep()
