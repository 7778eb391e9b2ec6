"""A very small HTTP/1.1 server on loopback that can also misbehave on purpose: reset, cut short, drip, hang.

h11 knows the protocol; a handler turns a `Request` into a `Reply` or a `Stream`. It is cancelled when the client goes
away while it waits, so that a dead client's long poll takes no updates with it.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import parse_qsl, unquote, urlsplit

import h11

CHUNK = 65536  # bytes a read
NO_LINGER = struct.pack("ii", 1, 0)


class Reset(Exception):
    """Raised by a handler or a stream: the peer gets a TCP reset."""


class Cut(Exception):
    """Raised by a stream: the connection is closed politely, without the terminating chunk."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file in a multipart form."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Form:
    fields: dict[str, str] = field(default_factory=dict)
    files: dict[str, Upload] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """Header names are in lower case; `path` is without the query."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def form(self) -> Form:
        """The fields of an urlencoded or multipart body; empty for other types."""
        if self.content_type == "application/x-www-form-urlencoded":
            return Form(dict(parse_qsl(self.body.decode(), keep_blank_values=True)))
        boundary = re.search(r'boundary="?([^";]+)', self.headers.get("content-type", ""))
        if self.content_type != "multipart/form-data" or boundary is None:
            return Form()
        return _multipart(self.body, boundary[1].encode())


def _multipart(body: bytes, boundary: bytes) -> Form:
    form = Form()
    for part in (b"\r\n" + body).split(b"\r\n--" + boundary)[1:-1]:
        head, _, data = part.partition(b"\r\n\r\n")
        named = dict(re.findall(r'(name|filename)="([^"]*)"', head.decode()))
        if "filename" in named:
            form.files[named["name"]] = Upload(named["filename"], data)
        else:
            form.fields[named["name"]] = data.decode()
    return form


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stream:
    """A chunked answer: what the iterator yields goes out at once; it may raise Reset or Cut."""

    chunks: AsyncIterator[bytes]
    content_type: str = "text/event-stream"


Handler = Callable[[Request], Awaitable[Reply | Stream]]


def json_reply(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(status, json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"), headers=headers or {})


class Server:
    """Listens on a free port of 127.0.0.1 from `start()` to `stop()`."""

    def __init__(self, handler: Handler) -> None:
        self.port = 0
        self._handler = handler
        self.crashes: list[BaseException] = []  # of handlers: a bug of the fake or of a test's policy
        self._tasks: set[asyncio.Task[None]] = set()
        self._listener: asyncio.Server | None = None

    async def start(self, port: int = 0) -> Self:
        self._listener = await asyncio.start_server(self._accept, "127.0.0.1", port, backlog=1024)
        self.port = self._listener.sockets[0].getsockname()[1]
        return self

    async def stop(self) -> None:
        """Close the door and every open connection."""
        if self._listener:
            self._listener.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(_Connection(self._handler, reader, writer).run())
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (crash := task.exception()):
            self.crashes.append(crash)


class _Connection:
    def __init__(self, handler: Handler, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._handler, self._reader, self._writer = handler, reader, writer
        self._http = h11.Connection(h11.SERVER)
        self._news = asyncio.Event()

    async def run(self) -> None:
        """Answer requests until the client leaves or an answer ends the connection."""
        pump = asyncio.create_task(self._pump())
        try:
            while (request := await self._next()) and await self._answer(request, pump):
                self._http.start_next_cycle()
        except (ConnectionError, h11.ProtocolError):
            pass  # a client that goes away in the middle is part of the game
        finally:
            pump.cancel()
            self._writer.close()

    async def _pump(self) -> None:
        try:
            while data := await self._reader.read(CHUNK):
                self._http.receive_data(data)
                self._news.set()
        except ConnectionError:
            pass
        self._http.receive_data(b"")
        self._news.set()

    async def _next(self) -> Request | None:
        head: h11.Request | None = None
        body = bytearray()
        while True:
            match self._http.next_event():
                case h11.NEED_DATA:
                    self._news.clear()
                    await self._news.wait()
                case h11.Request() as event:
                    head = event
                case h11.Data() as piece:
                    body += piece.data
                case h11.EndOfMessage() if head:
                    return _request(head, bytes(body))
                case _:
                    return None

    async def _answer(self, request: Request, pump: asyncio.Task[None]) -> bool:
        # A request that came whole is carried out even if its sender is dead by now: what needs no waiting is done.
        work = asyncio.create_task(self._work(request))
        try:
            await asyncio.wait({work, pump}, return_when=asyncio.FIRST_COMPLETED)
            return work.done() and work.result()
        finally:
            work.cancel()
            await asyncio.wait({work})

    async def _work(self, request: Request) -> bool:
        """Whether the connection can serve another request."""
        try:
            answer = await self._handler(request)
            if isinstance(answer, Reply):
                await self._whole(answer)
            else:
                await self._chunked(answer)
        except Cut:
            return False
        except Reset:
            self._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
            self._writer.transport.abort()
            return False
        return self._http.our_state is h11.DONE

    async def _whole(self, reply: Reply) -> None:
        headers = {"Content-Type": reply.content_type, "Content-Length": str(len(reply.body)), **reply.headers}
        await self._send(
            h11.Response(status_code=reply.status, headers=list(headers.items())),
            h11.Data(data=reply.body),
            h11.EndOfMessage(),
        )

    async def _chunked(self, stream: Stream) -> None:
        headers = [("Content-Type", stream.content_type), ("Transfer-Encoding", "chunked")]
        await self._send(h11.Response(status_code=200, headers=headers))
        async for chunk in stream.chunks:
            await self._send(h11.Data(data=chunk))
        await self._send(h11.EndOfMessage())

    async def _send(self, *events: h11.Response | h11.Data | h11.EndOfMessage) -> None:
        self._writer.write(b"".join(self._http.send(event) or b"" for event in events))
        await self._writer.drain()


def _request(head: h11.Request, body: bytes) -> Request:
    url = urlsplit(head.target.decode())
    headers = {name.decode(): value.decode("latin-1") for name, value in head.headers}
    return Request(head.method.decode(), unquote(url.path), dict(parse_qsl(url.query)), headers, body)
