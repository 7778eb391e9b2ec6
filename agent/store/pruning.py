"""The transactions of retention: what is old goes a piece at a time, so that nobody waits long for the store.

Of a session that is still in use the oldest runs go, whole ones only, and a Purged step says up to where. One that has
rested for long goes altogether, in two rounds: it is no place's current session any more before it is deleted, so that
a message which comes in at that moment still finds it.
"""

from __future__ import annotations

from agent.steps import Commanded, Purged
from agent.store import statements as sql
from agent.store.codec import decode, encode
from agent.store.heads import Head
from agent.store.transaction import Rows, Transaction

PIECE = 1_000  # rows of a transaction: about 20 ms
RUNS = 50  # that are looked at together
NEWEST = 200  # updates of a bot that stay whatever their age: more than the two batches that may be served again
DAY_S = 86_400.0
WHAT = "conversation"  # of Purged


def updates(before: float) -> Transaction[int]:
    """See agent.tables.Pruning."""
    gone = 0
    for (bot,) in (yield sql.BOTS, ()):
        newest = yield sql.NTH_NEWEST_UPDATE, (bot, NEWEST - 1)
        if newest:
            gone += len((yield sql.PRUNE_UPDATES, (bot, bot, min(before, newest[0][0]), PIECE)))
    return gone


def letters(before: float) -> Transaction[int]:
    """See agent.tables.Pruning."""
    return len((yield sql.PRUNE_LETTERS, (before, PIECE)))


def usage(before: float) -> Transaction[int]:
    """See agent.tables.Pruning."""
    return len((yield sql.PRUNE_USAGE, (before, PIECE)))


def running_since() -> Transaction[float | None]:
    rows = yield sql.RUNNING_SINCE, ()
    return rows[0][0] if rows else None


def resting(before: float) -> Transaction[list[str]]:
    """See agent.tables.Pruning."""
    rows = yield sql.RESTING, (before,)
    return [str(row[0]) for row in rows]


def growing(before: float) -> Transaction[list[str]]:
    """See agent.tables.Pruning."""
    rows = yield sql.GROWING, (before - DAY_S, before)
    return [str(row[0]) for row in rows]


def retire(session: str, before: float) -> Transaction[bool]:
    """See agent.tables.Pruning."""
    head = yield from _at_rest(session)
    if head is None or head.updated >= before:
        return False
    if (yield sql.LEAVE_PLACES, (session,)):
        return False
    ends = yield sql.ENDS, (session, RUNS)
    if len(ends) > 1:
        yield sql.PRUNE_STEPS, (session, _piece(ends), 0, 0)
        return True
    for statement in sql.FORGET_SESSION:
        yield statement, (session,)
    yield sql.FORGET_SENT, sql.keys_of(session)
    return False


def shorten(session: str, before: float, now: float) -> Transaction[bool]:
    """See agent.tables.Pruning."""
    head = yield from _at_rest(session)
    if head is None:
        return False
    ends = yield sql.ENDS, (session, RUNS)
    old: Rows = []
    for row in ends:
        if decode("ended", *row[1:]).at >= before - (0.0 if old else DAY_S):
            break
        old.append(row)
    if not old:
        return False
    upto = _piece(old)
    opened = yield sql.NEWEST_OPENED, (session, upto)
    yield sql.FORGET_PURGES, (session,)
    yield sql.PRUNE_STEPS, (session, upto, opened[0][0] or 0, (yield from _choice(session, upto)))
    yield from _told(session, head, Purged(at=now, upto=upto, what=WHAT))
    return True


def _at_rest(session: str) -> Transaction[Head | None]:
    """The head of a session whose runs have ended."""
    rows = yield sql.HEAD, (session,)
    head = Head(*rows[0]) if rows else None
    return head if head is not None and head.asked is None else None


def _piece(ends: Rows) -> int:
    """The last of these ends that is at most a piece away from the first."""
    return max(int(row[0]) for row in ends if row[0] <= ends[0][0] + PIECE)


def _choice(session: str, upto: int) -> Transaction[int]:
    """The step that chose the session's model, which still holds; 0 if there is none."""
    for seq, version, body in (yield sql.COMMANDS, (session, upto)):
        match decode("commanded", version, body):
            case Commanded(command="model"):
                return int(seq)
    return 0


def _told(session: str, head: Head, purged: Purged) -> Transaction[None]:
    """Written as the newest step. It is no sign of life, and nothing that the chat would have to be shown."""
    after = head._replace(seq=head.seq + 1)
    yield sql.SAVE_HEAD, (session, *after)
    yield sql.ADD_STEP, (session, after.seq, f"purge.{after.seq}", *encode(purged), None)
    shown = yield sql.CURSOR, (session,)
    if shown and shown[0][0] == head.seq:
        yield sql.MOVE_CURSOR, (session, after.seq)
