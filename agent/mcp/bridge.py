"""One MCP server, spoken to in a process of its own: whatever it sends, it costs this process and nobody else.

Talks with the bot in JSON lines. In: the server's settings, then `{"id", "call", "arguments"}` and `{"cancel": id}`.
Out: `{"tools", "bad"}` once it is up and whenever they change, `{"id", "text", "error"}`, and `{"down": why}` at last.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from typing import Any, NoReturn

import anyio
import mcp_types as types
from anyio.abc import TaskGroup
from mcp import Client, MCPError
from pydantic import ValidationError

from agent.mcp.pipes import Piped, Sieve, Streams, sifted

CONNECT_S = 30.0
PAGES, TOOLS = 50, 128  # of the list
SCHEMA = 32_000  # bytes; larger ones are refused anyway
TEXT = 60_000  # characters of a result
NICE = 5


class Bridge:
    """`run` until the bot or the server has ended."""

    def __init__(self, given: dict[str, Any], lines: asyncio.StreamReader) -> None:
        self._given, self._lines = given, lines
        self._sieve = Sieve()
        self._scopes: dict[int, anyio.CancelScope] = {}
        self._changed = anyio.Event()

    async def run(self) -> None:
        """Ends with the process, or raises whatever the server's end was."""
        info = types.Implementation(name="jarvis", version="1")
        late = asyncio.get_running_loop().call_later(CONNECT_S, down, TimeoutError())
        transport = sifted(self._transport(), self._sieve, down)
        async with Client(transport, client_info=info, cache=None, message_handler=self._heard) as client:
            await self._list(client)
            late.cancel()
            async with anyio.create_task_group() as group:
                group.start_soon(self._relist, client)
                await self._obey(client, group)
                os._exit(0)  # the bot has ended; the keeper sees to the server

    def _transport(self) -> AbstractAsyncContextManager[Streams]:
        given = self._given
        if given.get("url"):
            import httpx2
            from mcp.client.streamable_http import streamable_http_client

            http = httpx2.AsyncClient(headers=given.get("headers") or {}, timeout=httpx2.Timeout(30.0, read=300.0))
            return streamable_http_client(given["url"], http_client=http)
        return Piped([given["command"], *given.get("args", ())], given.get("cwd", ""), down).transport()

    async def _obey(self, client: Client, group: TaskGroup) -> None:
        while line := await self._lines.readline():
            asked = json.loads(line)
            if "cancel" in asked:
                if scope := self._scopes.get(asked["cancel"]):
                    scope.cancel()
            else:
                group.start_soon(self._call, client, asked)

    async def _call(self, client: Client, asked: dict[str, Any]) -> None:
        with anyio.CancelScope() as scope:
            self._scopes[asked["id"]] = scope
            try:
                result = await client.call_tool(asked["call"], asked["arguments"])
                answer = {"text": shown(result), "error": bool(result.is_error)}
            except (MCPError, ValidationError, RuntimeError, TimeoutError) as error:
                answer = {"text": f"The server refused: {brief(error)}", "error": True}
            say({"id": asked["id"], **answer})
        self._scopes.pop(asked["id"], None)

    async def _heard(self, message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._changed.set()

    async def _relist(self, client: Client) -> None:
        while True:
            await self._changed.wait()
            await anyio.sleep(1.0)  # many changes are one
            self._changed = anyio.Event()
            with anyio.move_on_after(CONNECT_S):
                await self._list(client)

    async def _list(self, client: Client) -> None:
        self._sieve.bad.clear()
        tools: list[types.Tool] = []
        cursor: str | None = None
        for _ in range(PAGES):
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
            cursor = page.next_cursor
            if not cursor or len(tools) > TOOLS:
                break
        bad = list(self._sieve.bad)
        if len(tools) > TOOLS:
            bad.append(("", f"it has more than {TOOLS} tools: the first {TOOLS} are offered"))
        entries = [entry(tool) for tool in tools[:TOOLS]]
        large = [each["name"] for each in entries if len(json.dumps(each["schema"])) > SCHEMA]
        bad += [(name, f"its schema has over {SCHEMA} bytes") for name in large]
        say({"tools": [each for each in entries if each["name"] not in large], "bad": bad[:TOOLS]})


def entry(tool: types.Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": (tool.description or "")[:2_000],
        "schema": tool.input_schema,
        "reads": bool(tool.annotations and tool.annotations.read_only_hint),
    }


def shown(result: types.CallToolResult) -> str:
    """A result as text: what isn't text is named."""
    parts = [part for each in result.content for part in _part(each)]
    if (
        not any(isinstance(each, types.TextContent) for each in result.content)
        and result.structured_content is not None
    ):
        parts.append(json.dumps(result.structured_content, ensure_ascii=False))
    text = "\n".join(parts)
    if len(text) <= TEXT:
        return text
    return f"{text[: TEXT * 3 // 4]}\n[... {len(text) - TEXT} characters left out ...]\n{text[-TEXT // 4 :]}"


def _part(content: Any) -> Iterable[str]:
    match content:
        case types.TextContent():
            yield content.text
        case types.ImageContent() | types.AudioContent():
            yield f"[{content.type}, {content.mime_type}, {len(content.data) * 3 // 4} bytes: not shown]"
        case types.EmbeddedResource(resource=types.TextResourceContents() as resource):
            yield f"[{resource.uri}]\n{resource.text}"
        case types.EmbeddedResource() as embedded:
            yield f"[{embedded.resource.uri}: not shown]"
        case types.ResourceLink():
            yield f"[{content.uri}]"


def brief(error: BaseException) -> str:
    """The first line of what it says, without a traceback."""
    if isinstance(error, BaseExceptionGroup):
        return brief(error.exceptions[0])
    lines = str(error).strip().splitlines()
    match error:
        case ValidationError():
            return f"what it sent isn't of the protocol ({error.error_count()} faults)"
        case FileNotFoundError() | PermissionError():
            return f"it can't be started: {error.filename}: {error.strerror}"
        case TimeoutError():
            return f"it didn't answer within {CONNECT_S:.0f} s"
        case _:
            return lines[0][:300] if lines else type(error).__name__


def say(what: dict[str, Any]) -> None:
    data = json.dumps(what).encode() + b"\n"
    while data:
        data = data[os.write(1, data) :]


async def serve() -> None:
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader(limit=16 << 20)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    given = json.loads(await lines.readline())
    try:
        await Bridge(given, lines).run()
    except BaseException as error:  # whatever it is, it is the end of this server and of nothing else
        down(error)


def down(error: BaseException) -> NoReturn:
    """Say why, and end: without a word to the SDK, which would wait for the server."""
    say({"down": brief(error)})
    os._exit(1)


def main() -> None:
    os.nice(NICE)
    asyncio.run(serve())
