"""What people call themselves, remembered over restarts: for cards that speak of somebody to somebody else."""

from __future__ import annotations

from dataclasses import dataclass

from bot.channel import Arrival, Place
from bot.preferences import Preferences
from bot.roster import short

NAME = "name"


@dataclass(frozen=True, slots=True)
class Names:
    """A name is chosen by whoever bears it: data, never a reason to trust."""

    preferences: Preferences

    async def heard(self, arrival: Arrival) -> None:
        """Remember how the sender is displayed. Raises StoreError."""
        name = short(arrival.name)
        if arrival.sender is not None and name:
            who = f"{arrival.place.channel}:{arrival.sender}"
            await self.preferences.choose(_home(arrival.place, str(arrival.sender)), NAME, name, who)

    def of(self, author: str, place: Place) -> str:
        """How `author` (channel:id) was last displayed to the bot of this place; "" if that isn't known."""
        return self.preferences.of(_home(place, author.partition(":")[2]), NAME)


def _home(place: Place, person: str) -> Place:
    return Place(place.channel, place.bot, person)
