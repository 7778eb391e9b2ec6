"""What a service is built of, and what the settings say of it: the engine's edges, the places of things, the zone."""

from __future__ import annotations

import datetime
import socket
import zoneinfo
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from agent import Clock, Hub, Start, Store
from agent.catalogue import guards, probes, tools
from agent.edges import Edges
from agent.failpoints import reach_of
from agent.guards.policy import Policy
from agent.hearing import Transcriber
from agent.models.chain import Chain, Rest
from agent.opening import Opener, template_of
from agent.ports import Guard, Host, Model, Sandbox, Tool
from agent.probes.usage import UsageProbe
from agent.redact import Redactor
from agent.registry import Registry
from agent.relay import Limits
from agent.sandbox import Unconfined
from agent.settings import Settings
from agent.slots import Slots
from agent.store.past import PastSessions
from agent.tools._custom import CustomTool
from agent.undo import UndoStore
from agent.web import Web, search_for
from agent.window import Window
from agent.workshop import ToolWorkshop
from bot.access import Access, Role
from bot.channel import Channel, Place
from bot.choosing import Choosing
from bot.models import origin, speaker
from bot.modelside import ModelSide
from bot.outbox import Sender
from bot.parked import ParkedNotices
from bot.retries import Retries
from bot.routes import Routes


@dataclass(frozen=True, slots=True)
class Parts:
    """What differs between the bot, the terminal and the demo."""

    channel: Channel
    store: Store
    model: Model
    host: Host
    access: Access
    clock: Clock
    redactor: Redactor
    sandbox: Sandbox = field(default_factory=Unconfined)
    undo: UndoStore | None = None
    user_home: str = ""  # the HOME of commands


def edges_of(settings: Settings, parts: Parts, usage: UsageProbe) -> Edges:
    """The engine's edges as the settings want them."""
    search = search_for(settings.tools.search, settings.tools.search_url, settings.tools.search_key.get_secret_value())
    offered = [tool for tool in tools() if search or tool.name != "web_search"]
    workshop = ToolWorkshop(settings.home, CustomTool, [tool.name for tool in offered])
    registries: list[Registry] = [workshop]
    if settings.tools.mcp:
        registries.append(_servers(settings, parts, offered, workshop))
    window, speak = Window(), speaker(settings, parts.model)
    return Edges(
        journal=parts.store,
        model=speak(""),
        led_by=speak,
        host=parts.host,
        clock=parts.clock,
        screen=parts.redactor,
        opening=_opener(settings, parts, offered, registries, window),
        window=window,
        tools=offered,
        registries=registries,
        workshop=workshop,
        guards=[_for_here(guard, settings, parts) for guard in guards(settings)],
        probes=[usage if probe.name == usage.name else probe for probe in probes()],
        panel=settings.guards.panel,
        mode=settings.run.mode,
        limits=Limits(turns=settings.run.turns, handoffs=settings.run.handoffs),
        confines=parts.sandbox.confines,
        undo=parts.undo,
        web=Web(search),
        past=PastSessions(parts.store),
        tool_timeout_s=settings.run.tool_timeout_s,
        forbidden=(str(settings.home),),
        home=parts.user_home,
        slots=Slots(settings.model.parallel),
        reach=reach_of(settings.failpoint),
    )


def _servers(settings: Settings, parts: Parts, offered: Sequence[Tool], workshop: Registry) -> Registry:
    """The tools of the MCP servers; none has a name of ours or of a custom tool."""
    from agent.mcp.registry import McpRegistry  # with its schemas: who has no server needs none of it

    def taken() -> Iterator[str]:
        yield from (tool.name for tool in (*offered, *workshop.tools()))

    return McpRegistry(settings.tools.mcp, parts.host, parts.clock, taken)


