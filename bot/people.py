"""Who may talk, by the owner's tap: the list, the card of a person, and the one card about somebody new."""

from __future__ import annotations

import datetime
import json
import secrets
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from agent import Clock, Outgoing, Person, Ref, Store
from bot import words
from bot.access import GRANTED, Access, Role
from bot.channel import Arrival, Button, Letter, Place
from bot.languages import Languages
from bot.markup import plain
from bot.outbox import Sender, encode
from bot.roster import ASKED, IGNORED, described, listing, short

OPEN = "who"  # the verb of a button that opens a person's card
CHOICES = ("admin", "operator", "viewer")
VERBS = (OPEN, *CHOICES, "remove", "ignore")
DAY_S = 86_400.0
KNOCKS_A_DAY = 5  # cards about strangers, of all of them together
MOST_BUTTONS = 30
_CARD, _PERSON = "person card", "person"


class People:
    """The owner's side of access. Buttons carry a reference; what it means stands in the store alone."""

    def __init__(self, access: Access, store: Store, sender: Sender, clock: Clock, zone: datetime.tzinfo) -> None:
        self._access, self._store, self._sender = access, store, sender
        self._clock, self._zone = clock, zone
        self.languages: Languages | None = None  # else everybody is spoken to in the language of now

    # -- coming in ----------------------------------------------------------------------------------------------------
    async def paired(self, arrival: Arrival) -> None:
        """The sender of the code becomes owner and is told. Raises StoreError."""
        assert arrival.sender is not None
        person = Person(arrival.sender, "owner", short(arrival.name), None, self._clock.now())
        await self._access.admit(person)
        await self._met(arrival)
        with self._telling(arrival.place):
            await self.tell(arrival.place, words.PAIRED, f"paired:{arrival.ref}")

    async def knock(self, arrival: Arrival) -> bool:
        """A stranger's /start in private: one card to the owner, one a person and day, five a day in all. Everybody
        else, and whoever the owner ignores, is met with silence. Raises StoreError."""
        owner, now, who = self._access.owner, self._clock.now(), arrival.sender
        if owner is None or who is None or not self._may_knock(who, now):
            return False
        await self._access.admit(Person(who, ASKED, short(arrival.name), None, now))
        await self._met(arrival)
        home = Place(arrival.place.channel, arrival.place.bot, str(owner))
        with self._telling(home):
            text = words.newcomer(who, short(arrival.name))
            await self._card(home, who, text, f"knock:{who}:{int(now)}", ("operator", "viewer", "ignore"))
        return True

    async def _met(self, arrival: Arrival) -> None:
        """What they speak is remembered for what they are told later."""
        if self.languages:
            await self.languages.met(arrival)

    def _telling(self, place: Place) -> AbstractContextManager[None]:
        return self.languages.telling(place) if self.languages else nullcontext()

    def _may_knock(self, who: int, now: float) -> bool:
        known = self._access.person(who)
        if known and (known.role != ASKED or now - known.at < DAY_S):
            return False
        today = [p for p in self._access.people if p.role == ASKED and now - p.at < DAY_S]
        return len(today) < KNOCKS_A_DAY

    async def tidy(self) -> None:
        """At start: forget who asked more than a day ago and got no answer, and what old buttons meant."""
        now = self._clock.now()
        for person in self._access.people:
            if person.role == ASKED and now - person.at >= DAY_S:
                await self._access.dismiss(person.id)
        await self._store.forget_refs(now - 30 * DAY_S)

    # -- the list -----------------------------------------------------------------------------------------------------
    async def users(self, arrival: Arrival, role: Role) -> str:
        """/users, and /users ID for one person's card; sends what has buttons itself. Raises StoreError."""
        if not arrival.args:
            return await self._list(arrival, role)
        if role < Role.OWNER:
            return words.OWNER_DECIDES
        found = [word for word in arrival.args.split() if word.isascii() and word.isdigit() and len(word) <= 16]
        if not found or int(found[0]) <= 0:
            return words.USERS_USAGE
        return await self._show(arrival.place, int(found[0]), f"person:{arrival.ref}")

    async def _list(self, arrival: Arrival, role: Role) -> str:
        text = listing(self._access, self._zone, private=arrival.private)
        changeable = [p for p in self._access.people if self._changeable(p.id)][:MOST_BUTTONS]
        if role < Role.OWNER or not arrival.private or not changeable:
            return text
        rows = []
        for person in changeable:
            data = f"{OPEN}:{await self._ref(_PERSON, arrival.place, person.id)}"
            rows.append((Button(f"{person.id} {person.name}".strip()[:40], data),))
        await self.tell(arrival.place, text, f"users:{arrival.ref}", rows)
        return ""

    async def _show(self, place: Place, who: int, key: str) -> str:
        if not self._changeable(who):
            return words.IN_SETTINGS
        person = self._access.person(who)
        offered = [name for name in CHOICES if person is None or person.role != name]
        offered.append("remove" if person and person.role in GRANTED else "ignore")
        await self._card(place, who, described(self._access, who, self._zone), key, offered)
        return ""

    def _changeable(self, who: int) -> bool:
        """Settings beat chat: whom they name is changed there."""
        return self._access.listed.role(who) is None and who != self._access.owner

    # -- buttons ------------------------------------------------------------------------------------------------------
    async def press(self, arrival: Arrival, role: Role) -> str | None:
        """A button of ours was pressed: the toast. None: it isn't ours. Raises StoreError.

        What a card's button does is done before the card is used up: after a crash between the two, the same press
        does the same again.
        """
        verb, _, name = arrival.data.partition(":")
        if verb not in VERBS:
            return None
        if role < Role.OWNER:
            return words.OWNER_DECIDES
        ref = await self._store.recall(name)
        body = _body(ref, _PERSON if verb == OPEN else _CARD)
        if ref is None or body.get("place") != arrival.place.key or ref.expires <= self._clock.now():
            return words.EXPIRED
        who = int(str(body["id"]))
        if verb == OPEN:
            return await self._show(arrival.place, who, f"person:{arrival.press_id}")
        if ref.used:
            return words.ALREADY
        told = await self._decide(arrival, who, verb)
        await self._store.use(name)
        self._sender.card(arrival.place, str(body["key"]), Letter(told), final=True)
        return told

    async def _decide(self, arrival: Arrival, who: int, verb: str) -> str:
        if not self._changeable(who):
            return words.IN_SETTINGS
        known, now = self._access.person(who), self._clock.now()
        name = known.name if known else ""
        if verb == "remove":
            await self._access.dismiss(who)
            return words.now_is(who, name, verb)
        role = IGNORED if verb == "ignore" else verb
        await self._access.admit(Person(who, role, name, arrival.sender, now))
        if known and known.role == ASKED and role != IGNORED:
            there = Place(arrival.place.channel, arrival.place.bot, str(who))
            with self._telling(there):
                await self.tell(there, words.welcome(role), f"welcome:{who}:{int(known.at)}")
        return words.now_is(who, name, role)

    # -- letters ------------------------------------------------------------------------------------------------------
    async def tell_owner(self, channel: str, bot: str, told: Callable[[], str], key: str) -> None:
        """The same, to the owner in private and in their language: `told` words it. Raises StoreError."""
        if self._access.owner is not None:
            home = Place(channel, bot, str(self._access.owner))
            with self._telling(home):
                await self.tell(home, told(), key)

    async def _card(self, place: Place, who: int, text: str, key: str, choices: Sequence[str]) -> None:
        ref = await self._ref(_CARD, place, who, key)
        row = tuple(Button(words.CHOICES[choice], f"{choice}:{ref}") for choice in choices)
        await self.tell(place, text, key, (row,))

    async def _ref(self, kind: str, place: Place, who: int, key: str = "") -> str:
        ref = secrets.token_urlsafe(16)
        body = json.dumps({"id": who, "place": place.key, "key": key})
        await self._store.remember(ref, kind, body, self._clock.now() + 7 * DAY_S)
        return ref

    async def tell(self, place: Place, text: str, key: str, rows: Sequence[tuple[Button, ...]] = ()) -> None:
        """A durable letter, once a key. Raises StoreError."""
        letter = Letter(plain(text)[0].text, buttons=tuple(rows))
        row = Outgoing(key=key, chat=place.chat, body=encode(place, letter), role="notice")
        self._sender.deliver(await self._store.project("people", 0, [row]))


def _body(ref: Ref | None, kind: str) -> dict[str, object]:
    if ref is None or ref.kind != kind:
        return {}
    found: dict[str, object] = json.loads(ref.body)
    return found
