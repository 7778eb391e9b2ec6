"""A message becomes what the session is asked, an edit its correction: words, files and quotes put together."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable

from agent import Clock, Hub, Inbound, Start, Store, steps
from bot import filewords, words
from bot.access import Role
from bot.channel import Arrival, Place
from bot.control import author_of
from bot.incoming import Incoming, Taken
from bot.roster import short
from bot.routes import Routes
from bot.told import quoted
from bot.turns import REMEMBERED, Turns

Reply = Callable[[Inbound, Arrival, str, str], Awaitable[None]]  # the last is a key: one answer a row and key


class Asking:
    """`reply` answers durably; `start_of` tells where a place's legs begin."""

    def __init__(
        self,
        store: Store,
        hub: Hub,
        routes: Routes,
        clock: Clock,
        incoming: Incoming,
        start_of: Callable[[Place], Start],
        stale_after_s: float,
        reply: Reply,
    ) -> None:
        self._store, self._hub, self._routes, self._clock = store, hub, routes, clock
        self._incoming, self._start_of, self._stale_after_s, self._reply = incoming, start_of, stale_after_s, reply
        self.turns = Turns()
        self._contexts: OrderedDict[str, str] = OrderedDict()  # ref of a turn -> what came with it
        self._added: dict[str, list[Taken]] = {}  # place -> late pictures that no turn has told yet

    async def ask(self, row: Inbound, arrival: Arrival, role: Role) -> None:
        """Hand it to the session of its place. Raises StoreError, DuplicateRef."""
        taken = await self._incoming.take(arrival, self._start_of(arrival.place).workspace)
        if arrival.unusable:
            taken.problems.append(words.unusable(arrival.unusable))
        await self._reply(row, arrival, "\n".join(dict.fromkeys(taken.problems)), "files")
        if arrival.attached and not taken:
            return
        session = await self._routes.session_of(arrival.place)
        if self.turns.late(arrival) and await self._too_late(row, arrival, session, taken):
            return
        age = row.received - arrival.date
        if age > self._stale_after_s:
            await self._reply(row, arrival, words.stale(round(age / 60)), "note")
        todo = self._hub.todo(session)
        if todo and todo.running and arrival.text.strip().lower() in words.STOPS:
            await self._reply(row, arrival, words.STOP_HINT, "hint")
        context = self._context(arrival, taken)
        asked = steps.Asked(
            at=self._clock.now(),
            text=_text(arrival, taken),
            author=author_of(arrival),
            ref=arrival.ref,
            name="" if arrival.private else short(arrival.name),
            role=role.name.lower(),
            forwarded=arrival.forwarded,
            context=context,
            pictures=tuple(picture for each in (*self._late(arrival), taken) for picture in each.pictures),
        )
        await self._hub.submit(session, asked, self._start_of(arrival.place))
        self._added.pop(arrival.place.key, None)

    async def edit(self, row: Inbound, arrival: Arrival) -> bool:
        """Whether the edit corrects a turn that goes on. It never starts a run and never runs a command."""
        if arrival.command:
            if arrival.addressed:
                await self._reply(row, arrival, filewords.EDITED_COMMAND, "note")
            return False
        whole = self.turns.edited(arrival)
        asked = await self._store.find_ref(whole.ref) if whole and whole.text.strip() else None
        if whole is None:
            return False
        if asked is None:  # most likely the mention of us is what was added
            if arrival.addressed and not (arrival.private or arrival.quote):
                await self._reply(row, arrival, filewords.EDIT_STARTS_NOTHING, "note")
            return False
        session, seq = asked
        todo = self._hub.todo(session)
        if todo and todo.running and seq >= todo.asked_seq and session == self._routes.known(arrival.place):
            context = self._contexts.get(whole.ref) or quoted(arrival.quote)
            corrected = steps.Corrected(
                at=self._clock.now(), text=whole.text, author=author_of(arrival), ref=whole.ref, context=context
            )
            if await self._hub.correct(session, corrected):
                return True
        await self._reply(row, arrival, words.TOO_LATE, "note")
        return False

    async def _too_late(self, row: Inbound, arrival: Arrival, session: str, taken: Taken) -> bool:
        """A picture that came after its album's run had ended is kept for the next turn, and said to be."""
        todo = self._hub.todo(session)
        if (todo and todo.running) or arrival.text.strip():
            return False
        self._added.setdefault(arrival.place.key, []).append(taken)
        await self._reply(row, arrival, filewords.more_of_album(taken.names), "added")
        return True

    def _late(self, arrival: Arrival) -> list[Taken]:
        return self._added.get(arrival.place.key, [])

    def _context(self, arrival: Arrival, taken: Taken) -> str:
        parts = [*(each.context for each in self._late(arrival)), taken.context, quoted(arrival.quote)]
        context = self._contexts[arrival.ref] = "\n\n".join(filter(None, parts))
        if len(self._contexts) > REMEMBERED:
            self._contexts.popitem(last=False)
        return context


def _text(arrival: Arrival, taken: Taken) -> str:
    """The person's own words; what was only heard is marked."""
    heard = [f"{filewords.HEARD}\n{said}" for said in taken.said]
    text = "\n\n".join(filter(None, (arrival.text, *heard)))
    if text.strip():
        return text
    return filewords.wordless(taken.names) if taken.names else filewords.QUOTE_ALONE
