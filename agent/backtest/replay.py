"""Shows a recorded run to a panel. What the guards say is written down; the run itself stays as it was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from time import perf_counter_ns

from agent.backtest.journal import calls, prologue
from agent.backtest.panels import nudges
from agent.backtest.runs import Run
from agent.backtest.statistics import Trial
from agent.panel import Panel
from agent.ports import Guard, Look, Nudge
from agent.steps import Level, Nudged, Step

NUDGE, HALT = "nudge", "halt"
BY_EVENT = {
    "nudge.failure": "failure",
    "nudge.repeated": "repeated",
    "nudge.streak": "streak",
    "nudge.loop": "loops",
    "stuck.halt": "stuck",
    "sticky.surfaced": "sticky",
    "nudge.shellwrite": "shellwrite",
}
"""Rules go by the event, so that one guard may speak for several and a rule has one name on every panel."""


@dataclass(slots=True)
class Timed:
    """A guard with a stop-watch, for one run. `spent` is in nanoseconds since it was last set to 0."""

    guard: Guard
    name: str
    strict: bool
    spent: int = 0

    def __deepcopy__(self, memo: dict[int, object]) -> Timed:
        return self  # it is made for one panel, and whoever made it reads the watch

    def observe(self, step: Step) -> Nudge | Look | None:
        began = perf_counter_ns()
        try:
            return self.guard.observe(step)
        finally:
            self.spent += perf_counter_ns() - began


@dataclass(slots=True)
class Replayed:
    """One panel's words on one run: the calls (from 1) on which each rule spoke, and who spoke for it."""

    length: int
    success: bool | None
    spoke: dict[str, list[int]] = field(default_factory=dict)
    speakers: dict[str, str] = field(default_factory=dict)
    faults: int = 0

    def trial(self, rule: str) -> Trial:
        return Trial(self.length, self.success, tuple(self.spoke.get(rule, ())))


def replay(run: Run, name: str, guards: Sequence[Guard], spent: list[int]) -> Replayed:
    """Show a run to a fresh panel; the nanoseconds of each call are appended to `spent`."""
    panel = Panel(guards, name)
    for step in prologue(run, name):
        panel.observe(step)
    made = calls(run)
    out = Replayed(len(made), run.success)
    for number, steps in enumerate(made, start=1):
        took = 0
        for step in steps:
            began = perf_counter_ns()
            said = panel.observe(step)
            took += perf_counter_ns() - began
            for nudged in said:
                if isinstance(nudged, Nudged):
                    _note(out, name, nudged, number)
        spent.append(took)
    out.faults = len(panel.faults)
    return out


def clock(run: Run, name: str, guards: Sequence[Guard], spent: dict[str, list[int]]) -> None:
    """Show it once more with a stop-watch on each guard; nanoseconds of each call are appended by guard."""
    seats = [Timed(deepcopy(guard), guard.name, guard.strict) for guard in guards]
    panel = Panel(seats, name)
    for step in prologue(run, name):
        panel.observe(step)
    for steps in calls(run):
        for seat in seats:
            seat.spent = 0
        for step in steps:
            panel.observe(step)
        for seat in seats:
            spent.setdefault(seat.name, []).append(seat.spent)


def rule_of(nudged: Nudged) -> str:
    """The rule that a nudge counts for."""
    return BY_EVENT.get(nudged.event, nudged.guard)


def _note(out: Replayed, panel: str, nudged: Nudged, number: int) -> None:
    rule = rule_of(nudged)
    out.speakers.setdefault(rule, nudged.guard)
    _once(out.spoke, rule, number)
    if nudges(panel, rule) and nudged.level >= Level.NOTE:
        _once(out.spoke, NUDGE, number)
    if nudged.level >= Level.STOP:
        _once(out.spoke, HALT, number)


def _once(spoke: dict[str, list[int]], rule: str, number: int) -> None:
    numbers = spoke.setdefault(rule, [])
    if not numbers or numbers[-1] != number:
        numbers.append(number)


def rules(replays: Iterable[Replayed], guards: Sequence[Guard]) -> dict[str, str]:
    """Each rule of a panel with the guard that speaks for it, in the order of the table; the wholes come last."""
    found = {guard.name: guard.name for guard in guards}
    for each in replays:
        found.update(each.speakers)
    return {**{rule: found[rule] for rule in sorted(found) if rule not in (NUDGE, HALT)}, NUDGE: "", HALT: ""}
