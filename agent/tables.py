"""The small tables beside the journal, as the chat side asks for them: inbox, routes, outbox, usage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from agent.ports import Journal


@dataclass(frozen=True, slots=True)
class Inbound:
    """One stored update of a channel. `payload` is its raw JSON; `poison` says why it can't be read, or is ""."""

    bot: str
    update_id: int
    chat: str  # order is kept within a chat
    payload: str
    received: float  # wall time
    poison: str = ""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One message on its way out. `key` (session:seq:role:chunk) is unique for ever; `body` is the channel's JSON."""

    key: str
    chat: str
    body: str
    role: str = "answer"  # answer | notice | card | approval
    state: str = "queued"  # queued | sending | sent | dead
    message_id: int | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens and calls of one (day, session, user) so far."""

    day: str
    session: str
    user: str
    prompt: int
    completion: int
    calls: int


class Inbox(Protocol):
    async def receive(self, rows: Sequence[Inbound]) -> list[Inbound]:
        """Store those not yet known, in one transaction; returns the new ones in order."""

    async def waiting(self) -> list[Inbound]:
        """Stored and not done, in the order of update ids."""

    async def done(self, bot: str, update_id: int) -> None: ...


class Routes(Protocol):
    async def route(self, place: str) -> str | None:
        """The current session of a place (channel:bot:chat:topic)."""

    async def move(self, place: str, session: str) -> None: ...
    async def rename(self, old: str, new: str) -> None:
        """A place got another address (a group became a supergroup): its session and history follow."""

    async def place_of(self, session: str) -> str | None:
        """The place that this session was last routed from, also after its route moved on."""


class Outbox(Protocol):
    async def project(self, session: str, cursor: int, rows: Sequence[Outgoing]) -> list[Outgoing]:
        """In one transaction: insert the rows whose key is new, and move the session's cursor (never back).
        Returns the rows that were new."""

    async def cursor(self, session: str) -> int: ...
    async def behind(self) -> list[str]:
        """Sessions whose journal is longer than their cursor."""

    async def mark(self, key: str, state: str, message_id: int | None = None) -> None: ...
    async def undelivered(self) -> list[Outgoing]:
        """Rows queued or sending, oldest first."""

    async def find(self, key: str) -> Outgoing | None: ...


class UsageTable(Protocol):
    async def spend(self, day: str, session: str, user: str, prompt: int, completion: int) -> None: ...
    async def spent(self, day: str) -> list[Spent]: ...


class Store(Journal, Inbox, Routes, Outbox, UsageTable, Protocol):
    """All of it on one database; `open` once, `close` at the end."""

    async def open(self) -> None: ...
    async def close(self) -> None: ...
