"""What the engine stands on: one bundle of ports and settings, wired at the root and shared by all sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from agent.panel import Panel
from agent.ports import Clock, Guard, Host, Journal, Model, Probe, Reach, Screen, Tool, Undo
from agent.relay import Limits
from agent.steps import Opened


@dataclass(frozen=True, slots=True)
class Place:
    """Where a leg begins: absolute paths."""

    workspace: str
    cwd: str


@dataclass(slots=True)
class Edges:
    """`opening` builds the Opened of a new leg from the session id, the place and the wall time."""

    journal: Journal
    model: Model
    host: Host
    clock: Clock
    screen: Screen
    opening: Callable[[str, Place, float], Opened]
    tools: Sequence[Tool] = ()
    guards: Sequence[Guard] = ()
    probes: Sequence[Probe] = ()
    panel: str = "ours"
    mode: str = "full"  # the standing one
    confines: bool = False  # whether there is a sandbox that works
    undo: Undo | None = None
    limits: Limits = field(default_factory=Limits)
    tool_timeout_s: float = 300.0
    forbidden: tuple[str, ...] = ()
    parallel: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(4))
    reach: Reach = lambda name: None

    def fresh_panel(self) -> Panel:
        return Panel(self.guards, self.panel)

    def tool(self, name: str) -> Tool | None:
        return next((tool for tool in self.tools if tool.name == name), None)

    def probe(self, name: str) -> Probe | None:
        return next((probe for probe in self.probes if probe.name == name), None)
