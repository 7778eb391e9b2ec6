"""What /status says, from memory alone, so that it is answered whatever is locked or busy."""

from __future__ import annotations

from dataclasses import dataclass

from agent import Clock, Hub
from bot import modelwords, words
from bot.because import because
from bot.channel import Arrival, Channel
from bot.gate import Gate
from bot.outbox import Sender
from bot.routes import Routes


@dataclass(frozen=True, slots=True)
class About:
    """What /status tells of the process: settings in words, a warning a line."""

    model: str
    turns: int
    sandbox: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Status:
    """`started` is monotonic time."""

    hub: Hub
    routes: Routes
    channel: Channel
    sender: Sender
    clock: Clock
    about: About
    gate: Gate
    started: float

    def text(self, arrival: Arrival) -> str:
        """A few short lines: the run of this place first, then the process."""
        session = self.routes.known(arrival.place)
        lines = [*self._run(session), *self._process()]
        return "\n".join([*lines, *[words.warning(words.WARNINGS.get(each, each)) for each in self.about.warnings]])

    def _run(self, session: str | None) -> list[str]:
        todo = self.hub.todo(session) if session else None
        lines = [words.NOTHING_RUNS]
        if todo and todo.running and todo.asked:
            now = self.clock.now()
            doing = words.turn_of(todo.turns + 1, self.about.turns)
            if todo.parked:
                why = because(todo.parked.why, todo.parked.causes)
                doing = modelwords.waits(why, todo.parked.until, now)
            elif todo.waits_for_decision:
                doing = words.WAITS_FOR_OK
            elif todo.paused:
                doing = words.PAUSED
            lines = [words.working(now - todo.asked.at, doing)]
            lines += [f"… {call.call.name}" for call in todo.calls.values()][:3]
        if jobs := self.hub.edges.host.jobs.running(session) if session else 0:
            lines.append(words.jobs_run(jobs))
        return lines

    def _process(self) -> list[str]:
        access, health = self.gate.access, self.channel.health
        lines = [words.stands(self.about.model, self.gate.modes.short(), self.about.sandbox or words.NO_SANDBOX)]
        if access.locked:
            lines.append(words.LOCKED)
        if access.chats and health.facts.get("can_read_all_group_messages") == "no":
            lines.append(words.PRIVACY)
        lines.append(words.up(self.clock.monotonic() - self.started, self.hub.busy()))
        if waiting := self.sender.pending():
            lines.append(words.unsent(waiting))
        if health.problem:
            lines.append(words.warning(health.problem))
        return lines
