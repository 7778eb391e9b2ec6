"""The control lane: /stop, /pause and /resume act the moment they come in, past every queue."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field, replace

from agent import Hub, StoreError
from bot import words
from bot.access import Role
from bot.channel import Arrival
from bot.routes import Routes

STORE_RETRY_S = 1.0
TOLD_S = 1.0  # an effect that takes longer is told as under way
COMMANDS = ("stop", "pause", "resume")


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


@dataclass(slots=True)
class Control:
    """What is begun at intake is told when the command's row has its turn; `told` acts once more then, for what the
    chat had in its queue before the command."""

    hub: Hub
    routes: Routes
    _kills: dict[int, asyncio.Task[Stopped | None]] = field(default_factory=dict)  # by update
    _pauses: dict[int, asyncio.Task[bool]] = field(default_factory=dict)

    def begin(self, update: int, arrival: Arrival, role: Role) -> None:
        """At intake. Returns at once."""
        if arrival.command == "stop":
            self._kills[update] = asyncio.create_task(self.kill(arrival, role))
        elif self.may(arrival, role):
            self._pauses[update] = asyncio.create_task(self._switch(arrival))

    async def told(self, update: int, arrival: Arrival, role: Role) -> str:
        """The answer. Raises StoreError."""
        if arrival.command == "stop":
            return await self._stop(self._kills.get(update), arrival, role)
        return await self.pause(arrival, role, self._pauses.get(update))

    def forget(self, update: int) -> None:
        """It was told."""
        self._kills.pop(update, None)
        self._pauses.pop(update, None)

    async def again(self, arrival: Arrival, role: Role) -> str:
        """Once more for what was queued before a command that was told already: what that came to, "" for nothing."""
        if arrival.command == "stop":
            stopped = await self.kill(arrival, role, again=True)
            return stopped.told() if stopped else ""
        if self.may(arrival, role):
            await self._switch(arrival)
        return ""

    async def press(self, arrival: Arrival, role: Role) -> str | None:
        """One of a card's buttons: the toast, or None if it isn't one of these. Raises StoreError."""
        verb, _, session = arrival.data.partition(":")
        if verb not in COMMANDS:
            return None
        if session != self.routes.known(arrival.place):
            return words.EXPIRED
        if verb == "stop":
            stopped = await self.kill(arrival, role)
            return words.NOT_YOURS if stopped is None else stopped.told()
        return await self.pause(replace(arrival, command=verb), role)

    async def press_again(self, arrival: Arrival, role: Role) -> None:
        """Once more for what was queued before the press of a Stop that has acted already."""
        verb, _, session = arrival.data.partition(":")
        if verb == "stop" and session == self.routes.known(arrival.place):
            await self.kill(arrival, role, again=True)

    # -- stop ---------------------------------------------------------------------------------------------------------
    async def kill(self, arrival: Arrival, role: Role, *, again: bool = False) -> Stopped | None:
        """Stop the place's run and the background jobs that it began, or, where nothing runs, all jobs of the place;
        without waiting for the store. None: this person may not. `again`: a second look after a stop, for a run that
        began meanwhile."""
        session, jobs = self.routes.known(arrival.place), self.hub.edges.host.jobs
        if role < Role.OPERATOR:
            return None
        if session is None:
            return Stopped()
        if not self.may(arrival, role):
            return None
        todo = self.hub.todo(session)
        run = f"{session}:{todo.asked_seq}" if todo else ""
        stopped = await self.hub.stop(session, author_of(arrival))
        ended = 0 if again and not stopped else await jobs.end(session, run if stopped else "")
        return Stopped(stopped, ended, jobs.running(session))

    def may(self, arrival: Arrival, role: Role) -> bool:
        """Whoever asked for the place's run, and admins, hold it up (SPEC T7); going on is any operator's."""
        session = self.routes.known(arrival.place)
        todo = self.hub.todo(session) if session else None
        requester = todo.asked.author if todo and todo.asked else None
        if role < Role.OPERATOR:
            return False
        return role >= Role.ADMIN or requester in (None, author_of(arrival)) or arrival.command == "resume"

    def nothing(self, arrival: Arrival) -> str:
        """That nothing runs here, and what goes on in other topics of this group."""
        here, topics = arrival.place, set[str]()
        for session in self.hub.running():
            place = self.routes.where(session)
            if place and (place.channel, place.chat) == (here.channel, here.chat) and place.topic != here.topic:
                topics.add(place.topic)
        return f"{words.NOTHING_RUNS} {words.elsewhere_running(len(topics))}" if topics else words.NOTHING_RUNS

    async def _stop(self, first: asyncio.Task[Stopped | None] | None, arrival: Arrival, role: Role) -> str:
        second = asyncio.create_task(self.kill(arrival, role, again=first is not None))
        waited = [first, second] if first else [second]
        if not await _soon(*waited):
            return words.STOPPING
        results = [kill.result() for kill in waited]
        done = [result for result in results if result]
        if not done:
            return words.NOT_YOURS if None in results else self.nothing(arrival)
        return Stopped(any(each.run for each in done), sum(each.jobs for each in done), done[-1].left).told()

    # -- pause --------------------------------------------------------------------------------------------------------
    async def pause(self, arrival: Arrival, role: Role, first: asyncio.Task[bool] | None = None) -> str:
        """Pause, or go on, and say how the run stands now. Raises StoreError."""
        if role < Role.OPERATOR:
            return words.VIEWERS_READ
        if not self.may(arrival, role):
            return words.NOT_YOURS
        second = asyncio.create_task(self._switch(arrival))
        waited = [first, second] if first else [second]
        if not await _soon(*waited):
            return words.UNDER_WAY
        changed = any(each.result() for each in waited)
        session = self.routes.known(arrival.place)
        todo = self.hub.todo(session) if session else None
        if todo is None or not todo.running:
            return self.nothing(arrival)
        if arrival.command == "resume":
            return words.GOES_ON_NOW if changed else words.NOT_PAUSED
        busy = any(call.started for call in todo.calls.values())
        return words.paused(busy) if changed else words.PAUSED_ALREADY

    async def _switch(self, arrival: Arrival) -> bool:
        session = self.routes.known(arrival.place)
        while session is not None:
            try:
                return await self.hub.pause(session, author_of(arrival), on=arrival.command == "pause")
            except StoreError:  # nothing of the run is recorded meanwhile either
                await self.hub.edges.clock.sleep(STORE_RETRY_S)
        return False


async def _soon(*tasks: asyncio.Task[Stopped | None] | asyncio.Task[bool]) -> bool:
    waited: list[Awaitable[object]] = [asyncio.shield(task) for task in tasks]
    _, late = await asyncio.wait([asyncio.ensure_future(each) for each in waited], timeout=TOLD_S)
    return not late


def author_of(arrival: Arrival) -> str:
    """channel:numeric id of the person behind an arrival."""
    return f"{arrival.place.channel}:{arrival.sender}"
