"""/verbosity: how much of a run a chat reads."""

from __future__ import annotations

from dataclasses import dataclass

from agent import steps
from bot import words
from bot.access import Role
from bot.channel import Arrival, Place
from bot.control import author_of
from bot.preferences import Preferences

NAME = "verbosity"
LEVELS = ("quiet", "normal", "full")
LOUD = frozenset(
    {
        *("nudge.repeated", "nudge.streak", "nudge.loop", "stuck.halt", "sticky.surfaced"),
        *("gate.refused", "claims.unverified", "critic.vote", "budget.stop"),
    }
)
TELLS = (steps.Level.NOTE, steps.Level.HOLD)  # a STOP is told by the run's end, an ASK by its card


@dataclass(frozen=True, slots=True)
class Verbosity:
    preferences: Preferences

    def of(self, place: Place) -> str:
        """quiet | normal | full."""
        return self.preferences.of(place, NAME) or "normal"

    def footer(self, place: Place) -> bool:
        return self.of(place) != "quiet"

    def tells(self, place: Place, step: steps.Nudged) -> bool:
        """Whether a nudge is a message of its own there (SPEC T5); in the card it stands anyway."""
        if not step.text or step.level not in TELLS:
            return False
        match self.of(place):
            case "quiet":
                return False
            case "full":
                return True
        return is_loud(step)

    async def command(self, arrival: Arrival, role: Role) -> str:
        """/verbosity, /verbosity LEVEL. Raises StoreError."""
        wanted = arrival.args.strip().lower()
        if not wanted:
            return f"{words.verbosity_is(self.of(arrival.place))} {words.VERBOSITY_USAGE}"
        if wanted not in LEVELS:
            return words.VERBOSITY_USAGE
        if role < Role.OPERATOR:
            return words.VIEWERS_READ
        await self.preferences.choose(arrival.place, NAME, wanted, author_of(arrival))
        return words.verbosity_is(wanted)


def is_loud(step: steps.Nudged) -> bool:
    """Of the budget's notices those of spending are, those of turns left are not."""
    return step.event in LOUD or (step.event == "budget.notice" and step.slot is None)
