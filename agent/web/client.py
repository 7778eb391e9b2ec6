"""Fetches a page of the public web: every step of a redirect is judged anew, and the connection goes where the judged
address is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from agent.errors import ToolError
from agent.ports import Hit, Page
from agent.web.address import resolved
from agent.web.search import Search
from agent.web.transport import fresh

if TYPE_CHECKING:
    import httpx2

REDIRECTS = 5
TOTAL_S = 30.0
CONNECT_S = 10.0
MOVED = (301, 302, 303, 307, 308)
HEADERS = {
    "User-Agent": "Mozilla/5.0 (compatible; Jarvis; reads pages for its user)",
    "Accept": "text/html,application/xhtml+xml,application/json,text/*;q=0.9",
    "Accept-Encoding": "gzip, deflate",
}

Resolve = Callable[[str, int], Awaitable[list[str]]]


class Web:
    """agent.ports.Web. The HTTP client is loaded at the first page. `resolve` and `transport` stand in for the network
    in tests."""

    def __init__(
        self,
        search: Search | None = None,
        resolve: Resolve = resolved,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._search = search
        self._resolve = resolve
        self._transport = transport

    async def search(self, query: str, count: int) -> tuple[Hit, ...]:
        """See agent.ports.Web."""
        if self._search is None:
            raise ToolError("No web search is set up (JARVIS_TOOLS__SEARCH). Go on without it.")
        return await self._search.search(query, count)

    async def fetch(self, url: str, timeout_s: float = TOTAL_S) -> Page:
        """See agent.ports.Web."""
        import httpx2

        try:
            async with asyncio.timeout(min(timeout_s, TOTAL_S)):
                return await self._followed(url)
        except TimeoutError:
            raise ToolError(f"The page did not come within {min(timeout_s, TOTAL_S):.0f} s.") from None
        except httpx2.HTTPError as error:
            raise ToolError(f"The page could not be fetched: {_why(error)}.") from None

    async def _followed(self, url: str) -> Page:
        import httpx2

        transport = self._transport or await fresh()
        limits = httpx2.Timeout(TOTAL_S, connect=CONNECT_S)
        async with httpx2.AsyncClient(transport=transport, timeout=limits, trust_env=False) as client:
            for _ in range(REDIRECTS + 1):
                target = _parsed(url)
                found = await self._one(client, target)
                if isinstance(found, Page):
                    return found
                url = found
        raise ToolError(f"The page was moved more than {REDIRECTS} times: given up at {url[:200]}.")

    async def _one(self, client: httpx2.AsyncClient, target: httpx2.URL) -> Page | str:
        """The page, or where it has moved to."""
        from agent.web.page import page_of

        port = target.port or (443 if target.scheme == "https" else 80)
        address = (await self._resolve(target.host, port))[0]
        request = client.build_request(
            "GET",
            target.copy_with(host=address, fragment=None),
            headers={**HEADERS, "Host": target.netloc.decode("ascii")},
            extensions={"sni_hostname": target.raw_host.decode("ascii")},
        )
        response = await client.send(request, stream=True)
        try:
            where = response.headers.get("location")
            if response.status_code in MOVED and where:
                return str(_joined(target, where))
            return await page_of(str(target), response)
        finally:
            await response.aclose()


def _parsed(url: str) -> httpx2.URL:
    """Raises ToolError for what is no address of a page."""
    import httpx2

    try:
        target = httpx2.URL(url.strip())
    except (httpx2.InvalidURL, ValueError, UnicodeError):
        raise ToolError(f"{url[:200]!r} is no web address. Give one that begins with https://.") from None
    if target.scheme not in ("http", "https") or not target.host:
        raise ToolError("web_fetch reads http and https pages only. For a file of this host use read_file.")
    if target.userinfo:
        raise ToolError("The address holds a user name or a password, which web_fetch sends to nobody. Leave it out.")
    return target


def _joined(base: httpx2.URL, where: str) -> httpx2.URL:
    import httpx2

    try:
        return base.join(where)
    except (httpx2.InvalidURL, ValueError, UnicodeError):
        raise ToolError(f"The page was moved to {where[:200]!r}, which is no web address.") from None


def _why(error: Exception) -> str:
    """What a person makes of it: the library's classes are well named, its texts may hold the pinned address."""
    name = type(error).__name__
    return {
        "ConnectError": "no connection to the server",
        "ConnectTimeout": "the server did not answer the connection",
        "ReadTimeout": "the server fell silent",
        "RemoteProtocolError": "the server broke off",
    }.get(name, name)
