"""What the engine stands on: one bundle of ports and settings, wired at the root and shared by all sessions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from agent.panel import Panel
from agent.ports import Clock, Errand, Guard, Host, Journal, Model, Past, Probe, Reach, Result, Screen, Tool, Undo, Web
from agent.registry import Registry, Workshop
from agent.relay import Limits
from agent.slots import Slots
from agent.steps import Opened
from agent.window import Window

if TYPE_CHECKING:
    from agent.session import Session

    Spawner = Callable[[Session, str, Errand], Awaitable[Result]]  # for the call of that id


@dataclass(frozen=True, slots=True)
class Place:
    """Where a leg begins: absolute paths."""

    workspace: str
    cwd: str


class Opening(Protocol):
    def __call__(self, session: str, place: Place, at: float, model: str = "", context: int = 0) -> Opened:
        """The Opened of a new leg at wall time `at`: for another model than the settings' where one is named, and for a
        context of fewer tokens than is known where `context` is fewer."""


@dataclass(slots=True)
class Edges:
    """`opening` builds the Opened of a new leg; `window` is what was learnt of the models' contexts; `led_by` gives the
    model that asks the one of this name first."""

    journal: Journal
    model: Model
    host: Host
    clock: Clock
    screen: Screen
    opening: Opening
    tools: Sequence[Tool] = ()
    registries: Sequence[Registry] = ()
    workshop: Workshop | None = None  # also among the registries
    guards: Sequence[Guard] = ()
    probes: Sequence[Probe] = ()
    panel: str = "ours"
    mode: str = "full"  # the standing one
    confines: bool = False  # whether there is a sandbox that works
    undo: Undo | None = None
    web: Web | None = None
    past: Past | None = None
    spawn: Spawner | None = None  # set by the hub
    limits: Limits = field(default_factory=Limits)
    tool_timeout_s: float = 300.0
    forbidden: tuple[str, ...] = ()
    slots: Slots = field(default_factory=lambda: Slots(4))
    home: str = ""  # the HOME of commands
    reach: Reach = lambda name: None
    window: Window = field(default_factory=Window)
    led_by: Callable[[str], Model] | None = None

    def fresh_panel(self) -> Panel:
        return Panel(self.guards, self.panel)

    def speaker(self, name: str) -> Model:
        """Whom to ask: the settings' own model, or the one that a chat chose by name."""
        return self.led_by(name) if name and self.led_by else self.model

    def leg(self, session: str, place: Place, at: float, chosen: str, context: int = 0) -> Opened:
        """The Opened of a new leg, with the model that the chat chose, "" for the settings' own; `context` as above."""
        return self.opening(session, place, at, chosen, context)

    def tool(self, name: str) -> Tool | None:
        return next((tool for tool in self.everything() if tool.name == name), None)

    def everything(self) -> Iterator[Tool]:
        """All tools there are at this moment, those of ours first: nothing else can take their names."""
        yield from self.tools
        for registry in self.registries:
            yield from registry.tools()

    def probe(self, name: str) -> Probe | None:
        return next((probe for probe in self.probes if probe.name == name), None)
