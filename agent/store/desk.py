"""The transactions of the tables that the chat side keeps beside the journal: inbox and routes."""

from __future__ import annotations

from collections.abc import Sequence

from agent.store import statements as sql
from agent.store.codec import plain
from agent.store.transaction import Transaction
from agent.tables import Inbound, Listed


def storable(row: Inbound) -> Inbound:
    """The row as it will come back: text that a database can't take is replaced, so that no update is refused."""
    return Inbound(row.bot, row.update_id, plain(row.chat), plain(row.payload), row.received, plain(row.poison))


def receive(rows: Sequence[Inbound]) -> Transaction[list[Inbound]]:
    new = []
    for row in map(storable, rows):
        values = (row.bot, row.update_id, row.chat, row.payload, row.received, row.poison)
        if (yield sql.RECEIVE, values):
            new.append(row)
    return new


def waiting() -> Transaction[list[Inbound]]:
    rows = yield sql.WAITING, ()
    return [Inbound(*row) for row in rows]


def done(bot: str, update_id: int) -> Transaction[None]:
    yield sql.DONE, (bot, update_id)


def route(place: str) -> Transaction[str | None]:
    rows = yield sql.ROUTE, (place,)
    return str(rows[0][0]) if rows else None


def move(place: str, session: str) -> Transaction[None]:
    yield sql.MOVE, (place, session)
    yield sql.REMEMBER_PLACE, (session, place)


def rename(old: str, new: str) -> Transaction[None]:
    session = yield from route(old)
    if session is not None and old != new:
        yield sql.FORGET_ROUTE, (old,)
        yield sql.MOVE, (new, session)
    yield sql.RENAME_PLACES, (new, old)


def place_of(session: str) -> Transaction[str | None]:
    rows = yield sql.PLACE_OF, (session,)
    return str(rows[0][0]) if rows else None


def sessions_at(place: str, count: int) -> Transaction[list[Listed]]:
    rows = yield sql.SESSIONS_AT, (place, count)
    return [Listed(session, title, updated, bool(running)) for session, title, updated, running in rows]


def forget(place: str, keep: str) -> Transaction[list[str]]:
    gone = [str(row[0]) for row in (yield sql.SESSIONS_BUT, (place, keep))]
    for session in gone:
        for statement in sql.FORGET_SESSION:
            yield statement, (session,)
        yield sql.FORGET_SENT, sql.keys_of(session)
    yield sql.FORGET_TEXTS, (chat_of(place),)
    return gone


def chat_of(place: str) -> str:
    """The chat of a place's key (channel:bot:chat:topic)."""
    return [*place.split(":"), "", "", ""][2]


def statement(text: str) -> Transaction[None]:
    yield text, ()
