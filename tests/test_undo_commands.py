"""The undo of what shell commands changed: a baseline before, what differs after, in bounds, each run's own."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from agent.tools.shell import tool
from agent.tools.write_file import WriteFile, write
from agent.undo import Limits, UndoStore
from agent.undo.blobs import Blobs
from tests.fakes.calls import arguments, context
from tests.fakes.host import FakeHost, ran
from tests.fakes.trees import snapshot

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


GIT = "git -c user.name=x -c user.email=x@x"


@pytest.mark.parametrize(
    "command",
    [
        "sed -i s/a/x/ a; rm b; mkdir -p new/deep; echo y > new/deep/f; mv a c; chmod 600 c",
        f"{GIT} init -q; {GIT} add .; {GIT} commit -qm one",
        "rm -rf repo/.git",
        f"cd repo; echo more >> f; {GIT} commit -qam two; {GIT} branch other; {GIT} gc -q",
        "rm -rf repo; ln -s a repo; rm a; mkdir a; echo x > a/b",
        "mkdir -p p/__pycache__ p/node_modules/x; echo > p/__pycache__/m; echo > p/node_modules/x/y",
        "chmod 700 repo; chmod 000 repo/f; touch -d 2001-01-01 b",
        "rm -rf ./* repo/.git",
    ],
)
async def test_whatever_a_command_does_to_files_is_undone(root: Path, home: Path, command: str) -> None:
    bash(root, f"mkdir repo; cd repo; echo f > f; {GIT} init -q; {GIT} add f; {GIT} commit -qm zero")
    store, was = UndoStore(home), snapshot(root)
    await shell(store, root, command)
    assert (await store.plan(RUN)).cannot == ()
    await undo(store)
    assert snapshot(root) == was
    bash(root / "repo", f"{GIT} fsck --strict && {GIT} status --porcelain")


async def test_the_tools_of_a_run_are_undone_together(root: Path, home: Path) -> None:
    store, was = UndoStore(home), snapshot(root)
    write(context(root, undo=store, run=RUN), WriteFile(path="a", content="tool"))
    await shell(store, root, "echo shell > a; echo shell > new")
    write(context(root, undo=store, run=RUN), WriteFile(path="new", content="tool"))
    await shell(store, root, "rm new; cp a b")
    assert (await store.plan(RUN)).changed_since == ()
    await undo(UndoStore(home))
    assert snapshot(root) == was


async def test_whole_runs_are_undone_one_after_the_other(root: Path, home: Path) -> None:
    store, was = UndoStore(home), snapshot(root)
    await shell(store, root, "echo 1 > a", "s1:4")
    between = snapshot(root)
    await shell(store, root, "echo 2 > a; rm b", "s1:9")
    assert await store.runs("s1") == ["s1:9", "s1:4"]
    await undo(store, "s1:9")
    assert snapshot(root) == between
    assert (await store.plan("s1:4")).changed_since == (str(root / "a"),)  # a new file of the same content
    assert snapshot(root) != was


async def test_what_a_person_changed_between_two_commands_is_not_the_runs(root: Path, home: Path) -> None:
    store = UndoStore(home)
    await shell(store, root, "echo run > a")
    (root / "b").write_text("mine")
    (root / "c").write_text("mine")
    await shell(store, root, "echo run >> b")
    plan = await store.plan(RUN)
    assert plan.restore == (str(root / "a"), str(root / "b"))
    await undo(store)
    assert [(root / name).read_text() for name in "abc"] == ["a", "mine", "mine"]


async def test_rebuilt_folders_are_listed_not_restored(root: Path, home: Path) -> None:
    (root / "node_modules" / "x").mkdir(parents=True)
    (root / "__pycache__").mkdir()
    store = UndoStore(home)
    await shell(store, root, "touch __pycache__/m")
    assert (await store.plan(RUN)).cannot == ()
    await shell(store, root, "touch node_modules/y; rm -rf __pycache__")
    assert [path for path, why in (await store.plan(RUN)).cannot if why == "not kept"] == [
        str(root / "__pycache__"), str(root / "node_modules")
    ]  # fmt: skip


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


async def test_two_sessions_one_after_the_other_keep_their_changes_apart(root: Path, home: Path) -> None:
    store = UndoStore(home)
    await shell(store, root, "echo 1 > a")
    await shell(store, root, "echo 2 > b; echo 2 > c", OTHER)
    await shell(store, root, "echo 1 > d")
    assert (await store.plan(RUN)).restore == (str(root / "a"),)
    assert (await store.plan(RUN)).delete == (str(root / "d"),)
    assert (await store.plan(OTHER)).restore == (str(root / "b"),)
    await undo(store)
    assert ((root / "a").read_text(), (root / "b").read_text(), (root / "c").read_text()) == ("a", "2\n", "2\n")


async def test_two_commands_at_once_are_nobodys(root: Path, home: Path) -> None:
    store = UndoStore(home)
    await store.before_command(RUN, str(root))
    (root / "sub").mkdir()
    await store.before_command(OTHER, str(root / "sub"))
    (root / "sub" / "x").write_text("whose?")
    (root / "a").write_text("whose?")
    await store.after_command(OTHER, str(root / "sub"))
    await store.after_command(RUN, str(root))
    for run in (RUN, OTHER):
        plan = await store.plan(run)
        assert plan.empty
        assert {why for _, why in plan.cannot} == {"shared"}
    await shell(store, root, "rm b")
    assert (await store.plan(RUN)).restore == (str(root / "b"),)


async def test_what_another_runs_file_tool_wrote_meanwhile_is_its_own(root: Path, home: Path) -> None:
    store = UndoStore(home)
    await store.before_command(RUN, str(root))
    write(context(root, undo=store, run=OTHER), WriteFile(path="new/x", content="other"))
    (root / "a").write_text("run")
    await store.after_command(RUN, str(root))
    plan = await store.plan(RUN)
    assert (plan.restore, plan.delete) == ((str(root / "a"),), ())
    assert (await store.plan(OTHER)).delete == (str(root / "new"), str(root / "new" / "x"))


async def test_a_write_is_its_runs_from_before_it_happens(root: Path, home: Path) -> None:
    store = UndoStore(home)
    await store.before_command(RUN, str(root))
    store.keep(OTHER, str(root / "a"))
    (root / "a").write_text("other")
    await store.after_command(RUN, str(root))
    store.left(OTHER, str(root / "a"))
    assert (await store.plan(RUN)).empty
    assert (await store.plan(OTHER)).restore == (str(root / "a"),)


@pytest.mark.parametrize("goes_on", [False, True])
async def test_a_command_that_our_own_death_cut_off_is_undone(root: Path, home: Path, goes_on: bool) -> None:
    was = snapshot(root)
    await UndoStore(home).before_command(RUN, str(root))
    bash(root, "echo x > a; echo x > new")
    store = UndoStore(home)
    if goes_on:
        await shell(store, root, "echo y >> a; rm b")
    assert not (await store.plan(RUN)).changed_since
    await undo(store)
    assert snapshot(root) == was


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


async def test_the_shell_tool_tells_before_and_after_however_it_ends(root: Path, home: Path) -> None:
    store, gate = UndoStore(home), asyncio.Event()
    call = context(root, undo=store, run=RUN, host=FakeHost(gate=gate))
    running = asyncio.create_task(tool.run(call, arguments(tool, command="x")))
    while not call.host.commands:  # type: ignore[attr-defined]
        await asyncio.sleep(0.001)
    (root / "a").write_text("run")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    (root / "b").write_text("mine")
    assert (await store.plan(RUN)).restore == (str(root / "a"),)


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
