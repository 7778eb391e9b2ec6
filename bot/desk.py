"""The desk: who comes in, what it means, and which session or command it is for.

Intake is: judge in memory, show a sign of life, store in one transaction; only then may the channel confirm. What was
stored is handled in order within a chat, chats side by side. A row is done when its effect is in the store.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any

from agent import Clock, DuplicateRef, Hub, Inbound, Outgoing, Start, Store, StoreBroken, StoreError
from bot import words
from bot.access import Access, Role
from bot.approvals import Approvals
from bot.asking import Asking
from bot.channel import Arrival, Channel, Place, Received
from bot.commands import Commands
from bot.control import Control
from bot.express import Express, Order, answering
from bot.gathering import whole_turn
from bot.incoming import Incoming
from bot.languages import Languages
from bot.markup import plain
from bot.names import Names
from bot.notices import Notices
from bot.outbox import Sender, encode
from bot.routes import Routes
from bot.status import Status
from bot.strangers import Strangers
from bot.turns import Entry, joined
from bot.unread import Unread

logger = logging.getLogger(__name__)

RECEIPT = "👀"
RETRY_S = 1.0
AT_ONCE_S = 0.1  # a store that takes longer holds up no stop
QUESTION_VERBS = ("ok", "ses", "no", "again")


class Desk:
    """One channel's front desk. `start_of` tells where a place's legs begin, `follow` takes a group to its new id.

    `reach` is the failpoint hook.
    """

    def __init__(
        self,
        channel: Channel,
        store: Store,
        hub: Hub,
        routes: Routes,
        sender: Sender,
        commands: Commands,
        control: Control,
        status: Status,
        approvals: Approvals,
        access: Access,
        clock: Clock,
        languages: Languages,
        names: Names,
        incoming: Incoming,
        start_of: Callable[[Place], Start],
        follow: Callable[[Place, Place], Awaitable[None]],
        stale_after_s: float = 900.0,
        reach: Callable[[str], None] = lambda name: None,
    ) -> None:
        self._channel, self._store, self._hub, self._routes = channel, store, hub, routes
        self._sender, self._commands, self._access, self._clock = sender, commands, access, clock
        self._approvals, self._languages, self._names = approvals, languages, names
        self._express = Express(control, status, channel, sender, self._reply, self._spawn)
        self._reach, self._follow = reach, follow
        self._asking = Asking(store, hub, routes, clock, incoming, start_of, stale_after_s, self._reply)
        self._unread = Unread(channel.name, access, Notices(store, sender), languages, clock)
        self._queues: dict[str, deque[Entry]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.strangers = Strangers(clock)

    async def resume(self) -> None:
        """At start: handle what was stored and not done. Raises StoreError."""
        for row in await self._store.waiting():
            self._enqueue(row, None if row.poison else self._channel.parse(row))

    async def intake(self, batch: Sequence[Received]) -> None:
        """Take a batch from the channel. Returns when it is stored; raises StoreError if it is not."""
        rows, at_once = [], []
        for received in batch:
            role = self._access.judge(received.arrival) if received.arrival else None
            if received.arrival and role is None and self._access.role(received.arrival.sender) is None:
                self._turn_away(received.arrival)
                continue
            rows.append(received)
            if received.arrival and role:
                self._first_sign(received.arrival)
                if self._express.concerns(received.arrival):
                    at_once.append((received.row, received.arrival, role))
        arrivals = {(r.row.bot, r.row.update_id): r.arrival for r in rows}
        storing = asyncio.ensure_future(self._store.receive([r.row for r in rows]))
        try:
            if at_once:
                await self._obey(at_once, storing)
            await self._channel.signed()
            for row in await storing:
                self._enqueue(row, arrivals[row.bot, row.update_id])
        finally:
            storing.cancel()

    async def _obey(self, commands: Sequence[Order], storing: asyncio.Future[list[Inbound]]) -> None:
        """A stop that was served before, and is served again, stops nothing that began since; one that can't be stored
        yet isn't held up by that."""
        await asyncio.wait({storing}, timeout=AT_ONCE_S)
        stored = storing.done() and storing.exception() is None
        new = {(row.bot, row.update_id) for row in storing.result()} if stored else None
        for row, arrival, role in commands:
            if new is None or (row.bot, row.update_id) in new:
                with self._languages.answering(arrival):
                    self._express.begin(row, arrival, role)

    async def idle(self) -> None:
        """Wait until everything taken in so far is handled."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    def _turn_away(self, arrival: Arrival) -> None:
        self.strangers.turn_away(arrival)
        here = arrival.place.chat in self._access.chats and not self._access.locked
        if here and self.strangers.may_be_answered(arrival):
            self._answer(arrival, "")  # the spinner ends, and nothing is said

    def _first_sign(self, arrival: Arrival) -> None:
        """Something a person can see before anything is stored or asked. Whoever speaks to us can be written to."""
        if arrival.addressed:
            self._sender.wake(arrival.place)
        if arrival.kind != "message" or arrival.command or not arrival.addressed:
            return
        if self._sender.flooded(arrival.place):
            return
        session = self._routes.known(arrival.place)
        todo = self._hub.todo(session) if session else None
        if todo and todo.running:
            self._spawn(self._channel.react(arrival.place, arrival.message_id, RECEIPT))
        else:
            self._spawn(self._channel.typing(arrival.place))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _enqueue(self, row: Inbound, arrival: Arrival | None) -> None:
        """Order holds within a place: a file that is fetched for one topic holds up no other."""
        where = arrival.place.key if arrival else row.chat
        if where in self._queues:
            self._queues[where].append((row, arrival))
            return
        self._queues[where] = deque([(row, arrival)])
        self._spawn(self._work(where))

    async def _work(self, where: str) -> None:
        """Handle a place's rows one by one, however long the store is locked."""
        queue = self._queues[where]
        self._reach("K2")
        while queue:
            entries = await whole_turn(queue, self._clock)
            parts = [arrival for _, arrival in entries if arrival is not None]
            row, arrival = entries[0][0], joined(parts) if parts else None
            try:
                with self._languages.answering(arrival):
                    await self._handle(row, arrival)
                self._asking.turns.remember(parts)
                for each, _ in reversed(entries):  # the first last: after a crash it still says that this was asked
                    await self._store.done(each.bot, each.update_id)
            except DuplicateRef:  # another update carried the same message: it is in the journal already
                self._answer(arrival, "")
                await self._close(entries)
            except StoreBroken as error:  # no waiting makes its journal readable
                logger.error("update %d is set aside: %s", row.update_id, error)
                await self._give_up(entries, arrival, words.UNREADABLE)
            except StoreError as error:
                logger.warning("update %d waits for the store: %s", row.update_id, error)
                await self._clock.sleep(RETRY_S)
                continue
            except Exception:
                logger.exception("update %d could not be handled and is set aside", row.update_id)
                await self._give_up(entries, arrival, words.BROKEN)
            for entry in entries:
                queue.remove(entry)
        del self._queues[where]

    async def _give_up(self, entries: Sequence[Entry], arrival: Arrival | None, why: str) -> None:
        """What can't be handled must not look like silence."""
        try:
            if arrival and arrival.kind == "press":
                self._answer(arrival, why)
            elif arrival and self._access.judge(arrival):
                await self._reply(entries[0][0], arrival, why, "broken")
        except StoreError as error:
            logger.warning("and nobody could be told: %s", error)
        await self._close(entries)

    async def _close(self, entries: Sequence[Entry]) -> None:
        for row, _ in reversed(entries):
            try:
                await self._store.done(row.bot, row.update_id)
            except StoreError as error:
                logger.warning("update %d will be looked at again after a restart: %s", row.update_id, error)

    async def _handle(self, row: Inbound, arrival: Arrival | None) -> None:
        if arrival is None:
            await self._unread.set_aside(row)
            return
        role = self._access.judge(arrival)
        if role is None:  # taken in before a restart, under other settings; or we are locked
            self._answer(arrival, "")
            return
        if self._express.concerns(arrival) and await self._express.finish(row, arrival, role):
            return
        await self._languages.heard(arrival)
        await self._names.heard(arrival)
        match arrival.kind:
            case "message":
                await self._message(row, arrival, role)
            case "edit":
                await self._edit(row, arrival)
            case "press":
                await self._press(arrival, role)
            case "moved":
                await self._follow(arrival.place, replace(arrival.place, chat=arrival.text))
            case _:
                pass

    async def _message(self, row: Inbound, arrival: Arrival, role: Role) -> None:
        if not arrival.addressed:
            return
        if arrival.command:
            await self._reply(row, arrival, await self._commands.run(arrival, role))
        elif arrival.unusable and not (arrival.text or arrival.attached):
            await self._reply(row, arrival, words.unusable(arrival.unusable))
        elif arrival.quote and (answer := await self._approvals.reply(arrival, role)) is not None:
            await self._reply(row, arrival, answer)
        elif role < Role.OPERATOR:
            await self._reply(row, arrival, words.VIEWERS_READ)
        elif arrival.text.strip() or arrival.attached or arrival.quote:
            await self._asking.ask(row, arrival, role)
        else:
            await self._reply(row, arrival, words.NOTHING_SAID)

    async def _edit(self, row: Inbound, arrival: Arrival) -> None:
        if await self._asking.edit(row, arrival):
            self._spawn(self._channel.react(arrival.place, arrival.message_id, RECEIPT))

    async def _press(self, arrival: Arrival, role: Role) -> None:
        asked = arrival.data.partition(":")[0] in QUESTION_VERBS
        toast = await (self._approvals if asked else self._commands).press(arrival, role)
        self._answer(arrival, words.EXPIRED if toast is None else toast)

    def _answer(self, arrival: Arrival | None, toast: str) -> None:
        """End the spinner of a button; nothing for what isn't a press."""
        if arrival and arrival.kind == "press":
            self._spawn(self._channel.answer_press(arrival.press_id, toast))

    async def _reply(self, row: Inbound, arrival: Arrival, text: str, kind: str = "") -> None:
        """A durable answer of the desk's own; the same update never gives two of a kind."""
        if not text:
            return
        key = f"{row.bot}:{row.update_id}:{kind or arrival.command or 'note'}"
        rows = [
            Outgoing(f"{key}:{n}" if n else key, arrival.place.chat, encode(arrival.place, each), role="notice")
            for n, each in enumerate(answering(arrival, plain(text)))
        ]
        self._sender.deliver(await self._store.project(f"desk:{row.bot}", 0, rows))
