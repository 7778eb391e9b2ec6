"""The button under a failed run: it goes on from where it was, once, for whoever may ask for work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent import Clock, DuplicateRef, Hub, Start, Store, steps
from bot import modelwords, words
from bot.access import Role
from bot.answers import PRESSED
from bot.channel import Arrival, Letter, Place
from bot.envelope import decode
from bot.outbox import Sender
from bot.routes import Routes

VERB = "retry"


@dataclass(slots=True)
class Retries:
    """`start_of` tells where a place's legs begin."""

    hub: Hub
    store: Store
    routes: Routes
    sender: Sender
    clock: Clock
    start_of: Callable[[Place], Start]

    async def press(self, arrival: Arrival, role: Role) -> str | None:
        """The toast, or None if the button isn't ours. What the button means stands in its data and in the journal, so
        it works after any restart; the run's question is in the journal once, so it works once. Raises StoreError."""
        verb, _, rest = arrival.data.partition(":")
        if verb != VERB:
            return None
        number, _, session = rest.partition(":")
        place = await self.routes.place_of(session) if session else None
        if place != arrival.place or not number.isdecimal():
            return words.EXPIRED
        if role < Role.OPERATOR:
            return words.VIEWERS_READ
        if self._works(arrival.place, session):
            return modelwords.RUN_GOES_ON
        seq = int(number)
        asked = await self._question(session, seq, arrival, role)
        await self.routes.point(arrival.place, session)
        try:
            begun = await self.hub.go_on(session, seq, asked, self.start_of(arrival.place))
        except DuplicateRef:
            begun = False
        await self._strip(f"{session}:{seq}:end:0")
        return modelwords.TRIES_AGAIN if begun else modelwords.ALREADY_TRIED

    def _works(self, place: Place, session: str) -> bool:
        """Whether another session of this place is at work."""
        current = self.routes.known(place)
        todo = self.hub.todo(current) if current and current != session else None
        return todo is not None and todo.running

    async def _question(self, session: str, seq: int, arrival: Arrival, role: Role) -> steps.Asked:
        """What is asked of the model; the answer will reply to the message that the failed run was about."""
        ref = _ref(await self.store.read(session), seq)
        return steps.Asked(
            at=self.clock.now(),
            text=modelwords.AGAIN,
            author=f"{arrival.place.channel}:{arrival.sender}",
            ref=f"again.{session}.{seq}:{ref}" if ref else f"{PRESSED}again:{session}:{seq}",
            role=role.name.lower(),
        )

    async def _strip(self, key: str) -> None:
        """The message loses its button."""
        row = await self.store.find(key)
        if row is not None and row.message_id is not None:
            place, shown = decode(row.body)
            self.sender.card(place, key, Letter(shown.text, shown.entities, silent=True), final=True)


def _ref(journal: Sequence[tuple[int, steps.Step]], seq: int) -> str:
    """The newest message of the run that ended at `seq`, "" if it has none."""
    found = ""
    for at, step in journal:
        match step:
            case steps.Asked(ref=str(ref)) if at < seq and not ref.startswith(PRESSED):
                found = ref
            case steps.Ended() if at < seq:
                found = ""
            case _:
                pass
    return found
