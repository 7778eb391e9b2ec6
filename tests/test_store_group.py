"""Writes that wait together are committed together, and each keeps its own fate."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent.errors import Conflict, DuplicateRef, StoreBusy
from agent.steps import Asked, Commanded
from agent.store.sqlite import SqliteStore

STOP = Commanded(at=1.0, command="stop", by="t:7")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(tmp_path / "jarvis.db", busy_s=0.3)
    await store.open()
    yield store
    await store.close()


async def test_a_crowd_of_writers_all_succeed_in_few_commits(store: SqliteStore, tmp_path: Path) -> None:
    commits: list[str] = []

    def watch() -> None:
        assert store._db._db is not None
        store._db._db.set_trace_callback(lambda text: commits.append(text) if text == "COMMIT" else None)

    await store._db._do(watch)
    await asyncio.gather(*[store.append(f"s{i}", 1, f"b{i}", STOP) for i in range(200)])
    assert [len(await store.read(f"s{i}")) for i in range(200)] == [1] * 200
    assert len(commits) < 100


async def test_one_that_fails_takes_no_other_with_it(store: SqliteStore) -> None:
    await store.append("s1", 1, "first", STOP)
    same = Asked(at=1.0, text="x", author="t:7", ref="r1")
    results = await asyncio.gather(
        store.append("s2", 1, "b", STOP),
        store.append("s1", 1, "rival", STOP),
        store.append("s3", 1, "c", same),
        store.append("s4", 1, "d", same),
        store.append("s5", 1, "e", STOP),
        return_exceptions=True,
    )
    assert [type(result) for result in results] == [type(None), Conflict, type(None), DuplicateRef, type(None)]
    assert [len(await store.read(f"s{i}")) for i in range(1, 6)] == [1, 1, 1, 0, 1]


async def test_the_order_of_a_session_is_kept(store: SqliteStore) -> None:
    await asyncio.gather(*[store.append("s", seq, f"b{seq}", STOP) for seq in range(1, 101)])
    assert [seq for seq, _ in await store.read("s")] == list(range(1, 101))


async def test_a_cancelled_writer_writes_whole_or_not_at_all_and_harms_nobody(store: SqliteStore) -> None:
    tasks = [asyncio.create_task(store.append(f"s{i}", 1, f"b{i}", STOP, STOP)) for i in range(50)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(result is None for result in results[1::2])
    for i in range(50):
        assert len(await store.read(f"s{i}")) in ((2,) if i % 2 else (0, 2))


async def test_a_lock_fails_the_whole_group_and_nothing_of_it_is_written(store: SqliteStore, tmp_path: Path) -> None:
    rival = sqlite3.connect(tmp_path / "jarvis.db", isolation_level=None)
    rival.execute("BEGIN IMMEDIATE")
    appends = [store.append(f"s{i}", 1, f"b{i}", STOP) for i in range(10)]
    results = await asyncio.gather(*appends, return_exceptions=True)
    rival.execute("ROLLBACK")
    rival.close()
    assert {type(result) for result in results} == {StoreBusy}
    assert [len(await store.read(f"s{i}")) for i in range(10)] == [0] * 10
    await store.append("s0", 1, "b0", STOP)
