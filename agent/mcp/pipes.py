"""An MCP server's stdin and stdout as a transport of the SDK, with bounds: a line is cut off, a flood ends it.

Runs in the bridge process alone, which is why nobody else minds how it ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, NoReturn

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

LONGEST = 8 << 20  # bytes of one message
JUNK = 1_000  # lines that are no message
MOST, SPAN_S = 3_000, 10.0  # messages in so many seconds
COMPLAINT = 2_000  # bytes kept of stderr
LONGEST_NAME = 256

Streams = tuple[Any, Any]


class Unbearable(Exception):
    """The server does what no server may do, or has ended; str() says it."""


Fatal = Callable[[Unbearable], NoReturn]  # ends the process: the SDK would first fail the calls that are under way


class Sieve:
    """What comes from a server, on its way to the SDK: counted, and its list of tools taken apart, since one bad entry
    would cost all of them. `bad` are entries that were left out, with a reason."""

    def __init__(self) -> None:
        self.bad: list[tuple[str, str]] = []
        self._count, self._since = 0, time.monotonic()

    def take(self, item: SessionMessage | Exception) -> SessionMessage | Exception:
        """Raises Unbearable for a flood."""
        now = time.monotonic()
        if now - self._since > SPAN_S:
            self._count, self._since = 0, now
        self._count += 1
        if self._count > MOST:
            raise Unbearable(f"it floods: over {MOST} messages in {SPAN_S:.0f} s")
        if isinstance(item, SessionMessage) and isinstance(item.message, types.JSONRPCResponse):
            self._tools(item.message.result)
        return item

    def _tools(self, result: Any) -> None:
        tools = result.get("tools") if isinstance(result, dict) else None
        if not isinstance(tools, list):
            return
        good = []
        for tool in tools:
            if why := unusable(tool):
                name = tool.get("name") if isinstance(tool, dict) else None
                self.bad.append((str(name)[:LONGEST_NAME], why))
            else:
                good.append(
                    {key: tool[key] for key in ("name", "description", "inputSchema", "annotations") if tool.get(key)}
                )
        result["tools"] = good


def unusable(tool: object) -> str:
    """Why an entry is no tool; "" if it can be one. What the SDK insists on and nobody needs is put right."""
    if not isinstance(tool, dict):
        return "the entry is no object"
    if not isinstance(tool.get("name"), str) or not 0 < len(tool["name"]) <= LONGEST_NAME:
        return "it has no name that can be used"
    schema = tool.get("inputSchema")
    if not isinstance(schema, dict):
        return "its inputSchema is no object"
    if schema.setdefault("type", "object") != "object":
        return "its inputSchema isn't of type object"
    if not isinstance(schema.get("properties", {}), dict) or not isinstance(schema.get("required", []), list):
        return "its inputSchema has odd properties"
    if not isinstance(tool.get("description") or "", str):
        return "its description is no text"
    hints = tool.get("annotations")
    reads = hints.get("readOnlyHint") is True if isinstance(hints, dict) else False
    tool["annotations"] = {"readOnlyHint": reads}
    return ""


@asynccontextmanager
async def sifted(transport: AbstractAsyncContextManager[Streams], sieve: Sieve, fatal: Fatal) -> AsyncIterator[Streams]:
    """The transport with the sieve in it."""
    async with transport as (read, write), anyio.create_task_group() as group:
        send, receive = anyio.create_memory_object_stream[SessionMessage | Exception](0)

        async def pump() -> None:
            async with send:
                async for item in read:
                    try:
                        taken = sieve.take(item)
                    except Unbearable as error:
                        fatal(error)
                    await send.send(taken)

        group.start_soon(pump)
        yield receive, write
        group.cancel_scope.cancel()


class Piped:
    """A server that is a child of ours."""

    def __init__(self, argv: Sequence[str], cwd: str, fatal: Fatal) -> None:
        self._argv, self._cwd, self._fatal = argv, cwd, fatal
        self._junk = 0
        self._said = bytearray()

    @asynccontextmanager
    async def transport(self) -> AsyncIterator[Streams]:
        """Raises OSError where it can't be started."""
        pipe = asyncio.subprocess.PIPE
        child = await asyncio.create_subprocess_exec(
            *self._argv, stdin=pipe, stdout=pipe, stderr=pipe, cwd=self._cwd or None, limit=LONGEST
        )
        send, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, receive = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as group:
            group.start_soon(self._listen, child)
            group.start_soon(self._hear, child, send)
            group.start_soon(self._speak, child, receive)
            try:
                yield read, write
            finally:
                with contextlib.suppress(ProcessLookupError):
                    child.terminate()
                group.cancel_scope.cancel()

    async def _hear(self, child: asyncio.subprocess.Process, send: Any) -> None:
        assert child.stdout is not None
        while True:
            try:
                line = await child.stdout.readuntil()
            except asyncio.IncompleteReadError:
                self._fatal(Unbearable(await self._epitaph(child)))
            except asyncio.LimitOverrunError:
                self._fatal(Unbearable(f"it sent a line of over {LONGEST >> 20} MB"))
            try:
                message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
            except (ValueError, RecursionError):
                self._junk += bool(line.strip())
                if self._junk > JUNK:
                    self._fatal(Unbearable(f"it printed over {JUNK} lines that are no messages"))
                continue
            await send.send(SessionMessage(message))

    async def _speak(self, child: asyncio.subprocess.Process, receive: Any) -> None:
        assert child.stdin is not None
        async for item in receive:
            text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                child.stdin.write(text.encode() + b"\n")
                await child.stdin.drain()
            except OSError:
                return  # its end is told by `_hear`

    async def _listen(self, child: asyncio.subprocess.Process) -> None:
        assert child.stderr is not None
        while data := await child.stderr.read(65_536):
            self._said = (self._said + data)[-COMPLAINT:]

    async def _epitaph(self, child: asyncio.subprocess.Process) -> str:
        """How it ended, and the last it said."""
        code: int | None = None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                code = await child.wait()
        lines = self._said.decode("utf-8", "replace").strip().splitlines()
        how = "it closed its output" if code is None else f"it ended with exit code {code}"
        return f"{how}{f': {lines[-1].strip()[:300]}' if lines else ''}"
