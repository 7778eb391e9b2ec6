"""The door before the desk: pairing, a stranger's knock, a group's move, the panic lock; all else goes through.

What passes by here is judged again by the desk. A stranger leaves at most one row (a knock), of which there are few.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

from agent import Inbound, Store, StoreError
from bot import words
from bot.access import LOCK, Access, Role
from bot.channel import Arrival, Intake, Place, Received
from bot.lockdown import Lockdown
from bot.pairing import Pairing
from bot.people import People

logger = logging.getLogger(__name__)
DAY_S = 86_400.0


class Door:
    """Stands between a channel and the desk's `intake`. `follow` takes a group to its new id."""

    def __init__(
        self,
        access: Access,
        store: Store,
        pairing: Pairing,
        people: People,
        lockdown: Lockdown,
        desk: Intake,
        follow: Callable[[Place, Place], Awaitable[None]],
    ) -> None:
        self._access, self._store, self._pairing = access, store, pairing
        self._people, self._lockdown, self._desk = people, lockdown, desk
        self._follow = follow
        self._told: set[int] = set()  # who has heard that we are locked
        self._said: set[tuple[str, int]] = set()  # groups, and the days on which a word was said about them

    async def intake(self, batch: Sequence[Received]) -> None:
        """Returns when the batch is stored. Raises StoreError if it is not."""
        if not self._access.locked:
            self._told.clear()
        rest = [received for received in batch if not await self._took(received.row, received.arrival)]
        if rest:
            await self._desk(rest)

    async def _took(self, row: Inbound, arrival: Arrival | None) -> bool:
        """Whether this was for us alone."""
        if arrival is None:
            return False
        if self._access.owner is None and self._pairing.accepts(arrival):
            await self._pair(row, arrival)
            return True
        role = self._access.judge(arrival)
        if role is None:
            with words.speaking(words.known(arrival.language)):
                await self._outside(arrival)
        elif arrival.kind == "moved":
            await self._moved(arrival)
        elif role >= Role.ADMIN and locks(arrival):
            self._lockdown.engage(f"{arrival.place.channel}:{arrival.sender}")
        return False

    async def _moved(self, arrival: Arrival) -> None:
        """At once, so that what comes from the new address in the same batch is let in. A bug of ours in it must not
        keep the batch out for ever; the desk tries once more."""
        try:
            await self._follow(arrival.place, replace(arrival.place, chat=arrival.text))
        except StoreError:
            raise
        except Exception:
            logger.exception("a group's move could not be followed at once")

    async def _pair(self, row: Inbound, arrival: Arrival) -> None:
        """The update is set down as done first: served again after a crash, the code must not become a prompt."""
        await self._store.receive([row])
        await self._store.done(row.bot, row.update_id)
        await self._people.paired(arrival)
        logger.warning("paired: %s is the owner now", arrival.sender)

    async def _outside(self, arrival: Arrival) -> None:
        """Somebody who may not talk: silence, but for a knock; who is only locked out hears so once."""
        if arrival.kind == "message" and arrival.addressed and not arrival.private:
            await self._in_a_group(arrival)
        if arrival.kind != "message" or not arrival.private or arrival.bot_sender or arrival.sender is None:
            return
        try:
            if self._access.role(arrival.sender) is not None:
                await self._locked_out(arrival, arrival.sender)
            elif arrival.command == "start" and await self._people.knock(arrival):
                logger.info("the owner is asked about %d", arrival.sender)
        except StoreError as error:
            logger.warning("a stranger's message is passed over: %s", error)

    async def _in_a_group(self, arrival: Arrival) -> None:
        """Two that deserve a word, once a day: the owner in a group that isn't allowed, in private; and an anonymous
        admin of one that is (DEMAND D33)."""
        allowed, day = arrival.place.chat in self._access.chats, int(arrival.date // DAY_S)
        if (arrival.place.chat, day) in self._said:
            return  # a flood costs no more than this look
        try:
            if not allowed and not arrival.bot_sender and self._access.role(arrival.sender) is Role.OWNER:
                key = f"not allowed:{arrival.place.chat}:{day}"
                told = partial(words.not_allowed, arrival.place.chat)
                await self._people.tell_owner(arrival.place.channel, arrival.place.bot, told, key)
                self._said.add((arrival.place.chat, day))
            elif allowed and not self._access.locked and arrival.sender is None and arrival.bot_sender:
                await self._people.tell(arrival.place, words.ANONYMOUS, f"anonymous:{arrival.place.chat}:{day}")
                self._said.add((arrival.place.chat, day))
        except StoreError as error:
            logger.warning("a group's message is passed over: %s", error)

    async def _locked_out(self, arrival: Arrival, sender: int) -> None:
        if sender in self._told:
            return
        self._told.add(sender)
        await self._people.tell(arrival.place, words.LOCKED_OUT, f"locked:{arrival.ref}")


def locks(arrival: Arrival) -> bool:
    """Whether this is /lock itself, meant for us, and not /lock off."""
    return (
        arrival.kind == "message"
        and arrival.command == LOCK
        and arrival.addressed
        and arrival.args.lower() in ("", "on")
    )
