"""The transactions behind who may talk: people added by chat, chats that moved, switches, and what buttons mean."""

from __future__ import annotations

from dataclasses import replace

from agent.store import statements as sql
from agent.store.codec import plain
from agent.store.transaction import Rows, Transaction
from agent.tables import Person, Ref, Switch


def storable(person: Person) -> Person:
    """The row as it will come back: a displayed name may hold anything."""
    return replace(person, name=plain(person.name))


def admit(person: Person) -> Transaction[None]:
    row = storable(person)
    yield sql.ADMIT, (row.id, row.role, row.name, row.added_by, row.at)


def dismiss(person: int) -> Transaction[None]:
    yield sql.DISMISS, (person,)


def people() -> Transaction[list[Person]]:
    rows = yield sql.PEOPLE, ()
    return [Person(*row) for row in rows]


def relocate(old: str, new: str) -> Transaction[None]:
    yield sql.RELOCATE, (old, new)


def relocations() -> Transaction[dict[str, str]]:
    rows = yield sql.RELOCATIONS, ()
    return {str(old): str(new) for old, new in rows}


def switch(row: Switch) -> Transaction[None]:
    yield sql.SWITCH, (row.name, row.value, row.until, row.by, row.at)


def switches() -> Transaction[list[Switch]]:
    rows = yield sql.SWITCHES, ()
    return [Switch(*row) for row in rows]


def remember(ref: str, kind: str, body: str, expires: float) -> Transaction[None]:
    yield sql.REMEMBER, (plain(ref), kind, plain(body), expires)


def recall(ref: str) -> Transaction[Ref | None]:
    rows = yield sql.RECALL, (plain(ref),)
    return _ref(rows)


def use(ref: str) -> Transaction[Ref | None]:
    rows = yield sql.USE, (plain(ref),)
    return _ref(rows)


def forget_refs(before: float) -> Transaction[None]:
    yield sql.FORGET_REFS, (before,)


def _ref(rows: Rows) -> Ref | None:
    if not rows:
        return None
    ref, kind, body, expires, used = rows[0]
    return Ref(ref, kind, body, expires, bool(used))
