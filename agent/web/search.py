"""Web search by the provider of the settings: a SearXNG of one's own, Brave, or DuckDuckGo by the ddgs library."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from agent.errors import ConfigError, ToolError
from agent.ports import Hit
from agent.web.body import MOST_BYTES, received
from agent.web.transport import fresh

if TYPE_CHECKING:
    import httpx2

TIMEOUT_S = 20.0
BRAVE = "https://api.search.brave.com/res/v1/web/search"

Ask = Callable[[str, int], Awaitable[list[Hit]]]


class Search:
    """A provider. `ask` raises what it likes; whoever searches gets a ToolError."""

    def __init__(self, name: str, ask: Ask) -> None:
        self.name = name
        self._ask = ask

    async def search(self, query: str, count: int) -> tuple[Hit, ...]:
        """At most `count` hits. Raises ToolError."""
        try:
            async with asyncio.timeout(TIMEOUT_S):
                return tuple((await self._ask(query, count))[:count])
        except ToolError:
            raise
        except TimeoutError:
            raise ToolError(f"The search by {self.name} did not answer within {TIMEOUT_S:.0f} s.") from None
        except Exception as error:
            # The text of an error may hold the request with its key.
            raise ToolError(f"The search by {self.name} failed ({type(error).__name__}). Go on without it.") from None


def search_for(
    provider: str, url: str, key: str = "", transport: httpx2.AsyncBaseTransport | None = None
) -> Search | None:
    """The search that the settings ask for; None for `none`. Raises ConfigError where something is missing."""
    match provider:
        case "searxng" if url:
            return Search("SearXNG", lambda query, count: _searxng(url, query, transport))
        case "searxng":
            raise ConfigError(
                "JARVIS_TOOLS__SEARCH=searxng needs JARVIS_TOOLS__SEARCH_URL, the address of your SearXNG."
            )
        case "brave" if key:
            return Search("Brave", lambda query, count: _brave(url or BRAVE, key, query, count, transport))
        case "brave":
            raise ConfigError(
                "JARVIS_TOOLS__SEARCH=brave needs JARVIS_TOOLS__SEARCH_KEY, the key of your Brave account."
            )
        case "ddgs":
            return Search("DuckDuckGo", _ddgs)
        case _:
            return None


async def _searxng(url: str, query: str, transport: httpx2.AsyncBaseTransport | None) -> list[Hit]:
    """SearXNG's own format (docs.searxng.org, Search API): it must have `json` among its formats."""
    address = url if url.rstrip("/").endswith("/search") else url.rstrip("/") + "/search"
    found = await _json(address, {"q": query, "format": "json"}, {}, transport)
    return [Hit(_text(r, "title"), _text(r, "url"), _text(r, "content")) for r in _rows(found, "results")]


async def _brave(url: str, key: str, query: str, count: int, transport: httpx2.AsyncBaseTransport | None) -> list[Hit]:
    found = await _json(url, {"q": query, "count": str(count)}, {"X-Subscription-Token": key}, transport)
    rows = _rows(found.get("web"), "results")
    return [Hit(_text(row, "title"), _text(row, "url"), _text(row, "description")) for row in rows]


async def _ddgs(query: str, count: int) -> list[Hit]:
    def work() -> list[Hit]:
        try:
            from ddgs import DDGS  # type: ignore[import-not-found,unused-ignore]
        except ImportError:
            raise ToolError("Web search is set to ddgs, which isn't installed: run `pip install ddgs`.") from None
        rows = DDGS(timeout=int(TIMEOUT_S)).text(query, max_results=count)
        return [Hit(_text(row, "title"), _text(row, "href"), _text(row, "body")) for row in rows]

    return await asyncio.to_thread(work)


async def _json(
    url: str, params: dict[str, str], headers: dict[str, str], transport: httpx2.AsyncBaseTransport | None
) -> dict[str, Any]:
    import json

    import httpx2

    headers = {"Accept": "application/json", "Accept-Encoding": "gzip, deflate", **headers}
    async with (
        httpx2.AsyncClient(transport=transport or await fresh(), timeout=TIMEOUT_S, trust_env=False) as client,
        client.stream("GET", url, params=params, headers=headers) as reply,
    ):
        if reply.status_code != 200:
            raise ToolError(f"The search answered with status {reply.status_code}. Go on without it.")
        body, cut = await received(reply.aiter_raw(), reply.headers.get("content-encoding", ""))
    if cut:
        raise ToolError(f"The search answered with more than {MOST_BYTES:,} bytes. Go on without it.")
    found = json.loads(body)
    return found if isinstance(found, dict) else {}


def _rows(found: Any, name: str) -> list[dict[str, Any]]:
    rows = found.get(name) if isinstance(found, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _text(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    return " ".join(value.split())[:500] if isinstance(value, str) else ""
