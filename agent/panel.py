"""The panel shows each step to the guards and turns what they say into steps of the same append.

Pure. Guards are watched in the order of their names, but no result depends on that order. A guard whose class names the
kinds of steps that tell it nothing (`deaf`) isn't shown those: they are most of a journal. What was judged before is
shown to a guard's method `recall`, if it has one, where that costs less than to judge it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import ClassVar, Protocol

from agent.ports import Guard, Look, Nudge
from agent.steps import KINDS, Finished, Level, Looking, Nudged, Proposed, Seen, Started, Step


@dataclass(frozen=True, slots=True)
class Fault:
    """A guard raised; it was silent for this step, or held the call if it is declared strict."""

    guard: str
    step: str
    error: BaseException


class Panel:
    """The guards of one session and what they remember. `prototypes` are copied, so sessions never share a memory."""

    def __init__(self, prototypes: Sequence[Guard], name: str = "ours") -> None:
        self.name = name
        self._guards = sorted((deepcopy(g) for g in prototypes), key=lambda g: g.name)
        self._shared = _shared(self._guards)
        deaf: list[tuple[Guard, frozenset[type[Step]]]] = [(g, getattr(g, "deaf", frozenset())) for g in self._guards]
        self._hearing = {kind: tuple([guard for guard, kinds in deaf if kind not in kinds]) for kind in KINDS}
        self._recalling = {
            kind: tuple([(guard, getattr(guard, "recall", guard.observe)) for guard in guards])
            for kind, guards in self._hearing.items()
        }
        self._folding = {kind: tuple([c.fold for c in self._shared if kind not in c.deaf]) for kind in KINDS}
        self._looks = 0
        self._about: dict[str, str | None] = {}  # look -> the call it is about
        self.faults: list[Fault] = []  # drained by whoever logs

    def observe(self, step: Step) -> list[Nudged | Looking]:
        """Judge a step that is about to be written: the nudges and looks that belong into the same append."""
        said: list[tuple[Guard, Nudge | Look]] = []
        kind = type(step)
        for fold in self._folding[kind]:
            fold(step)
        for guard in self._hearing[kind]:
            try:
                answer = guard.observe(step)
            except Exception as error:  # a guard's bug must not take a chat down
                answer = self._at_fault(guard, step, error)
            if answer is not None:
                said.append((guard, answer))
        if not said:
            return []
        out = self._written(step, said)
        heard = self.replay(out)
        more = self._written(step, heard) if heard else []
        self.replay(more)
        return out + more

    def _written(self, step: Step, said: list[tuple[Guard, Nudge | Look]]) -> list[Nudged | Looking]:
        about = self._about.get(step.look) if isinstance(step, Seen) else _call_of(step)
        nudges = [(guard.name, answer) for guard, answer in said if isinstance(answer, Nudge)]
        out: list[Nudged | Looking] = [
            _nudged(step.at, name, nudge, about) for name, nudge in _one_voice_a_slot(nudges)
        ]
        if len(nudges) == len(said):
            return out
        looks = [(guard.name, answer) for guard, answer in said if isinstance(answer, Look)]
        for offset, (name, look) in enumerate(looks, start=self._looks + 1):
            out.append(
                Looking(at=step.at, look=f"look-{offset}", guard=name, probe=look.probe, args=look.args, about=about)
            )
        return out

    def replay(self, steps: Iterable[Step]) -> list[tuple[Guard, Nudge | Look]]:
        """Show steps that were judged before (a re-opened journal, our own nudges): guards remember, nobody speaks.
        What comes back is their answer to our own nudges, where they heed the event (`heeds`): a look or a note."""
        heard: list[tuple[Guard, Nudge | Look]] = []
        for step in steps:
            if isinstance(step, Looking):
                self._looks += 1
                self._about[step.look] = step.about
            kind = type(step)
            for fold in self._folding[kind]:
                fold(step)
            for guard, recall in self._recalling[kind]:
                try:
                    answer = recall(step)
                except Exception as error:
                    self._at_fault(guard, step, error)
                    continue
                if answer is not None and isinstance(step, Nudged) and step.event in getattr(guard, "heeds", ()):
                    heard.append((guard, answer))
        return heard

    def _at_fault(self, guard: Guard, step: Step, error: Exception) -> Nudge | None:
        """It is silent for this step, or holds the call if it is declared strict."""
        self.faults.append(Fault(guard.name, type(step).__name__, error))
        held = isinstance(step, Proposed) or (isinstance(step, Seen) and self._about.get(step.look) is not None)
        if not (guard.strict and held):
            return None
        text = f"Not run: the check {guard.name!r} failed by itself, and without it this call is not allowed."
        return Nudge(Level.HOLD, text, event="guard.fault")


class _Calls(Protocol):
    """What several guards fold alike, but for the kinds of steps that tell it nothing."""

    deaf: ClassVar[frozenset[type[Step]]]

    def fold(self, step: Step) -> None: ...


def _shared(guards: Sequence[Guard]) -> tuple[_Calls, ...]:
    """One `calls` of each kind for all the guards that have such a field: it is folded once, before they are shown the
    step, so that none of them depends on another."""
    kept: dict[type, _Calls] = {}
    for guard in guards:
        if (own := getattr(guard, "calls", None)) is not None:
            guard.calls = kept.setdefault(type(own), own)  # type: ignore[attr-defined]
    return tuple(kept.values())


def _one_voice_a_slot(nudges: list[tuple[str, Nudge]]) -> list[tuple[str, Nudge]]:
    """Keep every nudge without a slot, and of each slot the one of the highest level, then rank, then first name."""
    if len(nudges) < 2 or sum([nudge.slot is not None for _, nudge in nudges]) < 2:
        return nudges
    best: dict[str, tuple[str, Nudge]] = {}
    for name, nudge in nudges:
        if nudge.slot is None:
            continue
        held = best.get(nudge.slot)
        if held is None or (nudge.level, nudge.rank) > (held[1].level, held[1].rank):
            best[nudge.slot] = (name, nudge)
    kept = {id(n) for _, n in best.values()}
    return [(name, n) for name, n in nudges if n.slot is None or id(n) in kept]


def _nudged(at: float, guard: str, n: Nudge, about: str | None) -> Nudged:
    return Nudged(
        at=at,
        guard=guard,
        event=n.event,
        level=n.level,
        text=n.text,
        slot=n.slot,
        rank=n.rank,
        about=about,
        data=n.data,
    )


def _call_of(step: Step) -> str | None:
    match step:
        case Finished() | Started():
            return step.call_id
        case Proposed():
            return step.call.id
        case _:
            return None