def _opener(
    settings: Settings, parts: Parts, offered: Sequence[Tool], registries: Sequence[Registry], window: Window
) -> Opener:
    return Opener(
        template=template_of(settings.run.prompt_file),
        tools=offered,
        model=parts.model.name,
        panel=settings.guards.panel,
        mode=settings.run.mode,
        host=socket.gethostname(),
        zone=zone_of(settings),
        tier=settings.model.tier,
        context=settings.model.context_tokens,
        box=parts.sandbox.name if parts.sandbox.confines else "",
        window=window,
        more=lambda: [tool for registry in registries for tool in registry.tools()],
    )


def hearing_of(settings: Settings) -> Transcriber | None:
    """What makes words of voice messages, if anything does. The model's key goes to the model's own host alone."""
    url, model = settings.tools.transcribe_url, settings.model
    if not url:
        return None
    return Transcriber(url, model.api_key.get_secret_value() if origin(url) == origin(model.base_url) else "")


def _for_here(guard: Guard, settings: Settings, parts: Parts) -> Guard:
    """The policy as this machine wants it: what is ours, and whether a sandbox works; other guards as they are."""
    if not isinstance(guard, Policy):
        return guard
    ours = dict.fromkeys((str(settings.home), str(settings.home.resolve())))
    private = ("/tmp",) if parts.sandbox.name == "bubblewrap" else ()
    return replace(guard, confines=parts.sandbox.confines, home=parts.user_home, forbidden=tuple(ours), scratch=private)


def model_side(settings: Settings, parts: Parts, hub: Hub, routes: Routes, sender: Sender) -> ModelSide:
    """What a chat can do about the model."""
    store, model = parts.store, parts.model

    def chain(name: str) -> Sequence[Rest]:
        return model.rests(name) if isinstance(model, Chain) else [Rest(model.name, 0.0, "")]

    return ModelSide(
        ParkedNotices(hub, routes, sender, zone_of(settings)),
        Retries(hub, store, routes, sender, parts.clock, start_of(settings, parts.access)),
        Choosing(hub, store, routes, model.name, settings.model.context_tokens, chain),
    )


def question_place(settings: Settings, parts: Parts) -> Callable[[Place, str], Place]:
    """Where a run's questions go: to the ops chat if there is one, else to the run's own chat; but what an operator
    asked for in private goes to the owner in private, who can decide it."""
    chat, _, topic = settings.access.ops_chat.partition(":")

    def where(place: Place, requester: str) -> Place:
        if chat:
            return Place(place.channel, place.bot, parts.access.chat_now(chat), topic)
        person = requester.partition(":")[2]
        role = parts.access.role(int(person)) if person.lstrip("-").isdigit() else None
        private = not place.chat.startswith("-")
        if private and parts.access.owner is not None and (role is None or role < Role.ADMIN):
            return Place(place.channel, place.bot, str(parts.access.owner))
        return place

    return where


def lonely_owner(access: Access) -> Callable[[Place, str], Place | None]:
    """Where the owner is in private, if what a group's run asks can be decided by nobody else."""

    def where(place: Place, requester: str) -> Place | None:
        owner, person = access.owner, requester.partition(":")[2]
        others = {str(admin) for admin in access.admins()} - {person}
        if owner is None or not place.chat.startswith("-") or person == str(owner) or others:
            return None
        return Place(place.channel, place.bot, str(owner))

    return where


def start_of(settings: Settings, access: Access) -> Callable[[Place], Start]:
    """Where a place's legs begin: the workspace, or a folder of the chat's own in it, kept by a group that moves."""

    def start(place: Place) -> Start:
        folder: Path = settings.run.workspace
        if settings.run.workspace_per_chat:
            folder = folder / f"{place.channel}{access.chat_first(place.chat)}"
        folder.mkdir(parents=True, exist_ok=True)
        return Start(str(folder), str(folder))

    return start


def zone_of(settings: Settings) -> datetime.tzinfo:
    if settings.timezone:
        return zoneinfo.ZoneInfo(settings.timezone)
    return datetime.datetime.now().astimezone().tzinfo or datetime.UTC
