"""The undo of what shell commands changed: a baseline before, what differs after, in bounds, each run's own."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from agent.tools.shell import tool
from agent.tools.write_file import WriteFile, write
from agent.undo import UndoStore
from tests.fakes.calls import arguments, context
from tests.fakes.host import FakeHost
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
