"""The root of the bot: the one place that wires settings, edges, engine and channel together."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import gc
import logging
import os
import signal
import socket
import threading
import uuid
import zoneinfo
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agent import Clock, Hub, Outgoing, Start, Store
from agent.catalogue import guards, probes, tools
from agent.clock import SystemClock
from agent.edges import Edges
from agent.failpoints import reach_of
from agent.host.local import LocalHost
from agent.models.chat import ModelSettings, OpenAIChat
from agent.opening import opener
from agent.ports import Host, Model
from agent.redact import Redactor
from agent.relay import Limits
from agent.settings import Settings, secrets
from bot import words
from bot.access import Access, trusted_everywhere
from bot.channel import Channel, Place
from bot.commands import About, Commands
from bot.desk import Desk
from bot.markup import letters, plain
from bot.outbox import Sender, encode
from bot.progress import Progress
from bot.projector import Projector
from bot.routes import Routes
from bot.words import COMMANDS

logger = logging.getLogger(__name__)

DRAIN_S = 6.0  # for commands to come to their end at a shutdown
FLUSH_S = 2.0  # for messages on their way out


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


def edges_of(settings: Settings, parts: Parts) -> Edges:
    """The engine's edges as the settings want them."""
    offered = tools()
    opening = opener(
        prompt=settings.run.prompt_file,
        tools=offered,
        model=parts.model.name,
        panel=settings.guards.panel,
        mode=settings.run.mode,
        host=socket.gethostname(),
        zone=zone_of(settings),
    )
    return Edges(
        journal=parts.store,
        model=parts.model,
        host=parts.host,
        clock=parts.clock,
        screen=parts.redactor,
        opening=opening,
        tools=offered,
        guards=guards(settings),
        probes=probes(),
        panel=settings.guards.panel,
        mode=settings.run.mode,
        limits=Limits(turns=settings.run.turns),
        tool_timeout_s=settings.run.tool_timeout_s,
        forbidden=(str(settings.home),),
        parallel=asyncio.Semaphore(settings.model.parallel),
        reach=reach_of(settings.failpoint),
    )


