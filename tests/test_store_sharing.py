"""The SQLite store under rivals, locks, cancelled callers and kill -9."""

from __future__ import annotations

import asyncio
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from agent.errors import Conflict, StoreBusy, StoreError
from agent.steps import Asked
from agent.store.journal import PAGE
from agent.store.sqlite import SqliteStore
from tests.store_contract import asked, ended, update

HANG = 30  # seconds


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "jarvis.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    one = SqliteStore(path, busy_s=0.5)
    await one.open()
    yield one
    await one.close()


@contextmanager
def locked(path: Path) -> Iterator[sqlite3.Connection]:
    """Another program writes and doesn't commit."""
    with closing(sqlite3.connect(path, isolation_level=None)) as rival:
        rival.execute("BEGIN IMMEDIATE")
        yield rival
        if rival.in_transaction:
            rival.execute("ROLLBACK")


async def test_of_two_connections_exactly_one_writes_a_place(path: Path, store: SqliteStore) -> None:
    other = SqliteStore(path)
    await other.open()
    for seq in range(1, 21):
        results = await asyncio.gather(
            store.append("s", seq, f"one-{seq}", asked("one")),
            other.append("s", seq, f"two-{seq}", asked("two")),
            return_exceptions=True,
        )
        assert sorted(str(type(result).__name__) for result in results) == ["Conflict", "NoneType"]
    assert await store.read("s") == await other.read("s")
    assert [seq for seq, _ in await store.read("s")] == list(range(1, 21))
    await other.close()


@pytest.mark.parametrize("count", [PAGE - 1, PAGE, PAGE + 1, 3 * PAGE])
async def test_a_long_journal_is_read_whole(store: SqliteStore, count: int) -> None:
    await store.append("s", 1, "b1", *[asked(str(number)) for number in range(count)])
    assert [seq for seq, _ in await store.read("s")] == list(range(1, count + 1))
    assert [seq for seq, _ in await store.read("s", after=2)] == list(range(3, count + 1))


async def test_a_long_journal_that_is_read_holds_nobody_else_up(store: SqliteStore) -> None:
    await store.append("s", 1, "b1", *[asked(str(number)) for number in range(3 * PAGE)])
    order: list[str] = []
    reading = asyncio.create_task(store.read("s"))
    writing = asyncio.create_task(store.append("other", 1, "b2", asked()))
    reading.add_done_callback(lambda task: order.append("read"))
    writing.add_done_callback(lambda task: order.append("written"))
    await asyncio.gather(reading, writing)
    assert order == ["written", "read"]


async def test_a_store_that_stays_locked_is_busy_and_works_again_later(path: Path, store: SqliteStore) -> None:
    with locked(path):
        with pytest.raises(StoreBusy, match="nothing was written"):
            await store.append("s", 1, "b1", asked(), ended())
        with pytest.raises(StoreBusy):
            await store.receive([update(1)])
        assert await store.read("s") == []
    await store.append("s", 1, "b1", asked(), ended())
    assert len(await store.read("s")) == 2
    assert await store.waiting() == []


async def test_a_lock_that_passes_in_time_is_waited_for(path: Path) -> None:
    store = SqliteStore(path, busy_s=HANG)
    await store.open()
    with locked(path) as rival:
        append = asyncio.create_task(store.append("s", 1, "b1", asked()))
        await asyncio.sleep(0.1)
        assert not append.done()
        rival.execute("ROLLBACK")
        await append
    assert len(await store.read("s")) == 1
    await store.close()


async def test_the_event_loop_goes_on_while_the_store_is_locked(path: Path, store: SqliteStore) -> None:
    with locked(path):
        append = asyncio.create_task(store.append("s", 1, "b1", asked()))
        turns = 0
        while not append.done():
            await asyncio.sleep(0.01)
            turns += 1
    assert turns > 5
    assert isinstance(append.exception(), StoreBusy)


async def test_those_in_the_queue_of_a_locked_store_wait_together(path: Path, store: SqliteStore) -> None:
    began = time.monotonic()
    with locked(path):
        appends = [store.append(f"s{number}", 1, "b1", asked()) for number in range(2 * HANG)]
        results = await asyncio.gather(*appends, return_exceptions=True)
    assert {type(result) for result in results} == {StoreBusy}
    assert time.monotonic() - began < HANG  # one after the other it would be as long


