"""A chat service in memory: keeps what a person would see, fails as scripted, and logs every call with its time."""

from __future__ import annotations

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count
from typing import Any, Literal

from agent import Clock, Inbound
from bot.channel import Arrival, Attached, Health, Intake, Letter, NotFetched, Place, Quote, Received, Refused

Method = Literal["send", "edit", "draft", "typing", "react", "answer_press", "fetch"]


@dataclass(frozen=True, slots=True)
class Made:
    """One call that reached the service. `error` is what it was answered with, None for success."""

    method: Method
    at: float  # monotonic seconds of the test's clock
    chat: str
    message_id: int
    letter: Letter | None = None
    error: Exception | None = None
    detail: str = ""  # the emoji of a reaction, the toast of a press


@dataclass(frozen=True, slots=True)
class Slow:
    """Scripted instead of an error: the call takes this long, then succeeds, or fails with `error`."""

    seconds: float
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class Landed:
    """Scripted instead of an error: the service takes the message, and the caller gets `error` all the same."""

    error: Exception


Fault = Exception | Slow | Landed | None  # None: this call succeeds


class FakeChannel:
    """Implements bot.channel.Channel. Script faults with `fail`, feed arrivals with `say`, `press` or `arrive`."""

    def __init__(self, clock: Clock, name: str = "fake", bot: str = "1") -> None:
        self.name = name
        self.bot = bot
        self.drafts = True
        self.health = Health()
        self.calls: list[Made] = []
        self.messages: dict[int, tuple[Place, Letter]] = {}  # ours, as they stand now
        self.commands: list[tuple[str, str]] = []
        self.menus: list[tuple[str, str, frozenset[str]]] = []  # audience, language, names; as they were published
        self.files: dict[str, bytes | NotFetched] = {}  # by id
        self._clock = clock
        self._faults: dict[tuple[str, str], list[Fault]] = defaultdict(list)
        self._ids = count(1)
        self._updates = count(1)
        self._intake: Intake | None = None
        self._listening = asyncio.Event()

    # -- for tests ---------------------------------------------------------------------------------------------------
    def fail(self, method: Method, *faults: Fault, chat: str = "") -> None:
        """The next calls of `method` (to `chat`, if given) meet these faults, one each, in order."""
        self._faults[method, chat].extend(faults)

    def place(self, chat: str = "7", topic: str = "") -> Place:
        return Place(self.name, self.bot, chat, topic)

    def made(self, method: Method | None = None, chat: str | None = None) -> list[Made]:
        """The calls so far, of one method or chat if given."""
        return [c for c in self.calls if method in (None, c.method) and chat in (None, c.chat)]

    def screen(self, chat: str | None = None) -> list[str]:
        """The texts a person sees of us, oldest first, edits applied."""
        return [letter.text for place, letter in self.messages.values() if chat in (None, place.chat)]

    async def say(self, text: str, chat: str = "7", sender: int = 7, **changes: Any) -> Arrival:
        """A person writes a private message (or whatever `changes`, fields of Arrival, make of it)."""
        command = re.match(r"/([A-Za-z0-9_]+)(?:@\w+)?(?:\s+(.*))?$", text, re.DOTALL)
        arrival = Arrival(
            kind="message",
            place=self.place(chat),
            sender=sender,
            name=f"user {sender}",
            private=not chat.startswith("-"),
            message_id=next(self._ids),
            date=self._clock.now(),
            text=text,
            addressed=True,
            command=command[1].lower() if command else "",
            args=(command[2] or "").strip() if command else "",
        )
        return await self.arrive(replace(arrival, **changes))

    async def press(self, data: str, chat: str = "7", sender: int = 7, **changes: Any) -> Arrival:
        """A person presses a button."""
        arrival = Arrival(
            kind="press",
            place=self.place(chat),
            sender=sender,
            private=not chat.startswith("-"),
            date=self._clock.now(),
            addressed=True,
            press_id=f"press{next(self._ids)}",
            data=data,
        )
        return await self.arrive(replace(arrival, **changes))

    async def arrive(self, *arrivals: Arrival) -> Arrival:
        """Feed them to whoever listens, as one batch; returns the last one when they are stored."""
        await self._listening.wait()
        assert self._intake is not None
        await self._intake([Received(self.row(a), a) for a in arrivals])
        return arrivals[-1]

    async def arrive_poison(self, payload: str, why: str = "not a message") -> None:
        """Feed an update that can't be read."""
        await self._listening.wait()
        assert self._intake is not None
        row = Inbound(self.bot, next(self._updates), "", payload, self._clock.now(), why)
        await self._intake([Received(row, None)])

    def row(self, arrival: Arrival) -> Inbound:
        payload = json.dumps(asdict(arrival))
        return Inbound(self.bot, next(self._updates), arrival.place.chat, payload, self._clock.now())

    # -- Channel -----------------------------------------------------------------------------------------------------
    async def connect(self) -> None:
        return None

    async def listen(self, intake: Intake) -> None:
        self._intake = intake
        self._listening.set()
        try:
            await asyncio.Event().wait()
        finally:
            self._listening.clear()

    def parse(self, row: Inbound) -> Arrival | None:
        try:
            fields = json.loads(row.payload)
            quote = fields.pop("quote")
            fields |= {"place": Place(**fields["place"]), "attached": _attached(fields)}
            return Arrival(**fields, quote=Quote(**{**quote, "attached": _attached(quote)}) if quote else None)
        except (ValueError, KeyError, TypeError):
            return None

    async def send(self, place: Place, letter: Letter) -> int:
        message_id = next(self._ids)
        landed = await self._meet("send", place, message_id, letter)
        self.messages[message_id] = (place, letter)
        if landed:
            raise landed
        return message_id

    async def edit(self, place: Place, message_id: int, letter: Letter) -> None:
        if message_id not in self.messages:
            self._log("edit", place.chat, message_id, letter, Refused("message to edit not found"))
            raise Refused("message to edit not found")
        landed = await self._meet("edit", place, message_id, letter)
        self.messages[message_id] = (place, letter)
        if landed:
            raise landed

    async def draft(self, place: Place, draft_id: int, letter: Letter) -> None:
        refused = Refused("TEXTDRAFT_PEER_INVALID") if place.chat.startswith("-") else None
        refused = refused or (None if draft_id else Refused("draft_id must be non-zero"))
        if refused:
            self._log("draft", place.chat, draft_id, letter, refused)
            raise refused
        if landed := await self._meet("draft", place, draft_id, letter):
            raise landed

    async def fetch(self, file: Attached) -> bytes:
        self._log("fetch", "", detail=file.id)
        data = self.files.get(file.id, NotFetched("wrong file_id"))
        if isinstance(data, NotFetched):
            raise data
        return data

    async def typing(self, place: Place) -> None:
        self._log("typing", place.chat)

    async def react(self, place: Place, message_id: int, emoji: str) -> None:
        self._log("react", place.chat, message_id, detail=emoji)

    async def signed(self) -> None:
        return None

    async def answer_press(self, press_id: str, text: str = "") -> None:
        self._log("answer_press", "", detail=text)

    async def announce_commands(
        self, commands: Sequence[tuple[str, str]], audience: str = "", language: str = ""
    ) -> None:
        self.commands = list(commands)
        self.menus.append((audience, language, frozenset(name for name, _ in commands)))

    async def close(self) -> None:
        return None

    # -- inside ------------------------------------------------------------------------------------------------------
    async def _meet(self, method: Method, place: Place, message_id: int, letter: Letter) -> Exception | None:
        """Play the next fault; returns the error to raise after the message landed."""
        fault = self._next_fault(method, place.chat) or wrong_with(letter)
        match fault:
            case Slow(seconds, error):
                await self._clock.sleep(seconds)
                self._log(method, place.chat, message_id, letter, error)
                if error:
                    raise error
            case Landed(error):
                self._log(method, place.chat, message_id, letter, error)
                return error
            case Exception():
                self._log(method, place.chat, message_id, letter, fault)
                raise fault
            case None:
                self._log(method, place.chat, message_id, letter)
        return None

    def _next_fault(self, method: str, chat: str) -> Fault:
        for key in ((method, chat), (method, "")):
            if self._faults[key]:
                return self._faults[key].pop(0)
        return None

    def _log(
        self,
        method: Method,
        chat: str,
        message_id: int = 0,
        letter: Letter | None = None,
        error: Exception | None = None,
        detail: str = "",
    ) -> None:
        self.calls.append(Made(method, self._clock.monotonic(), chat, message_id, letter, error, detail))


def _attached(fields: dict[str, Any]) -> tuple[Attached, ...]:
    return tuple(Attached(**each) for each in fields["attached"])


def units(text: str) -> int:
    """Length in UTF-16 code units, as Telegram counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def wrong_with(letter: Letter) -> Refused | None:
    """What the Bot API would refuse: an empty or over-long text, an entity out of bounds, button data over 64 bytes."""
    size = units(letter.text)
    if not letter.text.strip() and letter.file is None:
        return Refused("message text is empty")
    if size > (4096 if letter.file is None else 1024):
        return Refused("message is too long")
    if any(0xD800 <= ord(c) <= 0xDFFF for c in letter.text):
        return Refused("strings must be encoded in UTF-8")
    for entity in letter.entities:
        offset, length = entity["offset"], entity["length"]
        if not (isinstance(offset, int) and isinstance(length, int) and offset >= 0 and length > 0):
            return Refused("can't parse entities")
        if offset + length > size:
            return Refused("can't parse entities: out of bounds")
    if any(len(button.data.encode()) > 64 for row in letter.buttons for button in row):
        return Refused("BUTTON_DATA_INVALID")
    return None