class Service:
    """One channel over the engine, from the first poll to the last flush."""

    def __init__(self, settings: Settings, parts: Parts, warnings: Sequence[str] = ()) -> None:
        self._parts, self._reach = parts, reach_of(settings.failpoint)
        channel, store, clock = parts.channel, parts.store, parts.clock
        self.hub = Hub(edges_of(settings, parts), boot=uuid.uuid4().hex[:12])
        self.routes = Routes(store, clock)
        self.sender = Sender(store, channel, clock, reach=self._reach, on_unreachable=self.tell_owner)
        self.projector = Projector(store, self.routes, self.sender, clock, zone_of(settings))
        self.progress = Progress(self.routes, self.sender, clock, settings.run.turns)
        self.hub.watchers += [self.projector.watch, self.progress.watch]
        about = About(settings.run.mode, settings.model.name or parts.model.name, settings.run.turns, tuple(warnings))
        self.desk = Desk(
            channel,
            store,
            self.hub,
            self.routes,
            self.sender,
            Commands(self.hub, self.routes, channel, self.sender, clock, about),
            parts.access,
            clock,
            start_of(settings),
            settings.run.stale_after_s,
            self._reach,
        )

    async def tell_owner(self, place: Place, why: str, moved_to: str) -> None:
        """A chat can't be written to: follow it where it moved, else say so to the owner in private."""
        if moved_to:
            await self.routes.moved(place, replace(place, chat=moved_to))
            return
        owner = str(self._parts.access.owner)
        if place.chat == owner:
            return
        home = Place(place.channel, place.bot, owner)
        (letter,) = plain(words.unreachable(place.chat, why))[:1]
        key = f"unreachable:{place.chat}:{int(self._parts.clock.now())}"
        row = Outgoing(key=key, chat=owner, body=encode(home, letter), role="notice")
        self.sender.deliver(await self._parts.store.project("desk", 0, [row]))

    async def pick_up(self) -> None:
        """Whatever a predecessor left: answers not yet projected, runs not yet ended, updates not yet handled."""
        store = self._parts.store
        unfinished = await store.unfinished()
        await self.sender.resume()
        await self.projector.catch_up(unfinished)
        for session in unfinished:
            if place := await self.routes.place_of(session):
                self.progress.restore(session, place, await store.read(session))
        await self.hub.start()
        await self.desk.resume()

    async def serve(self, stopped: asyncio.Event) -> None:
        """Until `stopped` is set or the channel ends by itself. Raises TokenRefused, StoreError."""
        channel = self._parts.channel
        await channel.connect()
        await self.pick_up()
        listening = asyncio.create_task(channel.listen(self.desk.intake), name="listen")
        menu = asyncio.create_task(channel.announce_commands(COMMANDS), name="menu")
        stopping = asyncio.create_task(stopped.wait(), name="stop")
        try:
            await asyncio.wait({listening, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if listening.done():
                await listening
                await self.finish_up()
        finally:
            for task in (listening, menu, stopping):
                task.cancel()
            await asyncio.gather(listening, menu, stopping, return_exceptions=True)
            await self.close()

    async def finish_up(self) -> None:
        """When the input has ended (a terminal's end of file): wait for the runs that it began."""
        await self.desk.idle()
        while self.hub.busy():
            await self._parts.clock.sleep(0.02)

    async def close(self) -> None:
        await self.hub.close(DRAIN_S)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_S):
                await self.projector.idle()
        await self.sender.flush(FLUSH_S)
        await self.sender.close()
        await self._parts.channel.close()


async def run_bot(settings: Settings, environ: dict[str, str], warnings: Sequence[str]) -> None:
    """`jarvis run`. Raises JarvisError with the exit code that belongs to it."""
    from agent.store.sqlite import SqliteStore

    gc.disable()
    clock, redactor = SystemClock(), Redactor(secrets(settings))
    model = OpenAIChat(model_settings(settings), clock)
    threading.Thread(target=warm, args=[model], name="warm", daemon=True).start()
    from bot.channels.telegram import TelegramChannel  # half of the start's time: it overlaps with the line above

    token = settings.telegram.token.get_secret_value()
    channel = TelegramChannel(token, settings.telegram.api_url, clock, reach=reach_of(settings.failpoint))
    store = SqliteStore(settings.home / "jarvis.db")
    await store.open()
    host = LocalHost(str(settings.home), environ, redactor)
    parts = Parts(channel, store, model, host, access_of(settings), clock, redactor)
    try:
        await Service(settings, parts, [*warnings, *root_warning()]).serve(on_signal())
    finally:
        await host.close()
        await store.close()
        await model.close()


def warm(model: OpenAIChat) -> None:
    """Load what the first answer needs, beside everything else: half a second of imports.

    The collector is off until then (see `run_bot`): it would walk the same growing heap of modules again and again.
    """
    model.warm()
    letters("warm")
    gc.collect()
    gc.freeze()
    gc.enable()


async def run_chat(settings: Settings, environ: dict[str, str], warnings: Sequence[str]) -> None:
    """`jarvis chat`: the same core in the terminal. Raises JarvisError."""
    from agent.store.sqlite import SqliteStore
    from bot.channels.console import ConsoleChannel

    clock, redactor = SystemClock(), Redactor(secrets(settings))
    store, model = SqliteStore(settings.home / "jarvis.db"), OpenAIChat(model_settings(settings), clock)
    await store.open()
    host = LocalHost(str(settings.home), environ, redactor)
    parts = Parts(ConsoleChannel(clock), store, model, host, trusted_everywhere(), clock, redactor)
    try:
        await Service(settings, parts, warnings).serve(on_signal())
    finally:
        await host.close()
        await store.close()
        await model.close()


def on_signal() -> asyncio.Event:
    """Set at the first SIGTERM or SIGINT."""
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    return stopped


def root_warning() -> list[str]:
    return ["I run as root: every command does too. A user of my own is safer."] if os.geteuid() == 0 else []


def model_settings(settings: Settings) -> ModelSettings:
    model = settings.model
    return ModelSettings(
        base_url=model.base_url,
        name=model.name,
        api_key=model.api_key.get_secret_value(),
        first_byte_timeout_s=model.first_byte_timeout_s,
        idle_timeout_s=model.idle_timeout_s,
        total_timeout_s=model.total_timeout_s,
    )


def access_of(settings: Settings) -> Access:
    access = settings.access
    return Access(
        owner=access.owner,
        admins=frozenset(access.admins),
        operators=frozenset(access.operators),
        viewers=frozenset(access.viewers),
        chats=frozenset(str(chat) for chat in access.chats),
    )


def start_of(settings: Settings) -> Callable[[Place], Start]:
    """Where a place's legs begin: the workspace, or a folder of the chat's own in it."""

    def start(place: Place) -> Start:
        folder: Path = settings.run.workspace
        if settings.run.workspace_per_chat:
            folder = folder / f"{place.channel}{place.chat}"
        folder.mkdir(parents=True, exist_ok=True)
        return Start(str(folder), str(folder))

    return start


def zone_of(settings: Settings) -> datetime.tzinfo:
    if settings.timezone:
        return zoneinfo.ZoneInfo(settings.timezone)
    return datetime.datetime.now().astimezone().tzinfo or datetime.UTC


if __name__ == "__main__":
    from bot.cli import main

    main()
