"""A group commit: transactions that wait together are committed together, and each fails or succeeds on its own."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agent.store.transaction import Transaction

MOST = 64  # transactions in a group: nobody waits long for the others


@dataclass(frozen=True, slots=True)
class Write:
    """A transaction in the queue. `deadline` is monotonic; `done` gets its result or its error."""

    transaction: Transaction[Any]
    deadline: float
    done: asyncio.Future[Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    value: Any = None
    error: BaseException | None = None


def taken(waiting: deque[Write]) -> list[Write]:
    """The next group, out of a queue that the event loop goes on filling."""
    group: list[Write] = []
    while waiting and len(group) < MOST:
        write = waiting.popleft()
        if not write.done.cancelled():
            group.append(write)
    return group


def run(db: sqlite3.Connection, write: Write, step: Callable[[sqlite3.Connection, Transaction[Any]], Any]) -> Outcome:
    """Carry out one transaction of a group that has begun. Raises what ended the group as a whole."""
    db.execute("SAVEPOINT one")
    try:
        value = step(db, write.transaction)
    except Exception as error:
        if not db.in_transaction:  # a full disk, say, rolls all of it back
            raise
        db.execute("ROLLBACK TO one")
        db.execute("RELEASE one")
        return Outcome(error=error)
    db.execute("RELEASE one")
    return Outcome(value)


def settle(group: Sequence[Write], outcomes: Sequence[Outcome]) -> None:
    """Tell the callers, on their event loop."""
    for write, outcome in zip(group, outcomes, strict=True):
        if write.done.done():
            continue
        if outcome.error is None:
            write.done.set_result(outcome.value)
        else:
            write.done.set_exception(outcome.error)


def all_failed(group: Sequence[Write], error: Exception) -> list[Outcome]:
    return [Outcome(error=error)] * len(group)
