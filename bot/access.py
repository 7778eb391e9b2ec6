"""Who may talk: one function for every kind of update, by numeric ids alone, over settings, rows of chat, and lock."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import IntEnum

from agent import Person, Store, Switch
from bot.channel import Arrival

LOCK = "lock"  # the name of its switch
_GROUP = re.compile(r"-[0-9]{1,18}")


class Role(IntEnum):
    """What a person may do; a higher one may do all that a lower one may."""

    VIEWER = 1  # status, read results
    OPERATOR = 2  # prompt
    ADMIN = 3  # stop anyone's run, approve what leaves the box, tighten the mode, lock
    OWNER = 4  # people, any mode, unlock


GRANTED = {role.name.lower(): role for role in Role if role is not Role.OWNER}  # what the owner's tap can give


@dataclass(frozen=True, slots=True)
class Listed:
    """Whom the settings name. All ids are numeric; a name is never compared."""

    owner: int | None = None
    admins: frozenset[int] = field(default_factory=frozenset)
    operators: frozenset[int] = field(default_factory=frozenset)
    viewers: frozenset[int] = field(default_factory=frozenset)
    chats: frozenset[str] = field(default_factory=frozenset)

    def everyone(self) -> frozenset[int]:
        """Whoever is named with a role."""
        return self.admins | self.operators | self.viewers | ({self.owner} if self.owner is not None else set())

    def role(self, person: int) -> Role | None:
        """The highest role that the settings give."""
        if person == self.owner:
            return Role.OWNER
        for role, ids in ((Role.ADMIN, self.admins), (Role.OPERATOR, self.operators), (Role.VIEWER, self.viewers)):
            if person in ids:
                return role
        return None


class Access:
    """Settings beat chat: whom they name has that role, and no row changes it. Rows add people and follow groups.

    All is kept in memory, so that judging needs no store; `load` reads it, each change writes through.
    """

    def __init__(
        self,
        owner: int | None = None,
        admins: Iterable[int] = (),
        operators: Iterable[int] = (),
        viewers: Iterable[int] = (),
        chats: Iterable[str] = (),
    ) -> None:
        """What the settings say."""
        self.listed = Listed(owner, frozenset(admins), frozenset(operators), frozenset(viewers), frozenset(chats))
        self.locked = False
        self.changed: Callable[[], None] = lambda: None  # what anybody may do may be another now
        self._people: dict[int, Person] = {}
        self._moved: dict[str, str] = {}
        self._chats = self.listed.chats
        self._store: Store | None = None

    # -- judging ------------------------------------------------------------------------------------------------------
    def judge(self, arrival: Arrival) -> Role | None:
        """The role in which this update may act, or None: no row, no download, no model call.

        A group needs both an allowed chat and an allowed sender. Whoever has no person behind it (anonymous admins,
        channels, other bots) is nobody; so is every kind of update that isn't known here. An edit corrects a prompt,
        so it needs an operator. While locked, the owner alone may act, and an admin may say /lock again.
        """
        if arrival.kind == "moved":  # a service message that no member can write
            return Role.OWNER if arrival.place.chat in self._chats else None
        if arrival.kind not in ("message", "edit", "press") or arrival.bot_sender:
            return None
        if not arrival.private and arrival.place.chat not in self._chats:
            return None
        role = self.role(arrival.sender)
        if role is None or (arrival.kind == "edit" and role < Role.OPERATOR):
            return None
        return role if self._open_to(role, arrival) else None

    def _open_to(self, role: Role, arrival: Arrival) -> bool:
        locking = role is Role.ADMIN and arrival.kind == "message" and arrival.command == LOCK
        return not self.locked or role is Role.OWNER or locking

    def role(self, sender: int | None) -> Role | None:
        """The role of this id whatever it does, None for a stranger."""
        if sender is None:
            return None
        if sender == self.owner:
            return Role.OWNER
        row = self._people.get(sender)
        return self.listed.role(sender) or (GRANTED.get(row.role) if row else None)

    @property
    def owner(self) -> int | None:
        """The owner's id: whom the settings name, else who was paired."""
        if self.listed.owner is not None:
            return self.listed.owner
        return next((person.id for person in self._people.values() if person.role == "owner"), None)

    @property
    def chats(self) -> frozenset[str]:
        """The allowed groups, under their former and their present ids."""
        return self._chats

    @property
    def moved(self) -> tuple[str, ...]:
        """The former ids of groups."""
        return tuple(self._moved)

    def chat_now(self, chat: str) -> str:
        """Where a chat is today, if it has moved."""
        seen = {chat}
        while (chat_next := self._moved.get(chat)) and chat_next not in seen:
            seen.add(chat_next)
            chat = chat_next
        return chat

    def chat_first(self, chat: str) -> str:
        """The oldest id that a chat is known to have had."""
        seen = {chat}
        while (former := next((old for old, new in self._moved.items() if new == chat), None)) and former not in seen:
            seen.add(former)
            chat = former
        return chat

    def admins(self) -> frozenset[int]:
        """Who may decide what leaves the box, without the owner."""
        known = {*self.listed.admins, *self._people}
        return frozenset(person for person in known if self.role(person) is Role.ADMIN)

    # -- rows ---------------------------------------------------------------------------------------------------------
    async def load(self, store: Store) -> None:
        """Read what chat has changed. Raises StoreError."""
        self._store = store
        self._people = {person.id: person for person in await store.people()}
        self._moved = await store.relocations()
        self._chats = _followed(self.listed.chats, self._moved)
        self.locked = any(row.name == LOCK and row.value == "on" for row in await store.switches())

    @property
    def people(self) -> list[Person]:
        """The rows that chat has added, oldest first; those whom the settings name are not among them."""
        return sorted(self._people.values(), key=lambda person: (person.at, person.id))

    def person(self, sender: int) -> Person | None:
        return self._people.get(sender)

    async def admit(self, person: Person) -> None:
        """Write a row and count it from now on. Raises StoreError."""
        await self._written.admit(person)
        self._people[person.id] = person
        self.changed()

    async def dismiss(self, person: int) -> None:
        """Take a row away. Raises StoreError."""
        self._people.pop(person, None)  # first: should the store fail, rather too few than too many
        self.changed()
        await self._written.dismiss(person)

    async def move(self, old: str, new: str) -> bool:
        """An allowed group got another id and keeps its right; nothing else gains one. Returns whether that was news.
        Raises StoreError."""
        if old not in self._chats or old in self._moved or not _GROUP.fullmatch(new):
            return False
        await self._written.relocate(old, new)
        self._moved[old] = new
        self._chats = _followed(self.listed.chats, self._moved)
        return True

    async def lock(self, by: str, at: float) -> None:
        """From now on the owner alone may act; at once in memory, then durably. Raises StoreError."""
        self.locked = True
        self.changed()
        await self._written.switch(Switch(LOCK, "on", None, by, at))

    async def unlock(self, by: str, at: float) -> None:
        """Raises StoreError, and then it stays locked."""
        await self._written.switch(Switch(LOCK, "off", None, by, at))
        self.locked = False
        self.changed()

    @property
    def _written(self) -> Store:
        if self._store is None:
            raise RuntimeError("load comes before any change")
        return self._store


def _followed(chats: Iterable[str], moved: dict[str, str]) -> frozenset[str]:
    """The chats and all that they have become."""
    found = set(chats)
    while new := {moved[chat] for chat in found if chat in moved} - found:
        found |= new
    return frozenset(found)


def trusted_everywhere() -> Access:
    """For a channel that only the owner of the machine can reach (the terminal)."""
    return Access(owner=0)
