"""Programs of ours that are talked with by stdin and stdout, kept by the keeper like any command."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack

from agent.errors import ToolError
from agent.host.census import Limits
from agent.host.environment import MARK
from agent.host.launch import Surroundings
from agent.host.link import Control
from agent.host.starting import Request
from agent.ports import Child

LIMITS = Limits(processes=256, tasks=2048, memory_bytes=2 << 30)


class Talking:
    """agent.ports.Child. Closing the control socket is what ends the tree."""

    def __init__(self, stdin: int, stdout: int, control: Control, on_end: Callable[[Talking], None]) -> None:
        self.stdin, self.stdout = stdin, stdout
        self._control, self._on_end = control, on_end

    def end(self) -> None:
        self._control.close()
        self._on_end(self)


class Children:
    """All of them."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._lock = threading.Lock()
        self._children: set[Talking] = set()
        self._closed = False

    def begin(self, argv: Sequence[str], name: str, variables: Mapping[str, str]) -> Child:
        """Raises ToolError where it can't be handed over."""
        around = self._around
        given = {**around.environment, **variables, MARK: f"{around.home}:{name}:"}
        entries = tuple(os.fsencode(f"{key}={value}") for key, value in given.items())
        request = Request(b"/", LIMITS, False, tuple(map(os.fsencode, argv)), entries)
        theirs_in, ours_in = os.pipe()
        ours_out, theirs_out = os.pipe()
        null = os.open("/dev/null", os.O_WRONLY)
        with ExitStack() as stack:
            for fd in (theirs_in, theirs_out, null):
                stack.callback(os.close, fd)
            try:
                if self._closed:
                    raise ToolError("Jarvis is shutting down: nothing is started any more.")
                control = around.link.send(request.packed(), [theirs_out, null, theirs_in])
            except BaseException:
                os.close(ours_in)
                os.close(ours_out)
                raise
        child = Talking(ours_in, ours_out, control, self._forget)
        with self._lock:
            self._children.add(child)
        return child

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            self._closed = True
            children = list(self._children)
        for child in children:
            child.end()

    def _forget(self, child: Talking) -> None:
        with self._lock:
            self._children.discard(child)
