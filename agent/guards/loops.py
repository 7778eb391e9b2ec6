"""Loops: the same results again and again. A NOTE first; then the same call is answered from before; then STOP.

Weights and readings are those that meet the aims on recorded runs (`jarvis backtest`). They differ from the letter in:
results seen before 40 % of the last 10 instead of 34 (34 alarms on a success of tau-bench), judged from 5 calls instead
of 6 (InterCode + 0.7 points), short outputs (see _repeats), and the STOP for a NOTE that was ignored (3 further repeats
within 10 calls: SUPER 37.2 -> 39.7 % of failed runs, InterCode 43.4 -> 57, both aims missed without it). A STOP comes
only once the model has read a NOTE. Waiting for a job is no loop; a result that grows is another result.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from agent.causes import Cause, as_data, because, english
from agent.guards._calls import UNHEARD, Asking, Calls, Done, Mark, Result, command_of
from agent.guards._repeats import HALF, Sightings
from agent.guards._words import bare, fitted, listed, quoted
from agent.ports import Nudge
from agent.steps import Level, Proposed, Step
from agent.why import Why

WINDOW, FULL = 10, 15  # calls
SAME, SAME_STOP = 3.0, 4.0  # weighted times that one call brought one result
SHARE, SHARE_STOP = 0.4, 0.34  # of results that were seen before
JUDGED_FROM = 5  # calls
PERIODS, LAPS = range(2, 9), 3
KEPT = PERIODS[-1] * LAPS
IGNORED = 3  # repeats after the NOTE
FORGIVEN = 20  # calls without a repeat after the NOTE
FRESH_S = 60.0  # a result older than that is looked at anew


@dataclass(slots=True, eq=False)
class Lap:
    """One call of the window. `weight` and `sure`: what its result weighs for a NOTE and for a STOP, 0 if it is new."""

    done: Done
    asked: Asking
    result: Result
    number: int
    held: bool = False  # it was answered from before
    weight: float = 0.0
    sure: float = 0.0


@dataclass(slots=True)
class Loops:
    name: str = "loops"
    strict: bool = False
    deaf: ClassVar[frozenset[type[Step]]] = UNHEARD - {Proposed}
    calls: Calls = field(default_factory=Calls, init=False, repr=False)
    _sightings: Sightings = field(default_factory=Sightings, repr=False)
    _laps: list[Lap] = field(default_factory=list, repr=False)  # as many as the longest cycle needs
    _held: dict[str, Lap] = field(default_factory=dict, repr=False)  # call -> the lap that answers it
    _told: int | None = field(default=None, repr=False)  # the turn of the NOTE
    _since: int = field(default=0, repr=False)  # calls after it
    _stopped: bool = field(default=False, repr=False)

    def observe(self, step: Step) -> Nudge | None:
        what = self.calls.read(step)
        if what is None:
            return self._proposed(step) if self._told is not None and isinstance(step, Proposed) else None
        if isinstance(what, Done):
            return self._finished(what)
        self._told, self._stopped = None, False
        if what is Mark.RUN:
            self._sightings = Sightings()
            self._laps.clear()
            self._held.clear()
        else:
            self._sightings.deeds.add(None)
        return None

    # -- answered from before ---------------------------------------------------------------------------------------
    def _proposed(self, step: Proposed) -> Nudge | None:
        asked = self.calls.asked(step.call)
        same = [lap for lap in self._laps[-WINDOW:] if not lap.held and lap.asked == asked]
        if len(same) < 2 or same[-1].result != same[-2].result:
            return None
        newest = same[-1]
        if step.at >= newest.done.ended.at + FRESH_S or self._sightings.deeds.changed(newest.number):
            return None
        if newest.done.waited:
            return None
        self._held[step.call.id] = newest
        text = (
            f"{newest.done.ended.text}\n[Not run again: this is what the same call brought before, more than once, and "
            "nothing has changed since. Do something else, or answer with what you know.]"
        )
        return Nudge(Level.HOLD, text, event="nudge.loop", data=as_data(because(Why.CALL_HELD)))

    # -- judged -----------------------------------------------------------------------------------------------------
    def _finished(self, done: Done) -> Nudge | None:
        answer = self._held.pop(done.ended.call_id, None)
        if answer is not None:
            lap = Lap(done, done.asked, answer.result, answer.number, held=True, weight=1.0, sure=1.0)
        else:
            number, seen, surely = self._sightings.add(done)
            lap = Lap(done, done.asked, done.result, number)
            if seen is not None and not done.waited:
                lap.weight = self._sightings.weight(seen)
                lap.sure = lap.weight if surely == seen else self._sightings.weight(surely)
        self._laps.append(lap)
        if len(self._laps) > KEPT:
            del self._laps[0]
        if self._told is not None and self._told != self.calls.turn:  # else the model hasn't read it yet
            self._since += 1
        elif not lap.weight:
            return None
        return None if self._stopped else self._judged(lap)

    def _judged(self, lap: Lap) -> Nudge | None:
        if self._told is None:
            return self._note(lap)
        if self._told == self.calls.turn:
            return None
        if stop := self._stop(lap):
            self._stopped, self._told = True, None
            why = (stop, because(Why.HOW_TO_GO_ON))
            return Nudge(Level.STOP, english(*why), rank=2, event="nudge.loop", data=as_data(*why))
        if self._since >= FORGIVEN and not any(lap.sure for lap in self._laps[-FORGIVEN:]):
            self._told = None
        return None

    def _same(self, lap: Lap) -> float:
        """How often this call brought this result in the window; a time before a change counts half."""
        window = self._laps[-WINDOW:]
        alike = [other for other in window if other.result == lap.result and other.asked == lap.asked]
        if len(alike) < SAME or lap.done.waited:
            return 0.0
        total, weight = 0.0, 1.0
        for other in reversed(window):
            if other in alike:
                total += weight
            elif weight == 1.0 and not other.held and other.done.deed.changed:
                weight = HALF
        return total

    def _note(self, lap: Lap) -> Nudge | None:
        window = self._laps[-WINDOW:]
        if self._same(lap) >= SAME:
            text, why = _same_call(lap, sum(_alike(lap, other) for other in window))
        elif period := _period(self._laps):
            text, why = _cycle([other.asked for other in self._laps[-period:]])
        elif len(window) >= JUDGED_FROM and sum([other.weight for other in window]) >= SHARE * len(window):
            text, why = _circle([other.asked for other in window if other.weight], len(window))
        else:
            return None
        self._told, self._since = self.calls.turn, 0
        return Nudge(Level.NOTE, text, rank=2, event="nudge.loop", data=as_data(why))

    def _stop(self, lap: Lap) -> Cause | None:
        """Why the run must end, if it must."""
        if self._same(lap) >= SAME_STOP:
            what = quoted(_command(lap.asked), 120)
            return because(Why.CALL_STOP, what)
        full = self._laps[-FULL:]
        if len(full) == FULL and sum([other.sure for other in full]) >= SHARE_STOP * FULL:
            again = sum(other.sure > 0 for other in full)
            return because(Why.CIRCLE_STOP, again, FULL)
        if not lap.sure:
            return None
        count = sum([other.sure > 0 for other in self._laps[-min(self._since, WINDOW) :]])
        if count >= IGNORED:
            what = quoted(_command(lap.asked), 120)
            return because(Why.AFTER_WARNING, count, what)
        return None


def _period(laps: list[Lap]) -> int:
    """The shortest period above 1 in which the last calls, with their results, repeat; 0 if there is none."""
    last = laps[-1]
    for period in PERIODS:
        size = period * LAPS
        if len(laps) < size:
            return 0
        if _alike(laps[-1 - period], last):
            tail = laps[-size:]
            if all(map(_alike, tail, tail[period:])) and not all(_alike(lap, last) for lap in tail):
                return period
    return 0


def _alike(one: Lap, other: Lap) -> bool:
    return one.result == other.result and one.asked == other.asked


def _command(asked: Asking) -> str:
    return bare(command_of(asked[1])) if asked[0] == "shell" else f"{asked[0]} {asked[1]}"


def _same_call(lap: Lap, times: int) -> tuple[str, Cause]:
    what = quoted(_command(lap.asked), 120)
    text = fitted(
        f"[loop] The same call has brought the same result {times} times: `{what}`.",
        "Once more brings nothing new, and it will be answered from before instead of run.",
        "Take a different approach, or answer with what you know.",
    )
    return text, because(Why.CALL_AGAIN, times, what)


def _cycle(asked: list[Asking]) -> tuple[str, Cause]:
    calls = listed(map(_command, asked), 4, 50)
    text = fitted(
        f"[loop] You are going in circles: the same {len(asked)} calls with the same results, {LAPS} rounds: {calls}.",
        "Use what they brought, take a different approach, or answer with what you know.",
    )
    return text, because(Why.CYCLE, len(asked), LAPS, calls)


def _circle(asked: list[Asking], of: int) -> tuple[str, Cause]:
    calls = listed(map(_command, asked), 3, 60)
    text = fitted(
        f"[loop] {len(asked)} of the last {of} results were the same as earlier ones ({calls}).",
        "You are going in circles: use what you have, take a different approach, or say what is missing.",
    )
    return text, because(Why.CIRCLE, len(asked), of, calls)


guard = Loops
