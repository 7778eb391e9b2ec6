"""The probe disk and the scan behind it: what git would ignore, what is never followed, and what is noticed later."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from agent.ports import CallContext
from agent.probes._scan import RACY_NS, Scanner
from agent.probes.disk import probe
from tests.fakes.drifting import laid_out
from tests.fakes.host import FakeHost


def files(root: Path, scanner: Scanner | None = None, *forbidden: Path) -> list[str]:
    return sorted(path for path, _ in (scanner or Scanner()).scan(str(root), tuple(map(str, forbidden))).files())


def settle(root: Path) -> None:
    """As if nothing had happened here for a while."""
    old = time.time_ns() - 10 * RACY_NS
    for folder, _, names in os.walk(root):
        for path in (folder, *(os.path.join(folder, name) for name in names)):
            os.utime(path, ns=(old, old))


async def seen(root: Path, **asked: Any) -> dict[str, Any]:
    cwd = root / asked.pop("cwd", "")
    call = CallContext("s", "l", str(root), str(cwd), 10.0, FakeHost(), forbidden=(str(root / "home"),))
    answer = json.loads(await probe.look(call, json.dumps(asked)))
    assert isinstance(answer, dict)
    return answer


IGNORES = {
    ".gitignore": "*.log\n/top.txt\nbuild/\n!keep.log\nsub/**/deep.md\n# no\n\\#yes\n",
    "sub/.gitignore": "!a.log\nlocal\n",
    "a.log": "", "keep.log": "", "top.txt": "", "sub/top.txt": "", "sub/a.log": "", "sub/b.log": "",
    "build/x.js": "", "sub/build/x.js": "", "sub/local": "", "local": "", "sub/x/y/deep.md": "", "deep.md": "",
    "#yes": "", "plain.py": "",
}  # fmt: skip


def test_what_git_ignores_is_left_out(tmp_path: Path) -> None:
    laid_out(tmp_path, IGNORES)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    command = ["git", "-C", str(tmp_path), "ls-files", "-oc", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True)
    assert files(tmp_path) == sorted(listed.stdout.splitlines())


def test_our_own_folders_links_and_special_files_are_left_out(tmp_path: Path) -> None:
    laid_out(tmp_path, {"a": "", ".jarvis/out/1": "", "node_modules/x/i.js": "", "home/secret": "", "b/c": ""})
    (tmp_path / "link").symlink_to(tmp_path / "a")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert files(tmp_path, None, tmp_path / "home") == ["a", "b/c"]


@pytest.mark.parametrize("settled", [False, True])
def test_what_comes_and_goes_is_noticed(tmp_path: Path, settled: bool) -> None:
    scanner = Scanner()
    laid_out(tmp_path, {"a/b/c.txt": "", "d.txt": ""})
    if settled:
        settle(tmp_path)
    assert files(tmp_path, scanner) == ["a/b/c.txt", "d.txt"]
    laid_out(tmp_path, {"a/b/new.txt": "", "a/new/x": ""})
    (tmp_path / "d.txt").unlink()
    assert files(tmp_path, scanner) == ["a/b/c.txt", "a/b/new.txt", "a/new/x"]


def test_new_rules_hold_below_them_too(tmp_path: Path) -> None:
    scanner = Scanner()
    laid_out(tmp_path, {".gitignore": "*.log\n", "a/b/c.log": "", "a/b/c.txt": ""})
    settle(tmp_path)
    assert files(tmp_path, scanner) == [".gitignore", "a/b/c.txt"]
    (tmp_path / ".gitignore").write_text("*.txt\n")  # in place: the folder's own time doesn't move
    assert files(tmp_path, scanner) == [".gitignore", "a/b/c.log"]


def test_a_folder_that_did_not_change_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scanner = Scanner()
    laid_out(tmp_path, {f"d{number}/f": "" for number in range(5)})
    settle(tmp_path)
    files(tmp_path, scanner)
    read: list[object] = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: read.append(path) or scandir(path))
    assert len(files(tmp_path, scanner)) == 5
    assert read == []


def test_a_large_tree_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.probes._scan.FILES", 10)
    laid_out(tmp_path, {f"d{number}/f": "" for number in range(30)})
    found = Scanner().scan(str(tmp_path))
    assert not found.whole and found.count == 10


async def test_the_newest_come_first_also_those_written_in_place(tmp_path: Path) -> None:
    laid_out(tmp_path, {"a": "1", "b": "1", "c": "1"})
    settle(tmp_path)
    os.utime(tmp_path / "b", (time.time() - 5000, time.time() - 5000))
    assert [path for path, _ in (await seen(tmp_path, newest=2))["newest"]] != ["b"]
    (tmp_path / "b").write_text("12")
    answer = await seen(tmp_path, newest=1, touched=[str(tmp_path / "b"), "/elsewhere", str(tmp_path / "gone")])
    ((path, age),) = answer["newest"]
    assert path == "b" and 0 <= age < 100


async def test_what_is_missing(tmp_path: Path) -> None:
    laid_out(tmp_path, {"a.txt": "", "sub/b.txt": "", "home/x": ""})
    (tmp_path / "dangling").symlink_to("nowhere")
    paths = ["a.txt", "b.txt", "gone.txt", "dangling", "~/x", "home/secret", "odd\0", str(tmp_path / "none")]
    assert (await seen(tmp_path, paths=paths, cwd="sub"))["missing"] == ["gone.txt", str(tmp_path / "none")]


async def test_names_that_are_no_text_are_counted_and_not_named(tmp_path: Path) -> None:
    (tmp_path / "fine").write_text("")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe")).write_text("")
    (tmp_path / "two\nlines").write_text("")
    answer = await seen(tmp_path)
    assert answer["files"] == 3 and [path for path, _ in answer["newest"]] == ["fine"]


async def test_a_workspace_that_is_gone_is_empty(tmp_path: Path) -> None:
    assert (await seen(tmp_path / "gone"))["files"] == 0
