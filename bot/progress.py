"""When a run's status card is shown: late enough that a quick answer needs none, often enough to be alive."""

from __future__ import annotations

import asyncio
import datetime
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from agent import Clock, Delta, parent_of, steps
from bot import words
from bot.awaiting import Awaiting
from bot.card import Card, remark
from bot.channel import Button, Letter, Place
from bot.hidden import hidden
from bot.oneline import clip
from bot.outbox import Sender
from bot.paging import button as details_button
from bot.routes import Routes
from bot.verbosity import TELLS, is_loud

logger = logging.getLogger(__name__)

FIRST_S = 0.7  # a run that is shorter than this shows no card
FIRST_CALLS = 2  # ... unless it makes this many calls
TICK_S = 5.0  # the elapsed time moves on by itself
NUDGE = 400  # characters of a nudge in chat


@dataclass(slots=True)
class _Shown:
    card: Card
    key: str
    place: Place
    asked: int  # the seq that began the run
    task: asyncio.Task[None] | None = None
    visible: bool = False
    told: dict[str, int] = field(default_factory=dict)  # event -> how often


class Progress:
    """Watches the steps of one channel's sessions and keeps a card for each run."""

    def __init__(
        self,
        routes: Routes,
        sender: Sender,
        clock: Clock,
        turns: int,
        zone: datetime.tzinfo = datetime.UTC,
        model: str = "",
    ) -> None:
        """`zone` is for times of day, `model` the settings' own."""
        self._routes, self._sender, self._clock, self._turns = routes, sender, clock, turns
        self._zone, self._model = zone, model
        self._runs: dict[str, _Shown] = {}
        self._speakers: dict[str, str] = {}  # session -> the model that its leg opened with
        self.tells: Callable[[Place, steps.Nudged], bool] = lambda place, step: is_loud(step) and step.level in TELLS
        self.mask: Callable[[str], str] = lambda text: text  # what is shaped like a key isn't for a chat

    def watch(self, session: str, seq: int, step: steps.Step) -> None:
        """A watcher of the hub's: takes the step and returns at once."""
        if isinstance(step, steps.Opened):
            self._speakers[session] = step.model
        if parent := parent_of(session):
            self._inner(parent, step)
            return
        run = self._runs.get(session) or self._begin(session, seq, step)
        if run is None:
            return
        run.card.fold(hidden(step, self.mask))
        self._keep_ticking(session, run)
        if isinstance(step, steps.Nudged) and self.tells(run.place, step):
            self._tell(run, step)
        if isinstance(step, steps.Ended):
            self._end(session, run)
        elif run.visible:
            self._show(session, run)
        elif run.card.calls >= FIRST_CALLS or run.card.paused or isinstance(step, steps.Parked):
            run.visible = True
            self._show(session, run)

    def _inner(self, parent: str, step: steps.Step) -> None:
        """A step of a sub-agent: it shows in its parent's card."""
        run = self._runs.get(parent)
        if run is not None and run.card.inner(step) and run.visible:
            self._show(parent, run)

    def hear(self, session: str, delta: Delta) -> None:
        """What the hub's `on_delta` brings: how many requests wait before this run's."""
        run = self._runs.get(session)
        if run is None or delta.ahead is None or run.card.awaiting.ahead == delta.ahead:
            return
        run.card.awaiting.ahead = delta.ahead
        if run.visible:
            self._show(session, run)

    def _tell(self, run: _Shown, nudged: steps.Nudged) -> None:
        """One silent message a kind and run, counted in place (SPEC T5)."""
        count = run.told[nudged.event] = run.told.get(nudged.event, 0) + 1
        letter = Letter(clip(self.mask(words.nudged(remark(nudged), count)), NUDGE), silent=True)
        self._sender.card(run.place, _told_key(run, nudged.event), letter, final=True)

    def _tell_the_rest(self, run: _Shown) -> None:
        """What had no time to be told while a quick run went on comes as one message after its answer, not as many."""
        waiting = [self._sender.withdraw(run.place, _told_key(run, event)) for event in run.told]
        if rest := [letter.text for letter in waiting if letter]:
            self._sender.card(run.place, _told_key(run, "rest"), Letter("\n".join(rest), silent=True), final=True)

    def restore(self, session: str, place: Place, journal: list[tuple[int, steps.Step]]) -> None:
        """After a restart: the card of the run that goes on, under the key that it had."""
        begun: int | None = None
        for seq, step in journal if not parent_of(session) else ():
            match step:
                case steps.Asked() if begun is None:
                    begun = seq
                case steps.Ended():
                    begun = None
                case _:
                    pass
        if begun is None:
            return
        for step in (step for _, step in journal if isinstance(step, steps.Opened)):
            self._speakers[session] = step.model
        run = self._runs[session] = _Shown(self._card(session), card_key(session, begun), place, begun)
        for seq, step in journal:
            if seq >= begun:
                run.card.fold(hidden(step, self.mask))
                if isinstance(step, steps.Nudged) and self.tells(place, step):
                    run.told[step.event] = run.told.get(step.event, 0) + 1
        self._keep_ticking(session, run)
        if run.card.awaiting.parked or run.card.paused:
            run.visible = True
            self._show(session, run)

    def _begin(self, session: str, seq: int, step: steps.Step) -> _Shown | None:
        place = self._routes.where(session)
        if not isinstance(step, steps.Asked) or place is None:
            return None
        run = self._runs[session] = _Shown(self._card(session), card_key(session, seq), place, seq)
        return run

    def _card(self, session: str) -> Card:
        model = self._speakers.get(session, self._model)
        return Card(self._turns, awaiting=Awaiting(self._zone, model))

    def _keep_ticking(self, session: str, run: _Shown) -> None:
        """Time moves on in the card of a run that works; one that is parked for hours isn't edited for hours."""
        rests = run.card.awaiting.parked or run.card.paused
        if rests and run.task:
            run.task.cancel()
            run.task = None
        elif not rests and not run.card.ended and run.task is None:
            run.task = asyncio.create_task(self._tick(session, run), name=f"card {session}")

    async def _tick(self, session: str, run: _Shown) -> None:
        await self._clock.sleep(FIRST_S)
        while True:
            run.visible = True
            self._show(session, run)
            await self._clock.sleep(TICK_S)

    def _end(self, session: str, run: _Shown) -> None:
        del self._runs[session]
        if run.task:
            run.task.cancel()
        self._tell_the_rest(run)
        if run.visible:
            buttons = ((details_button(session, run.asked),),) if run.card.calls else ()
            letter = Letter(self.mask(run.card.text(self._clock.now())), buttons=buttons, silent=True)
            self._sender.card(run.place, run.key, letter, final=True)

    def _show(self, session: str, run: _Shown) -> None:
        letter = Letter(self.mask(run.card.text(self._clock.now())), buttons=_buttons(session, run), silent=True)
        self._sender.card(run.place, run.key, letter)


def _buttons(session: str, run: _Shown) -> tuple[tuple[Button, ...], ...]:
    verb, text = ("resume", words.RESUME) if run.card.paused else ("pause", words.PAUSE)
    row = (Button(words.STOP, f"stop:{session}"), Button(text, f"{verb}:{session}"))
    return ((*row, details_button(session, run.asked)),)


def _told_key(run: _Shown, what: str) -> str:
    return f"{run.key}:{what}"


def card_key(session: str, asked: int) -> str:
    """The outbox key of the card of the run that began at `asked`."""
    return f"{session}:{asked}:card"
