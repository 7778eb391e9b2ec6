"""One SQLite connection on a thread of its own, which runs whole transactions one after the other.

The event loop never waits for the disk or for a lock, and a caller that is cancelled can't leave half a transaction
behind: what has begun is committed or rolled back, what still stood in the queue is not begun. What queues up while
the disk is busy is committed together, each in a savepoint of its own: one fsync for all (a group commit).
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from agent.errors import StoreError
from agent.store.codec import plain
from agent.store.group import Outcome, Write, all_failed, run, settle, taken
from agent.store.migrate import Migration
from agent.store.opening import open_database
from agent.store.transaction import Rows, Statement, Transaction
from agent.store.trouble import verdict

T = TypeVar("T")


class Database:
    """`busy_s`: seconds from the call until StoreBusy, the time in the queue included; a group has its oldest's."""

    def __init__(self, path: Path, busy_s: float, migrations: tuple[Migration, ...]) -> None:
        self._path = path
        self._busy_s = busy_s
        self._migrations = migrations
        self._thread: ThreadPoolExecutor | None = None
        self._db: sqlite3.Connection | None = None
        self._wait_ms = -1
        self._waiting: deque[Write] = deque()

    async def open(self) -> None:
        """Raises StoreBroken, StoreBusy, StoreError as `open_database` does."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "store")
        try:
            await self._do(self._connect)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """After what is queued. Closing twice is fine."""
        thread, self._thread = self._thread, None
        if thread is not None:
            closed = asyncio.get_running_loop().run_in_executor(thread, self._disconnect)
            thread.shutdown(wait=False)
            await closed

    async def write(self, transaction: Transaction[T]) -> T:
        """Run it under the write lock, all or nothing. Raises StoreBusy, StoreBroken, StoreError and what it raises."""
        if self._thread is None:
            raise self._closed()
        loop = asyncio.get_running_loop()
        write = Write(transaction, time.monotonic() + self._busy_s, loop.create_future())
        self._waiting.append(write)
        self._thread.submit(self._write_all, loop)  # whoever comes first writes what all the others wait for
        try:
            result: T = await write.done
        except sqlite3.Error as error:
            raise verdict(self._path, error) from error
        return result

    async def read(self, transaction: Transaction[T]) -> T:
        """Run one that only reads. Raises as `write` does."""
        deadline = time.monotonic() + self._busy_s
        return await self._do(lambda: self._read(transaction, deadline))

    async def _do(self, work: Callable[[], T]) -> T:
        if self._thread is None:
            raise self._closed()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except sqlite3.Error as error:
            raise verdict(self._path, error) from error

    def _closed(self) -> StoreError:
        return StoreError(f"The store {self._path} is closed.")

    # -- on the thread ----------------------------------------------------------------------------------------------
    def _connect(self) -> None:
        if self._db is None:
            self._db = open_database(self._path, self._migrations, self._busy_s)
            self._wait_ms = -1

    def _disconnect(self) -> None:
        db, self._db = self._db, None
        if db is not None:
            db.close()

    def _write_all(self, loop: asyncio.AbstractEventLoop) -> None:
        """Commit whatever waits. A group that can't begin or commit fails as a whole."""
        group = taken(self._waiting)
        if not group:
            return
        try:
            outcomes = self._commit(group)
        except sqlite3.Error as error:
            outcomes = all_failed(group, verdict(self._path, error))
        except Exception as error:  # whatever it is, somebody waits for it
            outcomes = all_failed(group, error)
        loop.call_soon_threadsafe(settle, group, outcomes)

    def _commit(self, group: list[Write]) -> list[Outcome]:
        db = self._until(min(write.deadline for write in group))
        db.execute("BEGIN IMMEDIATE")
        try:
            outcomes = [run(db, write, _step_through) for write in group]
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
        return outcomes

    def _read(self, transaction: Transaction[T], deadline: float) -> T:
        return _step_through(self._until(deadline), transaction)

    def _until(self, deadline: float) -> sqlite3.Connection:
        if self._db is None:
            raise StoreError(f"The store {self._path} is not open.")
        wait_ms = round(max(0.0, deadline - time.monotonic()) * 10) * 100
        if wait_ms != self._wait_ms:
            self._db.execute(f"PRAGMA busy_timeout = {wait_ms}")
            self._wait_ms = wait_ms
        return self._db


def _step_through(db: sqlite3.Connection, transaction: Transaction[T]) -> T:
    try:
        rows = _execute(db, next(transaction))
        while True:
            rows = _execute(db, transaction.send(rows))
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        transaction.close()


def _execute(db: sqlite3.Connection, statement: Statement) -> Rows:
    text, values = statement
    try:
        return db.execute(text, values).fetchall()
    except UnicodeEncodeError:  # a lone surrogate, in an id that a model made up
        clean = tuple(plain(value) if isinstance(value, str) else value for value in values)
        return db.execute(text, clean).fetchall()
