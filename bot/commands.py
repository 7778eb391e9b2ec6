"""The slash commands: what each does, in one table. A handler returns the words of the reply."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable

from agent import Clock, Hub
from bot import words
from bot.access import Role
from bot.channel import Arrival, Channel
from bot.control import Control, Stopped, author_of
from bot.gate import Gate
from bot.modelside import ModelSide
from bot.outbox import Sender
from bot.plan import Plans
from bot.routes import Routes
from bot.tools import tools_told
from bot.undoing import Undoing
from bot.usage import Usages


class Commands:
    def __init__(
        self,
        hub: Hub,
        routes: Routes,
        channel: Channel,
        sender: Sender,
        clock: Clock,
        control: Control,
        gate: Gate,
        undoing: Undoing,
        plans: Plans,
        usages: Usages,
        model: ModelSide,
    ) -> None:
        self._gate, self._undoing = gate, undoing
        self._hub, self._routes, self._channel, self._sender = hub, routes, channel, sender
        self._clock, self._model, self.control = clock, model, control
        self._table: dict[str, tuple[Role, Callable[[Arrival, Role], Awaitable[str]]]] = {
            "start": (Role.VIEWER, self._start),
            "help": (Role.VIEWER, self._help),
            "new": (Role.OPERATOR, self._new),
            "mode": (Role.VIEWER, self._gate.modes.command),
            "users": (Role.ADMIN, self._gate.people.users),
            "lock": (Role.ADMIN, self._lock),
            "undo": (Role.OPERATOR, self._undoing.command),
            "usage": (Role.VIEWER, usages.command),
            "model": (Role.VIEWER, model.choosing.command),
            "tools": (Role.VIEWER, self._tools),
            "plan": (Role.VIEWER, plans.command),
        }

    async def run(self, arrival: Arrival, role: Role) -> str:
        """Carry out the arrival's command and return the reply, "" if it was sent already. Raises StoreError."""
        entry = self._table.get(arrival.command)
        if entry is None:
            nearest = difflib.get_close_matches(arrival.command, [name for name, _ in words.COMMANDS], n=1)
            return words.unknown_command(arrival.command, nearest[0] if nearest else None)
        least, handler = entry
        if role >= least:
            return await handler(arrival, role)
        return words.VIEWERS_READ if least is Role.OPERATOR else words.only(least.name.lower())

    async def press(self, arrival: Arrival, role: Role) -> str | None:
        """A button of a command's answer was pressed: the toast. None: it isn't one of ours. Raises StoreError."""
        toast = await self._gate.people.press(arrival, role)
        if toast is None:
            toast = await self._undoing.press(arrival, role)
        return toast if toast is not None else await self._model.press(arrival, role, self.control.kill)

    async def _start(self, arrival: Arrival, role: Role) -> str:
        return words.HELLO

    async def _help(self, arrival: Arrival, role: Role) -> str:
        return words.help_text()

    async def _new(self, arrival: Arrival, role: Role) -> str:
        killed = await self.control.kill(arrival, role)
        if killed is None:
            return words.NOT_YOURS
        if session := self._routes.known(arrival.place):
            more = await self._hub.edges.host.jobs.end(session)  # nobody could look after them any more
            killed = Stopped(killed.run, killed.jobs + more)
        old = await self._routes.session_of(arrival.place)
        await self._routes.renew(arrival.place)
        await self._model.choosing.carry(old, arrival.place, author_of(arrival))
        return f"{killed.told()} {words.NEW}" if killed else words.NEW

    async def _tools(self, arrival: Arrival, role: Role) -> str:
        edges = self._hub.edges
        for registry in edges.registries:
            await registry.refresh()
        return tools_told([tool.name for tool in edges.tools], edges.registries)

    async def _lock(self, arrival: Arrival, role: Role) -> str:
        match arrival.args.lower():
            case "" | "on":
                return words.locked(await self._gate.lockdown.on(author_of(arrival)))
            case "off" if role < Role.OWNER:
                return words.only("owner")
            case "off":
                await self._gate.lockdown.off(author_of(arrival))
                return words.UNLOCKED
        return words.LOCK_USAGE
