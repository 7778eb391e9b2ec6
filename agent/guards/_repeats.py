"""Which results a run has seen before, and what each counts for.

A result counts by the tool and itself, whatever the arguments, with these exceptions: an answer "no" (a grep without a
match) and the word of a service that it has changed something count only with equal arguments, and so does what is
known to have changed something. Against the letter (outputs under 3 characters never count) an empty result counts
where its call isn't known to have changed anything: SQL's `[]` and silence are the commonest stall of InterCode (nudges
there 72.6 % of failed runs without it, at 1.2 % of successes against 2.3). For a STOP it counts with equal arguments
only.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from agent.guards._calls import ANSWERED_NO, BAD_ARGUMENTS, Deed, Done

HALF = 0.5  # of a repeat with a change since the last sighting
REMEMBERED = 500  # calls of a run; older ones are forgotten


@dataclass(slots=True)
class Deeds:
    """The calls of a run by number, for what may have made an old result new: changes, and words of a person."""

    _deeds: list[Deed | None] = field(default_factory=list, repr=False)  # None: somebody spoke
    _dropped: int = field(default=0, repr=False)

    @property
    def now(self) -> int:
        """The number of the newest."""
        return self._dropped + len(self._deeds) - 1

    @property
    def first(self) -> int:
        """The number of the oldest that is remembered."""
        return self._dropped

    def add(self, deed: Deed | None) -> int:
        """Append; returns its number."""
        self._deeds.append(deed)
        if len(self._deeds) > REMEMBERED:
            del self._deeds[: REMEMBERED // 2]
            self._dropped += REMEMBERED // 2
        return self._dropped + len(self._deeds) - 1

    def changed(self, after: int, before: int | None = None) -> bool:
        """Whether something changed after that call (and before the other)."""
        if after < self._dropped - 1:
            return True
        end = None if before is None else before - self._dropped
        for deed in reversed(self._deeds[after + 1 - self._dropped : end]):
            if deed is None or (deed.changed if deed.known is None else deed.known):
                return True
        return False


@dataclass(slots=True)
class Sightings:
    """The results of a run."""

    deeds: Deeds = field(default_factory=Deeds)
    _last: dict[Hashable, int] = field(default_factory=dict, repr=False)  # result -> number of its last call

    def add(self, done: Done) -> tuple[int, int | None, int | None]:
        """The call's number, and those at which its result was last seen, for a NOTE and for a STOP."""
        loose, sure = keys(done)
        last = self._last
        seen = surely = last.get(loose)
        number = last[loose] = self.deeds.add(done.deed)
        if sure is not loose:
            surely = last.get(sure)
            last[sure] = number
        if len(last) > 3 * REMEMBERED:
            self._last = {key: number for key, number in self._last.items() if number >= self.deeds.first}
        return number, seen, surely

    def weight(self, number: int | None) -> float:
        """What the newest result weighs that was last seen at that call; its own change isn't one in between."""
        return 0.0 if number is None else HALF if self.deeds.changed(number, self.deeds.now) else 1.0


def keys(done: Done) -> tuple[Hashable, Hashable]:
    """Under which a result counts as seen, for a NOTE and for a STOP."""
    if done.keys is None:
        done.keys = _keys(done)
    return done.keys


def _keys(done: Done) -> tuple[Hashable, Hashable]:
    deed, outcome = done.deed, done.ended.outcome
    by_tool = (done.tool, done.result)
    if done.failed or outcome is BAD_ARGUMENTS:
        return by_tool, by_tool
    by_itself = outcome is ANSWERED_NO or (deed.effect == "write" and not done.streamed)
    if by_itself or (deed.touched is not None and deed.surely_changed):
        by_call = (deed.asked, done.result)
        return by_call, by_call
    return by_tool, (deed.asked, done.result) if done.short else by_tool
