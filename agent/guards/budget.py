"""Budget: how many model turns a leg has left, told over the last few; and what a run, a day or a user may spend.

At 80 % of a budget the model and the chat are told, at 100 % the run is stopped. Sums of a run are a fold of its steps;
those of the day come from the usage probe, asked when a run begins and after each reply that goes on. Runs that go on
side by side share the day, and a reply that is under way isn't cut: each run may overshoot by one reply.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from agent.causes import Cause, as_data, because, plain
from agent.guards._allowance import KINDS, NOTHING, NOTICE_AT, Day, Kind, Sums, near, notice, stopped
from agent.ports import Look, Nudge
from agent.steps import KINDS as KINDS_OF_STEP
from agent.steps import (
    Asked,
    Call,
    Ended,
    Failed,
    Finished,
    Handed,
    Level,
    Outcome,
    Proposed,
    Said,
    Seen,
    Step,
)
from agent.why import Why

TOLD_OVER = 5
PROBE = "usage"
TURNS_ALONE = frozenset(KINDS_OF_STEP) - {Asked, Ended, Handed, Said}
SPENDING_TOO = TURNS_ALONE - {Failed, Finished, Proposed, Seen}


@dataclass(slots=True)
class Budget:
    """`turns` is the number of model replies in a leg. The others bound tokens, US dollars, replies and seconds of work
    by run, and of a day in all and by user; None: no limit."""

    turns: int = 20
    run_tokens: int | None = None
    run_money: float | None = None
    run_calls: int | None = None
    run_s: float | None = None
    day_tokens: int | None = None
    day_money: float | None = None
    day_calls: int | None = None
    user_day_tokens: int | None = None
    user_day_money: float | None = None
    user_day_calls: int | None = None
    name: str = "budget"
    strict: bool = False
    _used: int = field(default=0, repr=False)  # turns
    _running: bool = field(default=False, repr=False)
    _user: str = field(default="", repr=False)
    _sums: dict[str, Sums] = field(default_factory=dict, repr=False)  # by scope
    _frees: str = field(default="", repr=False)
    _due: bool = field(default=False, repr=False)  # a look that no step had room for yet
    _told: set[str] = field(default_factory=set, repr=False)  # settings, in this run
    _bounds: tuple[tuple[Kind, float], ...] | None = field(default=None, init=False, repr=False)

    @property
    def deaf(self) -> frozenset[type[Step]]:
        """Without a limit it counts turns and nothing else."""
        return SPENDING_TOO if self._limits() else TURNS_ALONE

    def observe(self, step: Step) -> Nudge | Look | None:
        match step:
            case Said():
                self._used += 1
                if self._limits():
                    self._spend(Sums.of(step.usage, step.duration))
                return self._replied(step.calls)
            case Asked() if not self._running:
                return self._begun(step)
            case Ended():
                self._running = False
            case Handed(cause="turns"):
                self._used = 0
            case Failed():
                return self._failed(step)
            case Proposed():
                return self._owed()
            case Finished() if step.outcome is not Outcome.CANCELLED:
                spent = Sums.of(step.usage, step.duration) if step.usage else Sums(seconds=max(0.0, step.duration))
                self._spend(spent)
                return self._over() or self._owed()
            case Seen():
                return self._seen(step)
            case _:
                pass
        return None

    @property
    def _shared(self) -> bool:
        """Whether there is a budget that others spend from, too."""
        return any(kind.scope != "run" for kind, _ in self._limits())

    def _limits(self) -> tuple[tuple[Kind, float], ...]:
        if self._bounds is None:
            allowed = ((kind, getattr(self, kind.setting)) for kind in KINDS)
            self._bounds = tuple((kind, most) for kind, most in allowed if most is not None)
        return self._bounds

    def left(self) -> Budget:
        """What a part of this run may spend: what is left of the run's own, and of what all share as much as it."""
        limits: dict[str, Any] = {
            kind.setting: max(0, allowed - self._of(kind)) if kind.scope == "run" else allowed
            for kind, allowed in self._limits()
        }
        return replace(Budget(self.turns), **limits)

    def _begun(self, asked: Asked) -> Look | None:
        self._running, self._used, self._user = True, 0, asked.author
        self._sums, self._told, self._due = {}, set(), self._shared
        return self._look()

    def _spend(self, sums: Sums) -> None:
        """All scopes grow by it; the next answer of the probe, which knows it too, takes the place of the day's."""
        for scope in ("run", "day", "user"):
            self._sums[scope] = self._sums.get(scope, NOTHING) + sums

    def _replied(self, calls: tuple[Call, ...]) -> Nudge | None:
        """A last word is delivered whatever it cost; only what goes on is stopped."""
        if not calls:
            return None
        if self._limits():
            self._due = self._shared
            if over := self._over():
                return over
        left = self.turns - self._used
        if 0 < left <= TOLD_OVER and left < self.turns:
            told = as_data(because(Why.TURNS_LEFT, left))
            return Nudge(Level.NOTE, _told(left), slot="turn", event="budget.notice", data=told)
        return None

    def _failed(self, failed: Failed) -> Nudge | Look | None:
        """An attempt that brought something may cost as much as a reply."""
        if failed.usage.tokens <= 0:
            self._spend(Sums(seconds=max(0.0, failed.duration)))
            return self._over()
        self._spend(Sums.of(failed.usage, failed.duration))
        self._due = self._shared
        return self._over() or self._owed()

    def _seen(self, seen: Seen) -> Nudge | None:
        if seen.usage is not None:  # a review's; what comes next is held against the budget
            self._spend(Sums.of(seen.usage, 0.0))
        if seen.probe != PROBE:
            return None
        answer = Day.parse(seen.value) if seen.status == "ok" else None
        if answer is not None:  # else what we know of ourselves has to do
            self._sums |= {"day": answer.day, "user": answer.user}
            self._frees = answer.frees
        return self._over() or self._notice()

    def _owed(self) -> Nudge | Look | None:
        return self._look() or self._notice()

    def _look(self) -> Look | None:
        if not self._due:
            return None
        self._due = False
        return Look(PROBE, json.dumps({"user": self._user}))

    def _over(self) -> Nudge | None:
        for kind, allowed in self._limits():
            if self._running and (used := self._of(kind)) >= allowed:
                self._due = False
                why = stopped(kind, used, allowed, self._frees)
                return Nudge(Level.STOP, str(why), event="budget.stop", data=_data(kind, used, allowed, why))
        return None

    def _notice(self) -> Nudge | None:
        for kind, allowed in self._limits():
            if kind.setting in self._told or not self._running or (used := self._of(kind)) < NOTICE_AT * allowed:
                continue
            self._told.add(kind.setting)
            text = notice(kind, used, allowed)
            data = _data(kind, used, allowed, near(kind, used, allowed))
            return Nudge(Level.NOTE, text, event="budget.notice", data=data)
        return None

    def _of(self, kind: Kind) -> float:
        used: float = getattr(self._sums.get(kind.scope, NOTHING), kind.measure)
        return round(used, 9)  # eight replies of 10 cents are 80 cents


def _told(left: int) -> str:
    if left == 1:
        return "This is your last turn: answer now, without a tool call. Say what is done and what isn't."
    return f"{left} turns are left, this one included. Finish what matters most, then answer."


def _data(kind: Kind, used: float, allowed: float, why: Cause) -> str:
    told = {"budget": kind.setting, "used": used, "allowed": allowed, "causes": plain(why)}
    return json.dumps(told, ensure_ascii=False)


guard = Budget
