"""Which command is carried out by what: the table of all, made of a channel's parts."""

from __future__ import annotations

from dataclasses import dataclass

from agent import Hub
from bot import words
from bot.access import Role
from bot.channel import Arrival
from bot.commands import Command, Commands, Handler
from bot.continuing import Continuing
from bot.control import Control, author_of
from bot.examining import Examining
from bot.fresh import Fresh
from bot.gate import Gate
from bot.keeping import Keeping
from bot.log import Log
from bot.modelside import ModelSide
from bot.paging import Paging
from bot.plan import Plans
from bot.sessions import Sessions
from bot.tools import tools_told
from bot.undoing import Undoing
from bot.usage import Usages
from bot.verbosity import Verbosity


@dataclass(slots=True)
class Board:
    hub: Hub
    gate: Gate
    control: Control
    model: ModelSide
    undoing: Undoing
    plans: Plans
    usages: Usages
    fresh: Fresh
    sessions: Sessions
    log: Log
    keeping: Keeping
    verbosity: Verbosity
    examining: Examining
    paging: Paging
    continuing: Continuing

    def commands(self) -> Commands:
        """All of them, at most 20 with those that act at intake (SPEC T8)."""
        handlers: dict[str, tuple[Role, Handler]] = {
            "start": (Role.VIEWER, self._start),
            "new": (Role.OPERATOR, self.fresh.command),
            "checkpoint": (Role.OPERATOR, self.keeping.command),
            "undo": (Role.OPERATOR, self.undoing.command),
            "plan": (Role.VIEWER, self.plans.command),
            "sessions": (Role.VIEWER, self.sessions.command),
            "usage": (Role.VIEWER, self.usages.command),
            "model": (Role.VIEWER, self.model.choosing.command),
            "mode": (Role.VIEWER, self.gate.modes.command),
            "tools": (Role.VIEWER, self._tools),
            "verbosity": (Role.VIEWER, self.verbosity.command),
            "users": (Role.ADMIN, self.gate.people.users),
            "lock": (Role.ADMIN, self._lock),
            "log": (Role.OPERATOR, self.log.command),
            "doctor": (Role.ADMIN, self.examining.command),
        }
        table = {name: Command(*entry) for name, entry in handlers.items()}
        commands = Commands(
            table,
            (
                self.control.press,
                self.paging.press,
                self.continuing.press,
                self.gate.people.press,
                self.undoing.press,
                self.fresh.press,
                self.sessions.press,
                self._model_press,
            ),
        )
        table["help"] = Command(Role.VIEWER, _help(commands))
        return commands

    async def _model_press(self, arrival: Arrival, role: Role) -> str | None:
        return await self.model.press(arrival, role, self.control.kill)

    async def _start(self, arrival: Arrival, role: Role) -> str:
        return words.HELLO if arrival.private else f"{words.HELLO} {words.IN_GROUPS}"

    async def _tools(self, arrival: Arrival, role: Role) -> str:
        edges = self.hub.edges
        for registry in edges.registries:
            await registry.refresh()
        return tools_told([tool.name for tool in edges.tools], edges.registries)

    async def _lock(self, arrival: Arrival, role: Role) -> str:
        match arrival.args.lower():
            case "" | "on":
                return words.locked(await self.gate.lockdown.on(author_of(arrival)))
            case "off" if role < Role.OWNER:
                return words.only("owner")
            case "off":
                await self.gate.lockdown.off(author_of(arrival))
                return words.UNLOCKED
        return words.LOCK_USAGE


def _help(commands: Commands) -> Handler:
    async def text(arrival: Arrival, role: Role) -> str:
        told = words.help_text(commands.menu(role))
        return told if arrival.private else f"{words.IN_GROUPS}\n\n{told}"

    return text
