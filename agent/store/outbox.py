"""The transactions of the outbox and its projection cursors: what was delivered, apart from what happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agent.errors import StoreError
from agent.store import statements as sql
from agent.store.codec import plain
from agent.store.transaction import Transaction
from agent.tables import Outgoing

STATES = frozenset({"queued", "sending", "sent", "dead"})


def storable(row: Outgoing) -> Outgoing:
    """The row as it will come back. Raises StoreError for a state that no sender would ever look at."""
    known_state(row.state)
    return replace(row, chat=plain(row.chat), body=plain(row.body))


def known_state(state: str) -> None:
    """Raises StoreError unless it is one of STATES."""
    if state not in STATES:
        raise StoreError(f"An outgoing message can't be {state!r}: only {', '.join(sorted(STATES))}.")


def project(session: str, cursor: int, rows: Sequence[Outgoing], at: float) -> Transaction[list[Outgoing]]:
    new = []
    last = (yield sql.LAST_NR, ())[0][0]
    for nr, row in enumerate(map(storable, rows), last + 1):
        values = (row.key, row.chat, row.body, row.role, row.state, row.message_id, nr, session, at)
        if (yield sql.ADD_OUTGOING, values):
            new.append(row)
    yield sql.MOVE_CURSOR, (session, cursor)
    return new


def cursor(session: str) -> Transaction[int]:
    rows = yield sql.CURSOR, (session,)
    return int(rows[0][0]) if rows else 0


def behind() -> Transaction[list[str]]:
    rows = yield sql.BEHIND, ()
    return [row[0] for row in rows]


def mark(key: str, state: str, message_id: int | None) -> Transaction[None]:
    known_state(state)
    yield sql.MARK, (state, message_id, key)


def undelivered() -> Transaction[list[Outgoing]]:
    rows = yield sql.UNDELIVERED, ()
    return [Outgoing(*row) for row in rows]


def find(key: str) -> Transaction[Outgoing | None]:
    rows = yield sql.FIND_OUTGOING, (key,)
    return Outgoing(*rows[0]) if rows else None
