"""Retention of the undo store: what is old goes, what a run still needs stays."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from agent.tools.write_file import WriteFile, write
from agent.undo import UndoStore
from agent.undo.manifest import Manifest
from tests.fakes.calls import context

DAY = 86_400.0


async def used(store: UndoStore, root: Path, run: str, content: str) -> None:
    """A run that ran a command, which changed the file f, and wrote the file g."""
    await store.before_command(run, str(root))
    (root / "f").write_text(content)
    await store.after_command(run, str(root))
    write(context(root, undo=store, run=run), WriteFile(path="g", content=content))


def age(home: Path, run: str, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(Manifest(home / "runs", run).path, (then, then))


def contents(home: Path) -> set[str]:
    return {path.read_text() for path in (home / "blobs").glob("*/*")}


@pytest.fixture
async def bench(tmp_path: Path) -> tuple[UndoStore, Path, Path]:
    root, home = tmp_path / "work", tmp_path / "undo"
    root.mkdir()
    (root / "f").write_text("f0")
    (root / "g").write_text("g0")
    store = UndoStore(home)
    await used(store, root, "s1:1", "one")
    await used(store, root, "s2:1", "two")
    return store, root, home


@pytest.mark.parametrize(("seconds", "gone"), [(DAY - 60, 0), (DAY + 60, 1)])
async def test_what_is_older_than_the_limit_goes(
    bench: tuple[UndoStore, Path, Path], seconds: float, gone: int
) -> None:
    store, root, home = bench
    assert contents(home) == {"f0", "g0", "one"}
    age(home, "s1:1", seconds)
    assert await store.purge(DAY) == gone
    assert contents(home) == ({"one"} if gone else {"f0", "g0", "one"})
    for known in (store, UndoStore(home)):
        assert bool((await known.plan("s1:1")).changed_since) is not bool(gone)
        assert (await known.plan("s2:1")).restore == (str(root / "f"), str(root / "g"))
    assert not (await store.restore("s2:1", await store.plan("s2:1"))).failed
    assert ((root / "f").read_text(), (root / "g").read_text()) == ("one", "one")


@pytest.mark.parametrize("running", [{"s1:1"}, {"s1"}])
async def test_a_running_one_is_kept(bench: tuple[UndoStore, Path, Path], running: set[str]) -> None:
    store, _, home = bench
    age(home, "s1:1", 9 * DAY)
    age(home, "s2:1", 9 * DAY)
    assert await store.purge(DAY, running) == 1
    assert contents(home) == {"f0", "g0"}


async def test_after_everything_went_the_next_baseline_starts_anew(bench: tuple[UndoStore, Path, Path]) -> None:
    store, root, home = bench
    (home / "blobs" / "litter.tmp").write_text("of a crash")
    assert await store.purge(-1) == 2
    assert not [path for path in home.rglob("*") if path.is_file()]
    await used(store, root, "s3:1", "three")
    assert contents(home) == {"two"}
    await store.restore("s3:1", await store.plan("s3:1"))
    assert ((root / "f").read_text(), (root / "g").read_text()) == ("two", "two")
