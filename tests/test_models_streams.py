"""The HTTP stream ends with its consumer, and its connection is used again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import httpx2
import pytest

from agent.models.chat import ModelSettings, OpenAIChat
from tests.fakes.clock import HandClock
from tests.models_wire import ASK, Play, chunk, collect, serving, text_chunks


@pytest.mark.parametrize("way", ["close", "cancel"])
async def test_the_stream_is_closed_when_the_consumer_leaves(way: str) -> None:
    async with serving(Play([chunk({"content": "Hel"}), 60.0])) as (model, endpoint):
        begun = asyncio.Event()

        async def consume() -> None:
            async with aclosing(model.reply(ASK, ())) as items:
                async for _ in items:
                    begun.set()
                    if way == "close":
                        return

        task = asyncio.create_task(consume())
        await begun.wait()
        if way == "cancel":
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        await asyncio.wait_for(endpoint.left.wait(), 5)


class Watched(httpx2.AsyncByteStream):
    """A stream that knows whether it was closed."""

    closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            yield chunk({"content": "Hel"})

    async def aclose(self) -> None:
        self.closed = True


async def test_the_stream_is_closed_by_the_time_that_the_generator_is() -> None:
    stream = Watched()
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200, stream=stream))
    model = OpenAIChat(ModelSettings("http://m/v1", "m-1"), HandClock(), transport)
    items = model.reply(ASK, ())
    await anext(items)
    assert not stream.closed
    await items.aclose()
    assert stream.closed
    await model.close()


async def test_a_connection_is_used_again() -> None:
    connections = []

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)
        while head := await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b"":
            await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split(b"\r")[0]))
            body = b"".join(text_chunks("Hello"))
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))

    async with await asyncio.start_server(accept, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        model = OpenAIChat(ModelSettings(url, "m-1"), HandClock())
        said = [(await collect(model))[1].text for _ in range(3)]
        await model.close()
        for writer in connections:
            writer.close()
            await writer.wait_closed()
    assert said == ["Hello"] * 3
    assert len(connections) == 1
