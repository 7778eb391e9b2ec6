"""One channel over the engine, wired from its parts and the settings, from the first poll to the last flush."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import uuid
from collections.abc import Sequence
from dataclasses import replace

from agent import Hub, Outgoing
from agent.failpoints import reach_of
from agent.probes.usage import UsageProbe
from agent.registry import Closing
from agent.settings import Settings
from bot import words
from bot.approvals import Approvals
from bot.background import Background
from bot.channel import Place, Received
from bot.control import Control
from bot.desk import Desk
from bot.gate import Gate
from bot.incoming import Incoming
from bot.languages import Languages
from bot.markup import plain
from bot.menus import Menus
from bot.moving import Moves
from bot.names import Names
from bot.notices import Notices
from bot.outbox import Sender, encode
from bot.parts import Parts, edges_of, hearing_of, lonely_owner, model_side, question_place, start_of, zone_of
from bot.preferences import Preferences
from bot.progress import Progress
from bot.projector import Projector
from bot.retention import Retention
from bot.routes import Routes
from bot.streams import Streams, both
from bot.verbosity import Verbosity
from bot.wiring import board_of, status_of

logger = logging.getLogger(__name__)

DRAIN_S = 6.0  # for commands to come to their end at a shutdown
FLUSH_S = 2.0  # for messages on their way out


class Service:
    """One channel over the engine, from the first poll to the last flush."""

    def __init__(self, settings: Settings, parts: Parts, warnings: Sequence[str] = ()) -> None:
        self._settings, self._parts, self._reach = settings, parts, reach_of(settings.failpoint)
        channel, store, clock = parts.channel, parts.store, parts.clock
        self.usage = UsageProbe(clock.now, zone_of(settings))
        self.hub = Hub(edges_of(settings, parts, self.usage), boot=uuid.uuid4().hex[:12])
        self.routes = Routes(store, clock)
        self.sender = Sender(store, channel, clock, reach=self._reach, on_unreachable=self.tell_owner)
        self.projector = Projector(store, self.routes, self.sender, clock)
        self.progress = Progress(
            self.routes, self.sender, clock, settings.run.turns, zone_of(settings), parts.model.name
        )
        self.preferences = Preferences(store, clock)
        self.languages = tongue = Languages(self.preferences, self.routes)
        self.names = Names(self.preferences)
        self.streams = Streams(self.routes, self.sender, clock, parts.redactor.partial)
        self.hub.on_delta = both(tongue.hearing(self.progress.hear), self.streams.hear)
        where = question_place(settings, parts)
        self.approvals = Approvals(store, self.hub, self.sender, clock, where)
        self.approvals.alone = lonely_owner(parts.access)
        self.moves = Moves(parts.access, self.routes, self.preferences, self.sender, self.approvals)
        self.projector.questions, self.approvals.called = self.approvals.rows, self.names.of
        self.projector.mask = self.progress.mask = parts.redactor.output
        self.projector.zone, self.projector.owner = zone_of(settings), lambda: parts.access.owner
        self.model = model_side(settings, parts, self.hub, self.routes, self.sender)
        watchers = (self.projector.watch, self.progress.watch, self.approvals.watch, self.model.watch)
        self.hub.watchers += [self.usage.watch, self.streams.watch, *map(tongue.watching, watchers)]
        self.projector.telling = self.sender.telling = tongue.telling
        zone, mode = zone_of(settings), settings.run.mode
        self.gate = Gate(parts.access, store, self.hub, self.sender, channel, clock, zone, mode, on_console)
        self.gate.people.languages = self.approvals.languages = tongue
        self.control = Control(self.hub, self.routes)
        self.verbosity = Verbosity(self.preferences)
        self.progress.tells, self.projector.footers = self.verbosity.tells, self.verbosity.footer
        self.board = board_of(self, settings, parts, warnings)
        self.commands = self.board.commands()
        self.menus = Menus(channel, self.commands, parts.access, clock)
        self.background = Background(self.hub, self.routes, Notices(store, self.sender), tongue, parts.redactor.output)
        self.hub.watchers.append(self.background.watch)
        self.retention = Retention(settings, store, self.hub, self.routes, clock, parts.undo)
        self.desk = self._desk(warnings)

    def _desk(self, warnings: Sequence[str]) -> Desk:
        settings, parts = self._settings, self._parts
        return Desk(
            parts.channel,
            parts.store,
            self.hub,
            self.routes,
            self.sender,
            self.commands,
            self.control,
            status_of(self, settings, parts, warnings),
            self.approvals,
            parts.access,
            parts.clock,
            self.languages,
            self.names,
            Incoming(parts.channel, hearing_of(settings)),
            start_of(settings, parts.access),
            self.moves.follow,
            settings.run.stale_after_s,
            self._reach,
        )

    async def tell_owner(self, place: Place, why: str, moved_to: str) -> None:
        """A chat can't be written to: follow it where it moved, else say so to the owner in private."""
        if moved_to:
            await self.moves.follow(place, replace(place, chat=moved_to))
            return
        owner = str(self._parts.access.owner or "")
        if place.chat == owner or not owner:
            return
        home = Place(place.channel, place.bot, owner)
        with self.languages.telling(home):
            (letter,) = plain(words.unreachable(place.chat, why))[:1]
        key = f"unreachable:{place.chat}:{self._parts.clock.now() // 3600:.0f}"
        row = Outgoing(key=key, chat=owner, body=encode(home, letter), role="notice")
        self.sender.deliver(await self._parts.store.project("desk", 0, [row]))

    async def pick_up(self) -> None:
        """Whatever a predecessor left: answers not yet projected, runs not yet ended, updates not yet handled."""
        store = self._parts.store
        await self.gate.load()
        await self.preferences.load()
        self.moves.restore()
        if self.hub.edges.workshop:  # servers of tools wait until somebody asks for them
            await self.hub.edges.workshop.refresh()
        unfinished = await store.unfinished()
        await self.sender.resume()
        await self.projector.catch_up(unfinished)
        await self.usage.load(store)
        for session in unfinished:
            journal = await store.read(session)
            self.usage.restore(session, journal)
            if place := await self.routes.place_of(session):
                with self.languages.telling(place):
                    self.progress.restore(session, place, journal)
                    self.approvals.restore(session, place, journal)
                    self.model.restore(session, place, journal)
        self.background.listen()
        await self.hub.start(locked=self._parts.access.locked)  # a lock that a crash cut short is completed
        await self.desk.resume()
        self.door = self.gate.door(self.desk.intake, self.moves.follow)

    async def serve(self, stopped: asyncio.Event) -> None:
        """Until `stopped` is set or the channel ends by itself. Raises TokenRefused, StoreError."""
        channel, ready = self._parts.channel, asyncio.Event()
        stopping = asyncio.create_task(stopped.wait(), name="stop")
        if not await self._connected(stopping):
            await self.close()
            return

        async def intake(batch: Sequence[Received]) -> None:
            # The first poll goes out while the past is picked up; nothing is confirmed before that is done.
            await ready.wait()
            await self.door.intake(list(map(self.masked, batch)))

        listening = asyncio.create_task(channel.listen(intake), name="listen")
        purging = asyncio.create_task(self.retention.run(), name="retention")
        tasks = [listening, stopping, purging]
        try:
            await self.pick_up()
            ready.set()
            tasks.append(asyncio.create_task(self.menus.run(), name="menus"))
            await asyncio.wait({listening, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if listening.done():
                await listening
                await self.finish_up()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.close()

    async def _connected(self, stopping: asyncio.Task[bool]) -> bool:
        """False if we are to stop before the channel has answered. Raises TokenRefused."""
        connecting = asyncio.create_task(self._parts.channel.connect(), name="connect")
        try:
            await asyncio.wait({connecting, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if connecting.done():
                await connecting
            return connecting.done()
        except BaseException:
            stopping.cancel()
            raise
        finally:
            connecting.cancel()
            await asyncio.gather(connecting, return_exceptions=True)

    def masked(self, received: Received) -> Received:
        """What is stored of an update doesn't hold our own secrets, also where somebody typed them."""
        payload = self._parts.redactor.text(received.row.payload)
        return replace(received, row=replace(received.row, payload=payload))

    async def finish_up(self) -> None:
        """When the input has ended (a terminal's end of file): wait for the runs that it began."""
        await self.desk.idle()
        while self.hub.busy():
            await self._parts.clock.sleep(0.02)

    async def close(self) -> None:
        await self.gate.close()
        await self.board.examining.close()
        await self.hub.close(DRAIN_S)
        for registry in self.hub.edges.registries:
            if isinstance(registry, Closing):
                await registry.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_S):
                await self.projector.idle()
        await self.sender.flush(FLUSH_S)
        await self.sender.close()
        await self._parts.channel.close()


def on_console(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - the log is for others: whoever reads the console may become the owner
