"""web_search: the providers' answers, good and bad, over a SearXNG-shaped server on loopback and a fake transport."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from agent.errors import ConfigError, ToolError
from agent.steps import Outcome
from agent.tools.web_search import WebSearch, tool
from agent.web import Search, Web, search_for
from agent.web.body import MOST_BYTES
from tests.fakes.calls import context

ROWS = [{"title": f"Title {n}", "url": f"https://a.example/{n}", "content": f"text  {n}"} for n in range(9)]


@asynccontextmanager
async def searxng(body: bytes) -> AsyncIterator[tuple[str, list[str]]]:
    """A server on loopback that answers every request with `body`; gives its address and the requests' first lines."""
    asked: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0].decode())
        writer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", asked


async def test_a_searxng_of_ones_own() -> None:
    async with searxng(json.dumps({"results": ROWS}).encode()) as (url, asked):
        found = search_for("searxng", url)
        result = await tool.run(context(Path("/"), web=Web(found)), WebSearch(query="disk full äö", count=2))
    assert asked == ["GET /search?q=disk+full+%C3%A4%C3%B6&format=json HTTP/1.1"]
    assert result.text.splitlines()[1:4] == ["1. Title 0", "   https://a.example/0", "   text 0"]
    assert result.details == "2 hits"
    assert "Untrusted" in result.text


@pytest.mark.parametrize("body", [b"{}", b"[]", b'{"results": null}', b'{"results": [null, 3]}'])
async def test_nothing_found(body: bytes) -> None:
    async with searxng(body) as (url, _):
        result = await tool.run(context(Path("/"), web=Web(search_for("searxng", url))), WebSearch(query="x"))
    assert result.outcome is Outcome.ANSWERED_NO


@pytest.mark.parametrize("body", [b"<html>", b"", b"\xff"])
async def test_an_answer_that_is_no_json_is_told(body: bytes) -> None:
    async with searxng(body) as (url, _):
        with pytest.raises(ToolError, match="failed"):
            await tool.run(context(Path("/"), web=Web(search_for("searxng", url))), WebSearch(query="x"))


async def test_brave_and_its_key() -> None:
    seen: list[httpx2.Request] = []

    def handler(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        rows = [{"title": "T", "url": "https://a.example", "description": "D"}]
        return httpx2.Response(200, stream=httpx2.ByteStream(json.dumps({"web": {"results": rows}}).encode()))

    found = search_for("brave", "", "key-1", httpx2.MockTransport(handler))
    assert found is not None
    assert [hit.text for hit in await found.search("x", 3)] == ["D"]
    assert seen[0].headers["X-Subscription-Token"] == "key-1"


async def test_a_refusal_is_told_without_the_key() -> None:
    found = search_for("brave", "", "key-1", httpx2.MockTransport(lambda request: httpx2.Response(403, text="key-1")))
    assert found is not None
    with pytest.raises(ToolError) as told:
        await found.search("x", 3)
    assert "403" in str(told.value)
    assert "key-1" not in str(told.value)


async def test_an_answer_without_end_is_cut() -> None:
    async with searxng(b"[" * (MOST_BYTES + 1)) as (url, _):
        with pytest.raises(ToolError, match="more than"):
            await tool.run(context(Path("/"), web=Web(search_for("searxng", url))), WebSearch(query="x"))


async def test_a_provider_that_raises_is_one_sentence() -> None:
    async def broken(query: str, count: int) -> list[object]:
        raise KeyError("inside")

    with pytest.raises(ToolError, match="KeyError"):
        await Search("X", broken).search("x", 1)  # type: ignore[arg-type]


@pytest.mark.parametrize("provider", ["searxng", "brave"])
def test_what_is_missing_is_named(provider: str) -> None:
    with pytest.raises(ConfigError, match="JARVIS_TOOLS__SEARCH_"):
        search_for(provider, "")


def test_no_search() -> None:
    assert search_for("none", "") is None
