"""The bounds of an undo: of files, bytes, depth and time, a full disk, a stop; beyond them nothing is guessed."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from agent.tools.shell import tool
from agent.undo import Limits, UndoStore
from agent.undo.blobs import Blobs
from tests.fakes.calls import arguments, context
from tests.fakes.host import FakeHost, ran

RUN, OTHER = "s1:4", "s2:9"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    path.mkdir()
    (path / "a").write_text("a")
    (path / "b").write_text("b")
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "undo"


def bash(root: Path, command: str) -> None:
    subprocess.run(["bash", "-ec", command], cwd=root, check=True, capture_output=True)


async def shell(store: UndoStore, root: Path, command: str, run: str = RUN) -> None:
    assert await store.before_command(run, str(root)) == ""
    bash(root, command)
    await store.after_command(run, str(root))


async def undo(store: UndoStore, run: str = RUN) -> None:
    assert not (await store.restore(run, await store.plan(run))).failed


@pytest.mark.parametrize(("others", "complete"), [(6, True), (7, True), (8, False)])
async def test_beyond_the_bound_of_files_nothing_is_guessed(
    root: Path, home: Path, others: int, complete: bool
) -> None:
    for number in range(others):  # with a, b and the workspace itself
        (root / f"f{number}").write_text("x")
    store = UndoStore(home, Limits(files=10))
    assert await store.before_command(RUN, str(root)) == ""
    await store.after_command(RUN, str(root))
    plan = await store.plan(RUN)
    assert (plan.cannot == ()) is complete
    assert plan.empty
    bash(root, "mkdir -p d; for n in {1..20}; do echo x > d/$n; done")
    await store.before_command(RUN, str(root))
    await store.after_command(RUN, str(root))
    assert "too many files" in [why for _, why in (await store.plan(RUN)).cannot]


async def test_what_comes_into_sight_later_is_not_taken_for_new(root: Path, home: Path) -> None:
    bash(root, "mkdir x y; touch {x,y}/{1..8}")
    store = UndoStore(home, Limits(files=14))  # enough for all but most of the second folder
    await shell(store, root, "rm {x,y}/{1..5}")
    plan = await store.plan(RUN)
    assert plan.delete == ()
    assert {why for _, why in plan.cannot} == {"too many files"}
    await shell(store, root, "rm {x,y}/*")
    assert {"too many files", "unknown"} >= {why for _, why in (await store.plan(RUN)).cannot}


@pytest.mark.parametrize("limits", [Limits(tree_bytes=1), Limits(store_s=0), Limits(free_bytes=2**60)])
async def test_what_is_over_a_budget_is_listed_if_it_was_changed(root: Path, home: Path, limits: Limits) -> None:
    store = UndoStore(home, limits)
    await shell(store, root, "echo x > a; echo x > b; echo x > c")
    plan = await store.plan(RUN)
    lost = [path for path, why in plan.cannot if why == "over budget"]
    assert len(lost) == (1 if limits.tree_bytes == 1 else 2)
    assert len(lost) + len(plan.restore) == 2
    assert plan.delete == (str(root / "c"),)
    later = UndoStore(home)  # with the usual limits; what was left out is made up for
    await shell(later, root, "rm b", "s1:9")
    assert (await later.plan("s1:9")).restore == (str(root / "b"),)


@pytest.mark.parametrize(("size", "kept"), [(99, True), (100, True), (101, False)])
async def test_the_bound_of_a_file(root: Path, home: Path, size: int, kept: bool) -> None:
    (root / "a").write_bytes(b"x" * size)
    store = UndoStore(home, Limits(file_bytes=100))
    await shell(store, root, "rm a")
    plan = await store.plan(RUN)
    assert plan.cannot == (() if kept else ((str(root / "a"), "too large"),))


async def test_an_unchanged_file_is_kept_once(root: Path, home: Path) -> None:
    def kept() -> dict[str, int]:
        return {path.name: path.stat().st_ino for path in home.glob("blobs/*/*")}

    await shell(UndoStore(home), root, "true", "s1:1")
    first = kept()
    (root / "a").chmod(0o000)
    for number in range(2, 5):  # each a restart
        await shell(UndoStore(home), root, "true", f"s1:{number}")
    assert kept() == first
    assert len(list(home.glob("trees/*.json"))) == 2  # before the chmod and after


async def test_a_store_that_can_not_write_is_noted_and_listed(root: Path, home: Path) -> None:
    store = UndoStore(home)
    (home / "trees").rmdir()
    (home / "trees").write_text("no folder")
    host = FakeHost(ran())
    result = await tool.run(context(root, undo=store, run=RUN, host=host), arguments(tool, command="x"))
    assert len(host.commands) == 1
    assert result.details == "exit 0 · 0.1 s · what it changes can't be undone: the undo store says not a directory"
    (home / "trees").unlink()
    for known in (store, UndoStore(home)):
        assert await known.runs("s1") == [RUN]
        assert (await known.plan(RUN)).cannot == ((str(root), "no baseline"),)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
async def test_a_full_store_is_noted_and_what_it_lacks_is_listed(root: Path, tmp_path: Path) -> None:
    tiny = tmp_path / "tiny"
    tiny.mkdir()
    if bash_says(f"mount -t tmpfs -o size=64k tmpfs {tiny}"):
        pytest.skip("no right to mount a tmpfs here")
    try:
        (root / "large").write_bytes(os.urandom(100_000))
        store = UndoStore(tiny / "undo", Limits(free_bytes=0))
        await shell(store, root, "echo x > a; echo x > large")
        assert (await store.plan(RUN)).cannot == ((str(root / "large"), "over budget"),)
        (tiny / "filler").write_bytes(bytes(64_000 - 4096 * 8))
        with open(tiny / "rest", "wb", buffering=0) as rest, suppress(OSError):  # noqa: ASYNC230
            while True:
                rest.write(bytes(4096))
        assert "no space left on device" in await store.before_command(OTHER, str(root))
        await store.after_command(OTHER, str(root))
        assert await store.runs("s2") == [OTHER]
        assert (await store.plan(OTHER)).cannot == ((str(root), "no baseline"),)
    finally:
        bash_says(f"umount -l {tiny}")


def bash_says(command: str) -> int:
    return subprocess.run(["bash", "-c", command], capture_output=True).returncode


async def test_a_stop_cuts_a_baseline_short_and_leaves_nothing_open(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(500):
        (root / f"f{number}").write_bytes(os.urandom(10))
    puts, put = [], Blobs.put

    def slowly(blobs: Blobs, source: int, size: int, *, sync: bool) -> str:
        puts.append(size)
        time.sleep(0.002)
        return put(blobs, source, size, sync=sync)

    monkeypatch.setattr(Blobs, "put", slowly)
    store = UndoStore(home)
    call = context(root, undo=store, run=RUN, host=FakeHost())
    running = asyncio.create_task(tool.run(call, arguments(tool, command="x")))
    while not puts:
        await asyncio.sleep(0.001)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert len(puts) < 502
    assert (await store.plan(RUN)).cannot == ()
    await shell(store, root, "rm a", OTHER)
    assert (await store.plan(OTHER)).restore == (str(root / "a"),)


async def test_a_folder_that_is_deep_beyond_measure_does_no_harm(root: Path, home: Path) -> None:
    bash(root, "for n in {1..150}; do mkdir d; cd d; done; echo x > f")
    store = UndoStore(home)
    await shell(store, root, "rm a")
    await undo(store)
    assert (root / "a").read_text() == "a"


async def test_our_own_home_is_never_kept(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "journal").write_text("secret")
    (tmp_path / ".jarvis" / "out").mkdir(parents=True)
    store = UndoStore(home / "undo")
    await shell(store, tmp_path, "echo x >> home/journal; echo x > .jarvis/out/1; echo x > f")
    plan = await store.plan(RUN)
    assert (plan.restore, plan.delete, plan.cannot) == ((), (str(tmp_path / "f"),), ())
    assert not list(home.glob("undo/blobs/*/*"))
