"""Loops: the same results again and again. A NOTE first; then the same call is answered from before; then STOP.

Weights and readings are those that meet the aims on recorded runs (`jarvis backtest`). They differ from the letter in:
results seen before 40 % of the last 10 instead of 34 (34 alarms on a success of tau-bench), judged from 5 calls instead
of 6 (InterCode + 0.7 points), short outputs (see _repeats), and the STOP for a NOTE that was ignored (3 further repeats
within 10 calls: SUPER 37.2 -> 39.7 % of failed runs, InterCode 43.4 -> 57, both aims missed without it). A STOP comes
only once the model has read a NOTE. Waiting for a job is no loop; a result that grows is another result.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import partial

from agent.guards._calls import Asking, Calls, Deed, Done, Mark, Result, command_of
from agent.guards._repeats import HALF, Sightings
from agent.guards._words import fitted, listed, quoted
from agent.ports import Nudge
from agent.steps import Level, Proposed, Step

WINDOW, FULL = 10, 15  # calls
SAME, SAME_STOP = 3.0, 4.0  # weighted times that one call brought one result
SHARE, SHARE_STOP = 0.4, 0.34  # of results that were seen before
JUDGED_FROM = 5  # calls
PERIODS, LAPS = range(2, 9), 3
IGNORED = 3  # repeats after the NOTE
FORGIVEN = 20  # calls without a repeat after the NOTE
FRESH_S = 60.0  # a result older than that is looked at anew


@dataclass(slots=True, eq=False)
class Lap:
    """One call of the window."""

    asked: Asking
    result: Result
    deed: Deed | None  # None: it was answered from before


@dataclass(slots=True)
class Known:
    """The newest result of a call, and how often it came in a row."""

    result: Result
    text: str
    at: float
    number: int  # of its call
    times: int = 1


@dataclass(slots=True)
class Loops:
    name: str = "loops"
    strict: bool = False
    _calls: Calls = field(default_factory=Calls, repr=False)
    _sightings: Sightings = field(default_factory=Sightings, repr=False)
    _laps: list[Lap] = field(default_factory=list, repr=False)  # as many as the longest cycle needs
    _weights: deque[float] = field(default_factory=lambda: deque(maxlen=WINDOW), repr=False)
    _sure: deque[float] = field(default_factory=lambda: deque(maxlen=FULL), repr=False)
    _known: dict[Asking, Known] = field(default_factory=dict, repr=False)
    _held: set[str] = field(default_factory=set, repr=False)
    _told: int | None = field(default=None, repr=False)  # the turn of the NOTE
    _since: deque[bool] = field(default_factory=lambda: deque(maxlen=FORGIVEN), repr=False)  # repeats after it
    _stopped: bool = field(default=False, repr=False)

    def observe(self, step: Step) -> Nudge | None:
        what = self._calls.fold(step)
        if what is None:
            return self._proposed(step) if self._told is not None and isinstance(step, Proposed) else None
        match what:
            case Done():
                return None if what.waited else self._finished(what)
            case Mark.RUN:
                self._begin()
            case Mark.MESSAGE:
                self._sightings.deeds.add(None)
                self._told, self._stopped = None, False
                self._since.clear()
        return None

    def _begin(self) -> None:
        self._sightings = Sightings()
        for memory in (self._laps, self._weights, self._sure, self._known, self._held, self._since):
            memory.clear()
        self._told, self._stopped = None, False

    # -- answered from before ---------------------------------------------------------------------------------------
    def _proposed(self, step: Proposed) -> Nudge | None:
        known = self._known.get(self._calls.asked(step.call))
        if known is None or known.times < 2 or step.at >= known.at + FRESH_S:
            return None
        if self._sightings.deeds.changed(known.number):
            return None
        self._held.add(step.call.id)
        text = (
            f"{known.text}\n[Not run again: this is the result that the same call brought {known.times} times already, "
            "and nothing has changed since. Do something else, or answer with what you know.]"
        )
        return Nudge(Level.HOLD, text, event="nudge.loop")

    # -- judged -----------------------------------------------------------------------------------------------------
    def _finished(self, done: Done) -> Nudge | None:
        if done.ended.call_id in self._held:
            self._held.discard(done.ended.call_id)
            known = self._known.get(done.asked)
            lap, weight, sure = Lap(done.asked, known.result if known else (), None), 1.0, 1.0
        else:
            seen, surely = self._sightings.add(done)
            weight = self._sightings.weight(seen)
            sure = weight if surely == seen else self._sightings.weight(surely)
            lap = Lap(done.asked, done.result, done.deed)
            self._remember(done)
        self._laps.append(lap)
        del self._laps[: -PERIODS[-1] * LAPS]
        self._weights.append(weight)
        self._sure.append(sure)
        return self._judged(lap, weight > 0, sure > 0)

    def _remember(self, done: Done) -> None:
        before = self._known.pop(done.asked, None)
        times = before.times + 1 if before and before.result == done.result else 1
        self._known[done.asked] = Known(done.result, done.ended.text, done.ended.at, self._sightings.deeds.now, times)
        if len(self._known) > WINDOW:
            del self._known[next(iter(self._known))]

    def _judged(self, lap: Lap, known: bool, repeated: bool) -> Nudge | None:
        """Judge the newest call: `known` if its result was seen before, `repeated` if surely so."""
        if self._stopped:
            return None
        same = self._same(lap) if known else 0.0
        if self._told is None:
            return self._note(lap, same) if known else None
        if self._told == self._calls.turn:
            return None  # the model hasn't read it yet
        self._since.append(repeated)
        if stop := self._stop(lap, same, repeated):
            self._stopped, self._told = True, None
            return Nudge(Level.STOP, stop, rank=2, event="nudge.loop")
        if len(self._since) == FORGIVEN and not any(self._since):
            self._told = None
        return None

    def _same(self, lap: Lap) -> float:
        """How often this call brought this result in the window; a time before a change counts half."""
        window = self._laps[-WINDOW:]
        if sum(map(partial(_alike, lap), window)) < SAME:
            return 0.0
        total, weight = 0.0, 1.0
        for other in reversed(window):
            if _alike(lap, other):
                total += weight
            elif weight == 1.0 and other.deed and other.deed.changed:
                weight = HALF
        return total

    def _note(self, lap: Lap, same: float) -> Nudge | None:
        text = ""
        if same >= SAME:
            text = _same_call(lap, sum(other.asked == lap.asked for other in self._laps[-WINDOW:]))
        elif period := _period(self._laps):
            text = _cycle([other.asked for other in self._laps[-period:]])
        elif len(self._weights) >= JUDGED_FROM and sum(self._weights) >= SHARE * len(self._weights):
            window = self._laps[-len(self._weights) :]
            text = _circle([o.asked for o, weight in zip(window, self._weights, strict=True) if weight], len(window))
        if not text:
            return None
        self._told = self._calls.turn
        self._since.clear()
        return Nudge(Level.NOTE, text, rank=2, event="nudge.loop")

    def _stop(self, lap: Lap, same: float, repeated: bool) -> str:
        """Why the run must end, in words for a person; "" if it needn't."""
        what = quoted(_command(lap.asked), 120)
        if same >= SAME_STOP:
            return f"I stopped: the same call keeps bringing the same result, also after a warning: `{what}`. {ASKED}"
        if len(self._sure) == FULL and sum(self._sure) >= SHARE_STOP * FULL:
            again = sum(weight > 0 for weight in self._sure)
            return f"I stopped: I was going in circles, {again} of the last {FULL} results were known before. {ASKED}"
        if repeated and (count := sum(list(self._since)[-WINDOW:])) >= IGNORED:
            return f"I stopped: after a warning {count} more results were as before, the last one of `{what}`. {ASKED}"
        return ""


ASKED = "Nothing new comes of it. How shall I go on?"


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
    return command_of(asked[1]) if asked[0] == "shell" else f"{asked[0]} {asked[1]}"


def _same_call(lap: Lap, times: int) -> str:
    return fitted(
        f"[loop] The same call has brought the same result {times} times: `{quoted(_command(lap.asked), 120)}`.",
        "Once more brings nothing new, and it will be answered from before instead of run.",
        "Take a different approach, or answer with what you know.",
    )


def _cycle(asked: list[Asking]) -> str:
    return fitted(
        f"[loop] You are going in circles: the same {len(asked)} calls with the same results, {LAPS} rounds: "
        f"{listed(map(_command, asked), 4, 50)}.",
        "Use what they brought, take a different approach, or answer with what you know.",
    )


def _circle(asked: list[Asking], of: int) -> str:
    return fitted(
        f"[loop] {len(asked)} of the last {of} results were the same as earlier ones "
        f"({listed(map(_command, asked), 3, 60)}).",
        "You are going in circles: use what you have, take a different approach, or say what is missing.",
    )


guard = Loops
