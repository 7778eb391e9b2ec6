"""The small tables beside the journal, as the chat side asks for them: inbox, routes, outbox, usage, people, refs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from agent.ports import Journal
from agent.ports import Listed as Listed


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
    role: str = "answer"  # answer | notice | card | approval | file
    state: str = "queued"  # queued | sending | sent | dead
    message_id: int | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """What the replies of one model to one person in one place came to. `place` is "" where it is unknown; `money` (US
    dollars) is the sum over those `priced` of the `calls` whose cost is known; `estimated` of them told no tokens."""

    place: str
    user: str
    model: str
    calls: int
    prompt: int
    completion: int
    cached: int
    money: float
    priced: int
    estimated: int


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who came in by chat. `role` is a role, or asked (waits for the owner) or ignored; `added_by` None means
    paired by the code; `name` is as displayed and never trusted; `at` is wall time."""

    id: int
    role: str
    name: str = ""
    added_by: int | None = None
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Switch:
    """Something that was switched by chat and outlives a restart (mode, lock). `until` and `at` are wall time."""

    name: str
    value: str
    until: float | None = None  # None: until it is switched again
    by: str = ""  # channel:numeric id
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Ref:
    """What a button means: it carries `ref` alone. `body` is JSON text, `expires` wall time; the reader checks it."""

    ref: str
    kind: str
    body: str
    expires: float
    used: bool = False


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
        """The place that this session was last routed from, also after its route moved on; of a child its parent's."""

    async def sessions_at(self, place: str, count: int) -> list[Listed]:
        """At most `count` sessions that were routed from this place, the newest first; no child sessions."""

    async def forget(self, place: str, keep: str) -> list[str]:
        """Delete all sessions of this place but `keep` for good: steps, messages sent, texts taken in. Only sums of
        usage stay. Returns the sessions that are gone, children included."""


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
    """One row a reply that cost something, written in the same transaction as its step."""

    async def spent(self, since: float, until: float) -> list[Spent]:
        """Sums of the replies in [since, until) of wall time, by place, person and model, in this order."""


class People(Protocol):
    async def admit(self, person: Person) -> None:
        """Keep this row in place of the person's former one."""

    async def dismiss(self, person: int) -> None: ...
    async def people(self) -> list[Person]:
        """All rows, oldest first."""

    async def relocate(self, old: str, new: str) -> None:
        """A chat got another address. The first word about a chat counts."""

    async def relocations(self) -> dict[str, str]: ...


class Switches(Protocol):
    async def switch(self, row: Switch) -> None:
        """Keep this row in place of the former one of its name."""

    async def switches(self) -> list[Switch]: ...


class Refs(Protocol):
    async def remember(self, ref: str, kind: str, body: str, expires: float) -> None:
        """Keep what a button means. A known ref keeps its first meaning, so that a retry is safe."""

    async def recall(self, ref: str) -> Ref | None: ...
    async def use(self, ref: str) -> Ref | None:
        """Use it up: of all who ever try, in this process or another, exactly one gets it."""

    async def forget_refs(self, before: float) -> None:
        """Drop those that expired before this wall time."""


class Pruning(Protocol):
    """Retention. All times are wall time; each call takes a piece, and is repeated for as long as something goes."""

    async def prune_updates(self, before: float) -> int:
        """Delete updates that are done and were received before then, but of each bot never the newest: how many went.
        The channel must not serve one of them again."""

    async def prune_letters(self, before: float) -> int:
        """Delete messages that were sent or given up, put into the outbox before then, and of no run that goes on."""

    async def prune_usage(self, before: float) -> int:
        """Delete what the sums of usage are made of."""

    async def running_since(self) -> float | None:
        """When the oldest run that goes on was asked for."""

    async def resting(self, before: float) -> list[str]:
        """Sessions without a run, without an undelivered message, to which nothing was added since then."""

    async def growing(self, before: float) -> list[str]:
        """Sessions without a run that began over a day before then and were added to since."""

    async def retire(self, session: str, before: float) -> bool:
        """Delete a session that still rests, with what was sent of it. One that a place leads to isn't led to any more,
        and is deleted by a later call. True: call again."""

    async def shorten(self, session: str, before: float, now: float) -> bool:
        """Delete the oldest runs of a session, those that ended before then, once the oldest ended over a day before;
        what they left standing (leg, model) stays, and a Purged step is written. True: call again."""


class Store(Journal, Inbox, Routes, Outbox, UsageTable, People, Switches, Refs, Pruning, Protocol):
    """All of it on one database; `open` once, `close` at the end."""

    async def open(self) -> None: ...
    async def close(self) -> None: ...