async def test_a_cancelled_append_is_whole_or_not_there(path: Path) -> None:
    store = SqliteStore(path, busy_s=HANG)
    await store.open()
    with locked(path):
        running = asyncio.create_task(store.append("s", 1, "b1", asked("a"), asked("b"), ended()))
        await asyncio.sleep(0.05)
        queued = asyncio.create_task(store.append("t", 1, "b1", asked()))
        await asyncio.sleep(0.05)
        for task in (running, queued):
            task.cancel()
        assert all(isinstance(end, asyncio.CancelledError) for end in await both(running, queued))
    assert len(await store.read("s")) == 3  # it had begun, so it went on
    assert await store.read("t") == []
    await store.append("s", 1, "b1", asked("a"), asked("b"), ended())
    with pytest.raises(Conflict):
        await store.append("s", 1, "b2", asked("a"))
    await store.append("s", 4, "b2", asked("c"))
    await store.close()


async def both(*tasks: asyncio.Task[None]) -> list[BaseException | None]:
    return await asyncio.gather(*tasks, return_exceptions=True)


# -- kill -9 --------------------------------------------------------------------------------------------------------
WRITER = """
import asyncio, sys
from pathlib import Path
from agent.steps import Asked
from agent.store.journal import PAGE
from agent.store.sqlite import SqliteStore

async def main():
    store = SqliteStore(Path(sys.argv[1]))
    await store.open()
    batch = len(await store.read("s")) // 3
    while True:
        steps = [Asked(at=1.0, text=str(batch), author="a", ref=f"{batch}.{part}") for part in range(3)]
        await store.append("s", batch * 3 + 1, f"b{batch}", *steps)
        print(batch, flush=True)
        batch += 1

asyncio.run(main())
"""


def killed(path: Path, after_s: float) -> int:
    """Let a child append until it is killed; returns the newest batch that it was told is stored."""
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        confirmed = [child.stdout.readline()]
        time.sleep(after_s)
        child.send_signal(signal.SIGKILL)
        confirmed += [line for line in child.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    return int(confirmed[-1])


def test_what_was_confirmed_survives_kill_9_and_nothing_is_half(path: Path) -> None:
    rng = random.Random(9)
    for _ in range(10):
        confirmed = killed(path, rng.uniform(0, 0.1))
        steps = asyncio.run(read_all(path))
        batches = [int(step.text) for step in steps]
        assert len(steps) % 3 == 0
        assert batches == [number for number in range(len(steps) // 3) for _ in range(3)]
        assert confirmed <= batches[-1] <= confirmed + 1


async def read_all(path: Path) -> list[Asked]:
    store = SqliteStore(path)
    await store.open()
    try:
        steps = await store.read("s")
        assert [seq for seq, _ in steps] == list(range(1, len(steps) + 1))
        return [step for _, step in steps if isinstance(step, Asked)]
    finally:
        await store.close()


async def test_a_full_disk_is_said_and_costs_nothing_that_was_written(path: Path, store: SqliteStore) -> None:
    """In a group commit, too: what didn't fit takes nothing with it, and all goes on once there is room."""
    await store.append("s", 1, "b1", asked("x" * 1_000))
    await store._db._do(lambda: store._db._until(0).execute("PRAGMA max_page_count = 60").fetchall())
    seq = 2
    with pytest.raises(StoreError, match="is full; nothing was written"):
        while True:
            await store.append("s", seq, f"b{seq}", asked("x" * 20_000))
            seq += 1
    assert not isinstance(await _outcome(store.append("s", seq, f"c{seq}", asked("y" * 20_000))), Conflict)
    assert [at for at, _ in await store.read("s")] == list(range(1, seq))
    both = [store.append("s", seq, f"d{seq}", asked("x" * 200_000)), store.append("t", 1, "t1", asked("x" * 200_000))]
    assert [type(each) for each in await asyncio.gather(*both, return_exceptions=True)] == [StoreError, StoreError]
    await store._db._do(lambda: store._db._until(0).execute("PRAGMA max_page_count = 1000000").fetchall())
    await store.append("s", seq, f"e{seq}", asked("x" * 20_000))
    assert [at for at, _ in await store.read("s")] == list(range(1, seq + 1))


async def _outcome(work: Awaitable[None]) -> Exception | None:
    try:
        await work
    except Exception as error:
        return error
    return None
