"""Seed rule `sticky`: a tool stem that was tried three times or failed in three ways stands at the top of every turn
until it is cleared, two stems at most, by attempts (SPEC 2.2, column "seed rule").

The letter leaves open what clears a stem and how the two counts differ. Here a success clears it and starts the
attempts anew, while the kinds of error are counted over the run, so that a stem which flaps is caught as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.guards.seed._iteration import Done, Iterations
from agent.guards.seed._kinds import command
from agent.guards.seed._voices import STICKY, quoted
from agent.ports import Nudge
from agent.steps import Ended, Level, Step

ATTEMPTS = 3
SIGNATURES = 3
SHOWN = 2
STEM, QUOTED = 40, 60  # characters


@dataclass(slots=True)
class _Trouble:
    """A stem that has failed: failures since it last succeeded, its kinds of error over the run, the newest of them."""

    attempts: int = 0
    signatures: set[str] = field(default_factory=set)
    newest: str = ""

    @property
    def sticks(self) -> bool:
        return self.attempts > 0 and (self.attempts >= ATTEMPTS or len(self.signatures) >= SIGNATURES)


@dataclass(slots=True)
class Sticky:
    """A tool or program that keeps failing is named each turn."""

    name: str = "sticky"
    strict: bool = False
    _iterations: Iterations = field(default_factory=Iterations, repr=False)
    _stems: dict[str, _Trouble] = field(default_factory=dict, repr=False)

    def observe(self, step: Step) -> Nudge | None:
        if isinstance(step, Ended):
            self._stems = {}
        ended = self._iterations.ended(step)
        for done in ended:
            self._take(done)
        stuck = [(stem, trouble) for stem, trouble in self._stems.items() if trouble.sticks] if ended else []
        if not stuck:
            return None
        stuck.sort(key=lambda each: -each[1].attempts)  # stable: of equals the one that failed first
        text = "\n".join(["Still unresolved:", *[_line(*each) for each in stuck[:SHOWN]]])
        return Nudge(Level.NOTE, text, slot=STICKY, event="sticky.surfaced")

    def _take(self, done: Done) -> None:
        if done.succeeded and self._stems:
            if trouble := self._stems.get(stem(done)):
                trouble.attempts = 0
        elif done.failed:
            trouble = self._stems.setdefault(stem(done), _Trouble())
            trouble.attempts += 1
            trouble.newest = done.error
            if done.error:
                trouble.signatures.add(done.error)


def stem(done: Done) -> str:
    """The program that a command line begins with, else the tool."""
    words = command(done).split(None, 1)
    return (words[0].rpartition("/")[2] or words[0]) if words else done.call.name


def _line(name: str, trouble: _Trouble) -> str:
    kinds = len(trouble.signatures)
    told = f"- {name[:STEM]}: failed {trouble.attempts}x, {kinds} kind{'' if kinds == 1 else 's'} of error"
    return f"{told}, last {quoted(trouble.newest, QUOTED)}" if trouble.newest else told


guard = Sticky
