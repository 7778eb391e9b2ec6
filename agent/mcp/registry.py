"""The tools of all MCP servers: `agent.registry.Registry`. Nothing is started before somebody asks for the list."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from agent.mcp.configured import configured
from agent.mcp.offered import Offer, offers
from agent.mcp.server import Server
from agent.mcp.tool import McpTool
from agent.ports import Clock, Host, Tool
from agent.registry import News

FIRST_S = 5.0  # that the first request waits for the servers; who is later comes in when it is there
AGAIN_S = 3600.0  # until the same trouble is told anew
SHOWN = 6  # lines of one notice


class McpRegistry:
    """One a process. `taken` gives the names that other tools have at the moment."""

    title = "MCP"

    def __init__(
        self,
        servers: Mapping[str, object],
        host: Host,
        clock: Clock,
        taken: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        good, bad = configured(servers)
        self._servers = [Server(each, host, clock, self._listed) for each in good]
        self._misconfigured = bad
        self._clock, self._taken = clock, taken
        self._tools: dict[Server, tuple[McpTool, ...]] = {}
        self._bad: dict[Server, tuple[tuple[str, str], ...]] = {}
        self._deadline: float | None = None
        self._told: dict[str, float] = {}  # trouble -> when the chat was told of it

    # -- a registry -------------------------------------------------------------------------------------------------
    async def refresh(self) -> None:
        """Wake every server; the first time, give them a few seconds."""
        for server in self._servers:
            server.wake()
        if not self._servers:
            return
        if self._deadline is None:
            self._deadline = self._clock.monotonic() + FIRST_S
        left = self._deadline - self._clock.monotonic()
        if left > 0:
            waits = [asyncio.ensure_future(server.settled()) for server in self._servers]
            await asyncio.wait(waits, timeout=left)
            for wait in waits:
                wait.cancel()

    def tools(self) -> Sequence[Tool]:
        taken = set(self._taken())
        return [tool for tools in self._tools.values() for tool in tools if tool.name not in taken]

    def news(self) -> Sequence[News]:
        """Each trouble once, and again only after a long while."""
        if self._deadline is None:
            return []
        now = self._clock.monotonic()
        self._told = {line: at for line, at in self._told.items() if now - at < AGAIN_S}
        lines = [f"{name}: {why}" for name, why in self._servers_troubles()]
        lines += [line for server, bad in self._bad.items() if (line := _left_out(server.configured.name, bad))]
        fresh = [line for line in lines if line not in self._told]
        self._told |= dict.fromkeys(fresh, now)
        if not fresh:
            return []
        more = f"\nand {len(fresh) - SHOWN} more; /tools shows them" if len(fresh) > SHOWN else ""
        text = "Trouble with MCP servers:\n" + "\n".join(fresh[:SHOWN]) + more
        return [News(hashlib.sha256(text.encode()).hexdigest()[:24], text)]

    async def told(self, news: Sequence[News]) -> None:
        """Nothing is kept: after a restart what is still wrong is told once more."""

    def troubles(self) -> Sequence[tuple[str, str]]:
        tools = [(server.configured.name, each) for server, bad in self._bad.items() for each in bad]
        return [*self._servers_troubles(), *((f"{name}: {tool}" if tool else name, why) for name, (tool, why) in tools)]

    async def close(self) -> None:
        """End all servers."""
        await asyncio.gather(*(server.close() for server in self._servers))

    # -- what befalls the servers -----------------------------------------------------------------------------------
    def _listed(self, server: Server, tools: Sequence[Mapping[str, Any]], bad: Sequence[tuple[str, str]]) -> None:
        others = {tool.name for other, held in self._tools.items() if other is not server for tool in held}
        offered, unfit = offers(server.configured, tools, {*others, *self._taken()})
        old = {tool.offer: tool for tool in self._tools.get(server, ())}
        self._tools[server] = tuple(old.get(offer) or McpTool(server, offer) for offer in _in_order(offered, old))
        self._bad[server] = (*bad, *unfit)

    def _servers_troubles(self) -> list[tuple[str, str]]:
        out = list(self._misconfigured)
        late = self._deadline is not None and self._clock.monotonic() >= self._deadline
        for server in self._servers:
            name = server.configured.name
            if server.down and not server.up:
                out.append((name, f"it is down: {server.down}"))
            elif late and not server.up:
                out.append((name, "it has not answered yet"))
        return out


def _left_out(name: str, bad: Sequence[tuple[str, str]]) -> str:
    """One line about those of a server's tools that can't be offered; "" if there are none."""
    if len(bad) == 1:
        return f"{name}: {bad[0][0]}: {bad[0][1]}" if bad[0][0] else f"{name}: {bad[0][1]}"
    names = ", ".join(tool or "…" for tool, _ in bad[:SHOWN])
    return f"{name}: {len(bad)} tools are left out ({names}{', …' if len(bad) > SHOWN else ''})" if bad else ""


def _in_order(offered: Sequence[Offer], old: Mapping[Offer, McpTool]) -> list[Offer]:
    """Those that were there before first, as they stood: a new tool is appended."""
    stay = [offer for offer in old if offer in offered]
    return [*stay, *(offer for offer in offered if offer not in old)]
