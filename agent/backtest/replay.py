"""Shows a recorded run to a panel. What the guards say is written down; the run itself stays as it was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from time import thread_time_ns  # of this thread alone: what else the machine does is not the panel's cost

from agent.backtest.journal import calls, prologue
from agent.backtest.panels import nudges
from agent.backtest.runs import Run
from agent.backtest.statistics import Trial
from agent.panel import Panel
from agent.ports import Guard
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
class Replayed:
    """One panel's words on one run: the calls (from 1) on which each rule spoke, and who spoke for it. `journal` is
    what the guards were shown before the first call and then by call; `spent` the panel's nanoseconds by call."""

    length: int
    success: bool | None
    spoke: dict[str, list[int]] = field(default_factory=dict)
    speakers: dict[str, str] = field(default_factory=dict)
    journal: list[list[Step]] = field(default_factory=list)
    spent: list[int] = field(default_factory=list)
    faults: int = 0

    def trial(self, rule: str) -> Trial:
        return Trial(self.length, self.success, tuple(self.spoke.get(rule, ())))


def replay(run: Run, name: str, guards: Sequence[Guard]) -> Replayed:
    """Show a run to a fresh panel of these guards."""
    panel = Panel(guards, name)
    made = calls(run)
    out = Replayed(len(made), run.success)
    out.journal.append(_shown(panel, prologue(run, name)))
    for number, steps in enumerate(made, start=1):
        began = thread_time_ns()
        seen = _shown(panel, steps)
        out.spent.append(thread_time_ns() - began)
        out.journal.append(seen)
        for step in seen:
            if isinstance(step, Nudged):
                _note(out, name, step, number)
    out.faults = len(panel.faults)
    return out


def clock(guard: Guard, journal: Sequence[Sequence[Step]]) -> list[int]:
    """Show a guard alone what it heard on the panel: the nanoseconds that it took for each call."""
    alone = Panel([guard])
    spent = []
    for steps in journal:
        began = thread_time_ns()
        alone.replay(steps)  # where it raises, the panel has counted it as a fault already
        spent.append(thread_time_ns() - began)
    return spent[1:]


def rules(replays: Iterable[Replayed], guards: Sequence[Guard]) -> dict[str, str]:
    """Each rule of a panel with the guard that speaks for it, in the order of the table; the wholes come last."""
    found = {guard.name: guard.name for guard in guards}
    for each in replays:
        found.update(each.speakers)
    return {**{rule: found[rule] for rule in sorted(found)}, NUDGE: "", HALT: ""}


def _shown(panel: Panel, steps: Sequence[Step]) -> list[Step]:
    """The steps with what the panel said to each, as an append would hold them."""
    out: list[Step] = []
    for step in steps:
        out.append(step)
        out += panel.observe(step)
    return out


def _note(out: Replayed, panel: str, nudged: Nudged, number: int) -> None:
    if not nudged.text:  # a slot is cleared: nothing is said
        return
    rule = BY_EVENT.get(nudged.event, nudged.guard)
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
