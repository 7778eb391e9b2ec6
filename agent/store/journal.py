"""The journal's transactions."""

from __future__ import annotations

from collections.abc import Sequence

from agent.errors import Conflict, DuplicateRef
from agent.lineage import parent_of
from agent.steps import Asked, Step
from agent.store import statements as sql
from agent.store.codec import decode, encode, plain
from agent.store.heads import Head, advance
from agent.store.transaction import Transaction
from agent.store.usage import row_of

PAGE = 500  # steps: about 20 ms


def append(session: str, seq: int, batch: str, steps: Sequence[Step]) -> Transaction[None]:
    """Write the steps, or find that this very batch stands there already. Raises Conflict, DuplicateRef."""
    if not steps:
        return
    rows = yield sql.HEAD, (session,)
    head = Head(*rows[0]) if rows else Head()
    if head.seq + 1 != seq:
        there = yield sql.BATCHES, (session, seq, seq + len(steps))
        if [row[0] for row in there] == [batch] * len(steps):
            return
        raise foreign(session, seq, head.seq)
    yield sql.SAVE_HEAD, (session, *advance(head, steps))
    if seq == 1 and (parent := parent_of(session)):
        yield sql.INHERIT_PLACE, (session, parent)
    for step in steps:
        head = advance(head, (step,))
        row, ref = encode(step), ref_of(step)
        added = yield sql.ADD_STEP, (session, head.seq, batch, *row, ref)
        if not added:
            found = yield from find_ref(ref or "")
            raise duplicate(ref, found) if found else foreign(session, head.seq, head.seq)
        if cost := row_of(session, head, step):
            yield sql.ADD_USAGE, cost


def read(session: str, after: int) -> Transaction[list[tuple[int, Step]]]:
    """The next PAGE steps at most: whoever wants to write waits for one page, not for a year's journal."""
    rows = yield sql.READ, (session, after, PAGE)
    return [(seq, decode(kind, version, body)) for seq, kind, version, body in rows]


def unfinished() -> Transaction[list[str]]:
    rows = yield sql.UNFINISHED, ()
    return [row[0] for row in rows]


def find_ref(ref: str) -> Transaction[tuple[str, int] | None]:
    rows = yield sql.FIND_REF, (plain(ref),)
    return (rows[0][0], rows[0][1]) if rows else None


def ref_of(step: Step) -> str | None:
    """The ref that has to be unique: an Asked's (a Corrected names the same message again)."""
    return plain(step.ref) if isinstance(step, Asked) and step.ref is not None else None


def foreign(session: str, seq: int, head: int) -> Conflict:
    return Conflict(
        f"Session {session} has {head} steps in the journal, so nothing was written as step {seq}: "
        "somebody else wrote to it meanwhile. Read it again and go on from there."
    )


def duplicate(ref: str | None, found: tuple[str, int]) -> DuplicateRef:
    return DuplicateRef(f"The message {ref} stands in the journal already (session {found[0]}, step {found[1]}).")
