"""Runs that wait for their model: the message about it is kept up to date, and its button ends the wait."""

from __future__ import annotations

import datetime
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from agent import Hub, parent_of, steps
from bot import modelwords, words
from bot.access import Role
from bot.because import because
from bot.channel import Arrival, Button, Letter, Place
from bot.markup import plain
from bot.outbox import Sender
from bot.routes import Routes
from bot.trouble import ModelTrouble

VERB = "wait"

Kill = Callable[[Arrival, Role], Awaitable[object | None]]


@dataclass(frozen=True, slots=True)
class _Notice:
    """The message that told of the wait: its place and its key in the outbox; `run` is the seq that began the run."""

    place: Place
    key: str
    run: int
    why: str


class ParkedNotices:
    """`zone` is for times of day. The message itself is the projector's; here it is only edited."""

    def __init__(self, hub: Hub, routes: Routes, sender: Sender, zone: datetime.tzinfo) -> None:
        self._hub, self._routes, self._sender, self._zone = hub, routes, sender, zone
        self._open: dict[str, _Notice] = {}

    def watch(self, session: str, seq: int, step: steps.Step) -> None:
        """A watcher of the hub's: takes the step and returns at once."""
        match step:
            case steps.Parked() if step.until is not None:
                self._parked(session, seq, step, step.until)
            case steps.Said() | steps.Asked():
                self._close(session, went_on=True)
            case steps.Ended():
                self._close(session, went_on=False)
            case _:
                pass

    def restore(self, session: str, place: Place, journal: Sequence[tuple[int, steps.Step]]) -> None:
        """After a restart: the notice of a run that still waits."""
        trouble, run, why = ModelTrouble(), 0, ""
        for seq, step in journal:
            trouble.fold(seq, step)
            match step:
                case steps.Asked() if not run:
                    run = seq
                case steps.Ended():
                    run, trouble = 0, ModelTrouble()
                case steps.Parked():
                    why = because(step.why, step.causes)
        if run and trouble.parked:
            self._open[session] = _Notice(place, _key(session, trouble.parked), run, why)

    async def press(self, arrival: Arrival, role: Role, kill: Kill) -> str | None:
        """Cancel: the toast, or None if the button isn't ours. Whoever may stop the run may cancel its wait."""
        verb, _, rest = arrival.data.partition(":")
        if verb != VERB:
            return None
        run, _, session = rest.partition(":")
        todo = self._hub.todo(session)
        waits = todo is not None and todo.running and str(todo.asked_seq) == run
        if not waits or self._routes.known(arrival.place) != (parent_of(session) or session):
            return modelwords.NOT_WAITING
        stopped = await kill(arrival, role)
        if stopped is None:
            return words.NOT_YOURS
        return modelwords.CANCELLED if stopped else modelwords.NOT_WAITING

    def _parked(self, session: str, seq: int, step: steps.Parked, until: float) -> None:
        notice, todo = self._open.get(session), self._hub.todo(session)
        place = notice.place if notice else self._routes.where(session)
        if place is None or todo is None:
            return
        key, why = notice.key if notice else _key(session, seq), because(step.why, step.causes)
        self._open[session] = _Notice(place, key, todo.asked_seq, why)
        if notice is None:
            return
        text = modelwords.parked(why, modelwords.at_time(until, step.at, self._zone))
        cancel = ((Button(modelwords.CANCEL, f"{VERB}:{todo.asked_seq}:{session}"),),)
        self._sender.card(place, key, Letter(_short(text), buttons=cancel))

    def _close(self, session: str, went_on: bool) -> None:
        if notice := self._open.pop(session, None):
            text = modelwords.no_longer_parked(notice.why, went_on)
            self._sender.card(notice.place, notice.key, Letter(_short(text)), final=True)


def _key(session: str, parked: int) -> str:
    return f"{session}:{parked}:parked:0"


def _short(text: str) -> str:
    return plain(text)[0].text
