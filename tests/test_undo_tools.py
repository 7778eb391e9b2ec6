"""The undo of what file tools wrote: through the real tools, back as it was, and nobody else's work undone."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.errors import ToolError
from agent.tools.edit_file import EditFile, edit
from agent.tools.write_file import WriteFile, write
from agent.undo import Limits, UndoStore
from agent.undo.manifest import Begun, Kept, Manifest
from tests.fakes.calls import context
from tests.fakes.trees import snapshot

MB16 = 16 * 2**20
RUN = "s1:4"


class Bench:
    """A workspace, a store, and tools of one run."""

    def __init__(self, place: Path, limits: Limits | None = None) -> None:
        self.root = place / "work"
        self.root.mkdir()
        self.limits, self.home = limits, place / "undo"
        self.store = UndoStore(self.home, limits)

    def write(self, path: str, content: str, run: str = RUN, mode: str | None = None) -> None:
        write(context(self.root, undo=self.store, run=run), WriteFile(path=path, content=content, mode=mode))

    def edit(self, path: str, old: str, new: str) -> None:
        edit(context(self.root, undo=self.store, run=RUN), EditFile(path=path, old=old, new=new))

    def at(self, *paths: str) -> tuple[str, ...]:
        return tuple(str(self.root / path) for path in paths)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def test_what_was_written_edited_and_made_is_taken_back(bench: Bench) -> None:
    (bench.root / "old").write_text("first")
    (bench.root / "old").chmod(0o751)
    (bench.root / "edited").write_text("one two")
    was = snapshot(bench.root, times=True)
    bench.write("old", "second", mode="600")
    bench.write("old", "third")
    bench.edit("edited", "two", "three")
    bench.write("new/deep/file", "x")
    left = snapshot(bench.root)
    plan = await bench.store.plan(RUN)
    assert plan.restore == bench.at("edited", "old")
    assert plan.delete == bench.at("new", "new/deep", "new/deep/file")
    assert (plan.cannot, plan.changed_since, plan.workspaces) == ((), (), ())
    report = await bench.store.restore(RUN, plan)
    assert (report.restored, report.deleted, report.failed) == (plan.restore, plan.delete, ())
    assert snapshot(bench.root, times=True) == was

    redo = await bench.store.plan(report.redo)
    assert (await bench.store.restore(report.redo, redo)).failed == ()
    assert snapshot(bench.root) == left
    assert await bench.store.runs("s1") == ["s1:4~2", "s1:4~1", "s1:4"]


async def test_what_a_file_held_before_the_run_is_told(bench: Bench) -> None:
    (bench.root / "old").write_text("first")
    bench.write("old", "second")
    bench.write("old", "third")
    bench.write("new", "x")
    old, new, other = bench.at("old", "new", "other")
    assert [await bench.store.was(RUN, path) for path in (old, new, other)] == [b"first", b"", None]
    assert await bench.store.was("s9:1", old) is None


async def test_an_undo_twice_is_one(bench: Bench) -> None:
    bench.write("f", "x")
    plan = await bench.store.plan(RUN)
    await bench.store.restore(RUN, plan)
    (bench.root / "f").write_text("mine now")
    report = await bench.store.restore(RUN, plan)
    assert (report.deleted, report.changed_since, report.redo) == ((), bench.at("f"), "")
    assert (bench.root / "f").read_text() == "mine now"


@pytest.mark.parametrize("late", [False, True], ids=["before the plan", "after the plan"])
async def test_what_somebody_changed_since_stays(bench: Bench, late: bool) -> None:
    (bench.root / "a").write_text("a")
    bench.write("a", "run")
    bench.write("b", "run")
    plan = await bench.store.plan(RUN)
    (bench.root / "b").write_text("me!")  # the same size
    if not late:
        plan = await bench.store.plan(RUN)
        assert (plan.restore, plan.delete, plan.changed_since) == (bench.at("a"), (), bench.at("b"))
    await bench.store.restore(RUN, plan)
    assert ((bench.root / "a").read_text(), (bench.root / "b").read_text()) == ("a", "me!")


async def test_what_somebody_changed_between_two_writes_of_the_run_is_listed(bench: Bench) -> None:
    (bench.root / "a").write_text("a")
    bench.write("a", "run")
    (bench.root / "a").write_text("mine")
    bench.write("a", "run again")
    plan = await bench.store.plan(RUN)
    assert (plan.restore, plan.changed_since) == ((), bench.at("a"))


async def test_a_refused_write_is_no_change(bench: Bench) -> None:
    (bench.root / "a").write_text("a")
    with pytest.raises(ToolError, match="not found"):
        bench.edit("a", "b", "c")
    with pytest.raises(ToolError, match="is a folder"):
        bench.write(".", "x")
    (bench.root / "a").write_text("mine")
    plan = await bench.store.plan(RUN)
    assert plan.empty and not plan.changed_since


@pytest.mark.parametrize(("size", "kept"), [(MB16 - 1, True), (MB16, True), (MB16 + 1, False)])
async def test_files_up_to_16_mb_are_kept(bench: Bench, size: int, kept: bool) -> None:
    path = bench.root / "big"
    path.write_bytes(bytes(size - 1) + b"!")
    bench.write("big", "small")
    plan = await bench.store.plan(RUN)
    assert plan.restore == (bench.at("big") if kept else ())
    assert plan.cannot == (() if kept else ((str(path), "too large"),))
    await bench.store.restore(RUN, plan)
    assert path.stat().st_size == (size if kept else 5)


async def test_a_file_outside_the_workspace_comes_back_too(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("a")
    bench.write("../outside", "b")
    await bench.store.restore(RUN, await bench.store.plan(RUN))
    assert (tmp_path / "outside").read_text() == "a"


async def test_no_link_leads_an_undo_elsewhere(bench: Bench, tmp_path: Path) -> None:
    (bench.root / "sub").mkdir()
    (bench.root / "sub" / "f").write_text("a")
    bench.write("sub/f", "b")
    plan = await bench.store.plan(RUN)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "f").write_text("b")
    (bench.root / "sub").rename(bench.root / "moved")
    (bench.root / "sub").symlink_to(tmp_path / "elsewhere")
    await bench.store.restore(RUN, plan)
    assert (tmp_path / "elsewhere" / "f").read_text() == "b"


async def test_a_damaged_copy_is_not_given_back(bench: Bench) -> None:
    (bench.root / "a").write_text("a")
    bench.write("a", "b")
    plan = await bench.store.plan(RUN)
    (blob,) = [path for path in (bench.home / "blobs").rglob("*") if path.is_file()]
    blob.write_bytes(b"?")
    report = await bench.store.restore(RUN, plan)
    assert report.failed == ((*bench.at("a"), "the kept copy is damaged"),)
    blob.unlink()
    assert (await bench.store.plan(RUN)).cannot == ((*bench.at("a"), "damaged"),)
    assert (bench.root / "a").read_text() == "b"
    assert [path.name for path in bench.root.iterdir()] == ["a"]


async def test_an_undo_that_was_cut_off_is_no_run_of_its_own(bench: Bench) -> None:
    bench.write("a", "run")
    cut = Manifest(bench.home / "runs", f"{RUN}~1")
    cut.append(Begun(f"{RUN}~1", time.time() + 1, RUN), Kept(()), sync=True)
    assert await bench.store.runs("s1") == [RUN]
    report = await bench.store.restore(RUN, await bench.store.plan(RUN))
    assert await bench.store.runs("s1") == [report.redo, RUN] == [f"{RUN}~2", RUN]


async def test_a_folder_the_run_made_stays_if_it_holds_what_others_made(bench: Bench) -> None:
    bench.write("new/a", "run")
    (bench.root / "new" / "mine").write_text("mine")
    plan = await bench.store.plan(RUN)
    assert (plan.delete, plan.cannot) == (bench.at("new/a"), ((*bench.at("new"), "not empty"),))
    await bench.store.restore(RUN, plan)
    assert [path.name for path in (bench.root / "new").iterdir()] == ["mine"]


def test_the_store_is_ours_alone(bench: Bench) -> None:
    (bench.root / "a").write_text("secret")
    (bench.root / "a").chmod(0o644)
    bench.write("a", "b")
    for path in [bench.home, *bench.home.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


@pytest.mark.parametrize("commands", [0, 1, 2], ids=["alone", "after a command", "between commands"])
@pytest.mark.parametrize("moment", ["kept", "written", "torn"])
async def test_a_death_between_keeping_and_writing_leaves_a_whole_manifest(
    bench: Bench, moment: str, commands: int
) -> None:
    (bench.root / "a").write_text("a")
    if commands:
        await bench.store.before_command(RUN, str(bench.root))
        await bench.store.after_command(RUN, str(bench.root))
    code = f"""
