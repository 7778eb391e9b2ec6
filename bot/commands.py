"""The slash commands: what each does, in one table. A handler returns the words of the reply."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from agent import Clock, Hub
from bot import modelwords, words
from bot.access import Role
from bot.channel import Arrival, Channel
from bot.gate import Gate
from bot.modelside import ModelSide
from bot.outbox import Sender
from bot.plan import Plans
from bot.routes import Routes
from bot.tools import tools_told
from bot.undoing import Undoing
from bot.usage import Usages


@dataclass(frozen=True, slots=True)
class About:
    """What /status tells of the process: settings in words, a warning a line."""

    model: str
    turns: int
    sandbox: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stopped:
    """What a stop came to: whether a run was stopped, how many background jobs were ended, how many go on."""

    run: bool = False
    jobs: int = 0
    left: int = 0

    def __bool__(self) -> bool:
        return self.run or self.jobs > 0

    def told(self) -> str:
        return words.stopped(self.run, self.jobs, self.left)


class Commands:
    def __init__(
        self,
        hub: Hub,
        routes: Routes,
        channel: Channel,
        sender: Sender,
        clock: Clock,
        about: About,
        gate: Gate,
        undoing: Undoing,
        plans: Plans,
        usages: Usages,
        model: ModelSide,
    ) -> None:
        self._gate, self._undoing = gate, undoing
        self._hub, self._routes, self._channel, self._sender = hub, routes, channel, sender
        self._clock, self._about, self._model = clock, about, model
        self._started = clock.monotonic()
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
        return toast if toast is not None else await self._model.press(arrival, role, self.kill)

    async def kill(self, arrival: Arrival, role: Role, *, again: bool = False) -> Stopped | None:
        """Stop the place's run and the background jobs that it began, or, where nothing runs, all jobs of the place;
        without waiting for the store. None: this person may not. `again`: a second look after a stop, for a run that
        began meanwhile.

        Like /status not in the table: the desk carries both out at intake, past every queue.
        """
        session, jobs = self._routes.known(arrival.place), self._hub.edges.host.jobs
        if role < Role.OPERATOR:
            return None
        if session is None:
            return Stopped()
        todo = self._hub.todo(session)
        requester = todo.asked.author if todo and todo.asked else None
        if role < Role.ADMIN and requester not in (None, author_of(arrival)):
            return None
        run = f"{session}:{todo.asked_seq}" if todo else ""
        stopped = await self._hub.stop(session, author_of(arrival))
        ended = 0 if again and not stopped else await jobs.end(session, run if stopped else "")
        return Stopped(stopped, ended, jobs.running(session))

    async def _start(self, arrival: Arrival, role: Role) -> str:
        return words.HELLO

    async def _help(self, arrival: Arrival, role: Role) -> str:
        return words.help_text()

    async def _new(self, arrival: Arrival, role: Role) -> str:
        killed = await self.kill(arrival, role)
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

    def status(self, arrival: Arrival) -> str:
        """The status in a few lines; from memory alone, so that it is answered whatever is locked."""
        session = self._routes.known(arrival.place)
        todo = self._hub.todo(session) if session else None
        lines = [words.NOTHING_RUNS]
        if todo and todo.running and todo.asked:
            length = words.span(self._clock.now() - todo.asked.at)
            doing = (
                modelwords.waits(todo.parked.why, todo.parked.until, self._clock.now())
                if todo.parked
                else f"turn {todo.turns + 1} of {self._about.turns}"
            )
            lines = [f"Working for {length}, {doing}.", *[f"… {call.call.name}" for call in todo.calls.values()][:3]]
        if jobs := self._hub.edges.host.jobs.running(session) if session else 0:
            lines.append(words.jobs_run(jobs))
        lines.append(f"Model {self._about.model} · mode {self._gate.modes.short()} · sandbox {self._about.sandbox}")
        if self._gate.access.locked:
            lines.append(words.LOCKED)
        if self._gate.access.chats and self._channel.health.facts.get("can_read_all_group_messages") == "no":
            lines.append(words.PRIVACY)
        lines.append(f"Up {words.span(self._clock.monotonic() - self._started)} · {self._hub.busy()} running in all")
        if waiting := self._sender.pending():
            lines.append("1 message waits to be sent." if waiting == 1 else f"{waiting} messages wait to be sent.")
        if self._channel.health.problem:
            lines.append(f"⚠ {self._channel.health.problem}")
        return "\n".join([*lines, *[f"⚠ {warning}" for warning in self._about.warnings]])


def author_of(arrival: Arrival) -> str:
    """channel:numeric id of the person behind an arrival."""
    return f"{arrival.place.channel}:{arrival.sender}"
