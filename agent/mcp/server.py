"""One MCP server as the bot sees it: its bridge, what it offers, calls in flight, and when it is tried again."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.errors import ToolError
from agent.mcp.configured import Configured
from agent.ports import Child, Clock, Host

logger = logging.getLogger(__name__)

LONGEST = 8 << 20  # bytes of a line of the bridge's
FIRST_BACK_S, LAST_BACK_S = 2.0, 300.0
STEADY_S = 60.0  # after which a new end counts as a first one
IN_FLIGHT = 16  # calls
MOMENT_S = 5.0  # that a call waits for a server that is being started

UNKNOWN = "What it did by then is not known."
CLOSED = "it was closed"

# As the keeper's (agent/host/link.py): the package without its __init__, and nothing around it counts.
BOOT = """
import sys, types
for name in ("agent", "agent.mcp"):
    package = sys.modules[name] = types.ModuleType(name)
    package.__path__ = [sys.argv[1] + "/" + name.replace(".", "/")]
from agent.mcp.bridge import main
main()
"""
ROOT = str(Path(__file__).resolve().parents[2])


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    error: bool


@dataclass(slots=True, eq=False)
class Server:
    """Started by `start`; everything that befalls it stays in here. `on_tools` is told its list when it has one, and
    again whenever it changed; `down` says why it isn't up, "" while it is or was never started."""

    configured: Configured
    host: Host
    clock: Clock
    on_tools: Callable[[Server, Sequence[Mapping[str, Any]], Sequence[tuple[str, str]]], None]
    down: str = ""
    up: bool = False
    starting: asyncio.Task[None] | None = None
    _again_at: float = 0.0  # monotonic
    _back_s: float = FIRST_BACK_S
    _up_at: float = 0.0
    _numbers: int = 0
    _waiting: dict[int, asyncio.Future[Answer]] = field(default_factory=dict)
    _writer: asyncio.StreamWriter | None = None
    _ready: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        """See to it that it runs, or is being started, unless it has to wait after a failure."""
        if self.starting is None and self.clock.monotonic() >= self._again_at:
            self._ready.clear()
            self.starting = asyncio.create_task(self._live(), name=f"mcp {self.configured.name}")

    async def settled(self) -> None:
        """Until it is up, or known to be down."""
        await self._ready.wait()

    async def call(self, tool: str, arguments: Mapping[str, Any], timeout_s: float) -> Answer:
        """Raises ToolError where it is down, too busy, or goes down meanwhile; TimeoutError."""
        self.wake()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(MOMENT_S, timeout_s)):
                await self._ready.wait()
        if not self.up or self._writer is None:
            raise ToolError(f"The MCP server {self.configured.name} is down: {self._why()} Nothing was run.")
        if len(self._waiting) >= IN_FLIGHT:
            raise ToolError(f"The MCP server {self.configured.name} has {IN_FLIGHT} calls to answer. Nothing was run.")
        self._numbers += 1
        number = self._numbers
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            async with asyncio.timeout(timeout_s):
                self._say({"id": number, "call": tool, "arguments": arguments})
                await asyncio.wait([answer])
                return answer.result()
        finally:
            if not answer.done():
                self._say({"cancel": number})
            self._waiting.pop(number, None)

    async def close(self) -> None:
        if self.starting is not None:
            self.starting.cancel()
            await asyncio.wait([self.starting])

    def _why(self) -> str:
        wait = max(0.0, self._again_at - self.clock.monotonic())
        then = f" It is tried again in {wait:.0f} s." if wait else " It is being started."
        return f"{self.down or 'it has not answered yet'}.{then}"

    async def _live(self) -> None:
        """One life, from the start to whatever ends it."""
        why = "it ended without a word"
        child: Child | None = None
        try:
            argv = [sys.executable, "-I", "-c", BOOT, ROOT]
            variables = self.configured.given.get("env") or {}
            child = await self.host.child(argv, f"mcp:{self.configured.name}", variables)
            why = await self._talk(child)
        except ToolError as error:
            why = str(error)
        except asyncio.CancelledError:
            why = CLOSED
            raise
        except Exception as error:  # a bridge that says what no bridge says
            logger.exception("the bridge to the MCP server %s", self.configured.name)
            why = f"its bridge failed ({type(error).__name__})"
        finally:
            if child is not None:
                child.end()
            self._ended(why)

    async def _talk(self, child: Child) -> str:
        """Read what the bridge says until its end; returns why."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=LONGEST)
        reading, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(child.stdout, "rb", 0)
        )
        writing, protocol = await loop.connect_write_pipe(
            asyncio.streams.FlowControlMixin, os.fdopen(child.stdin, "wb", 0)
        )
        self._writer = asyncio.StreamWriter(writing, protocol, None, loop)
        self._say({key: value for key, value in self.configured.given.items() if key != "env"})
        why = "it ended without a word"
        try:
            while line := await reader.readline():
                said = json.loads(line)
                why = str(said["down"])[:500] if "down" in said else why
                self._hear(said)
        finally:
            reading.close()
            writing.close()
        return why

    def _hear(self, said: dict[str, Any]) -> None:
        if "tools" in said:
            self.up, self.down, self._up_at = True, "", self.clock.monotonic()
            self.on_tools(self, said["tools"], [(str(name), str(why)) for name, why in said["bad"]])
            self._ready.set()
        elif (waiting := self._waiting.get(said.get("id", 0))) and not waiting.done():
            waiting.set_result(Answer(said["text"], said["error"]))

    def _say(self, what: dict[str, Any]) -> None:
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(json.dumps(what).encode() + b"\n")

    def _ended(self, why: str) -> None:
        now = self.clock.monotonic()
        if self.up and now - self._up_at > STEADY_S:
            self._back_s = FIRST_BACK_S
        self._again_at = now + self._back_s
        self._back_s = min(LAST_BACK_S, self._back_s * 2)
        self.up, self.down, self._writer, self.starting = False, why, None, None
        self._ready.set()
        if why != CLOSED:
            logger.warning("the MCP server %s is down: %s", self.configured.name, why)
        lost = f"The MCP server {self.configured.name} went down during the call: {why}. {UNKNOWN}"
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(ToolError(lost))