import os, signal
from pathlib import Path
from agent.undo import UndoStore
UndoStore(Path({str(bench.home)!r})).keep({RUN!r}, {str(bench.root / "a")!r})
if {moment!r} != "kept":
    Path({str(bench.root / "a")!r}).write_text("b")
if {moment!r} == "torn":
    [manifest] = Path({str(bench.home)!r}).glob("runs/*")
    manifest.open("a").write('["left",[["/x')
os.kill(os.getpid(), signal.SIGKILL)
"""
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", code, cwd=Path(__file__).parent.parent)
    assert await child.wait() == -signal.SIGKILL
    store = UndoStore(bench.home)
    if commands > 1:
        await store.before_command(RUN, str(bench.root))
        await store.after_command(RUN, str(bench.root))
    plan = await store.plan(RUN)
    assert plan.restore == (() if moment == "kept" else bench.at("a"))
    await store.restore(RUN, plan)
    assert (bench.root / "a").read_text() == "a"
    assert not (await UndoStore(bench.home).plan(RUN)).cannot


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB."""
    path = tmp_path / "tiny"
    path.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(path)], capture_output=True).returncode:
        pytest.skip("no right to mount a tmpfs here")
    yield path
    subprocess.run(["umount", "-l", str(path)], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
async def test_a_full_store_refuses_the_write_in_words(tmp_path: Path, tiny: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    (root / "a").write_bytes(os.urandom(100_000))
    (root / "b").write_text("b")
    store = UndoStore(tiny / "undo")
    was = snapshot(root)
    with pytest.raises(ToolError, match=r"Not written: .* can't be kept for undo \(no space left on device\)"):
        write(context(root, undo=store, run=RUN), WriteFile(path="a", content="new"))
    assert snapshot(root) == was
    assert not [path for path in tiny.rglob("*") if path.suffix == ".tmp"]
    write(context(root, undo=store, run=RUN), WriteFile(path="b", content="new"))
    await store.restore(RUN, await store.plan(RUN))
    assert snapshot(root) == was
