"""Tool write_file where it must not or can't write: the old file stands, nothing else is left, the reason is named."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.errors import ToolError
from agent.tools.write_file import WriteFile, write
from tests.fakes.calls import context

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")


def put(folder: Path, path: str, content: str, **parts: Any) -> None:
    write(context(folder, **parts), WriteFile(path=path, content=content))


def _folder(path: Path) -> None:
    path.mkdir()


def _link(path: Path) -> None:
    (path.parent / "target").write_text("old")
    path.symlink_to("target")


def _dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (_folder, "is a folder"),
        (_link, "is a symbolic link to target"),
        (_dangling, "is a symbolic link to nowhere"),
        (os.mkfifo, "is a named pipe"),
        (_socket, "is a socket"),
    ],
)
def test_only_regular_files_are_replaced(tmp_path: Path, make: Any, words: str) -> None:
    path = tmp_path / "x"
    make(path)
    before = {each.name: each.lstat().st_ino for each in tmp_path.iterdir()}
    with pytest.raises(ToolError, match=words):
        put(tmp_path, "x", "new")
    assert {each.name: each.lstat().st_ino for each in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", "path is empty"),
        (" \n", "path is empty"),
        ("~/x", "~ is not expanded"),
        ("~root/x", "~ is not expanded"),
        ("a\0b", "NUL"),
        ("a\ud800b", "half a character"),
        ("/dev/null", "is a character device"),
        ("new/", "names a folder"),
        ("..", "is a folder"),
        ("/", "names a folder"),
        ("file/below", "a part of the path is no folder"),
        ("n" * 256, "name is too long"),
        ("p/" * 2048, "longer than 4095 bytes"),
        ("loop/x", "symbolic link stands in the way|no folder"),
        ("own/state.db", "out of reach"),
        ("own", "out of reach"),
        ("own/new/x", "out of reach"),
        ("link/state.db", "out of reach"),
        ("sub/../own/x", "out of reach"),
        ("/proc/self/comm", "out of reach"),
        ("/proc/self/root/proc/self/environ", "out of reach"),
    ],
)
def test_paths_that_are_refused(tmp_path: Path, path: str, words: str) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "own").mkdir()
    (tmp_path / "sub").mkdir()
    (tmp_path / "own" / "state.db").write_text("ours")
    (tmp_path / "link").symlink_to("own")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(ToolError, match=words):
        put(tmp_path, path, "new", forbidden=(str(tmp_path / "link"),))
    assert (tmp_path / "own" / "state.db").read_text() == "ours"
    assert not list(tmp_path.rglob(".jarvis-*"))


def test_a_name_that_only_begins_like_our_state_is_not_refused(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    put(tmp_path, "own-notes.txt", "x", forbidden=(str(tmp_path / "own"),))
    assert (tmp_path / "own-notes.txt").read_text() == "x"


def test_half_a_character_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="half of a surrogate pair at character 1"):
        put(tmp_path, "sub/f", "a\ud83d")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB."""
    path = tmp_path / "tiny"
    path.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(path)], capture_output=True).returncode:
        pytest.skip("no right to mount a tmpfs here")
    yield path
    subprocess.run(["umount", "-l", str(path)], check=True)


@root_only
def test_a_full_disk_leaves_the_old_file_and_nothing_else(tiny: Path) -> None:
    (tiny / "f").write_text("old")
    with pytest.raises(ToolError, match="disk is full"):
        put(tiny, "f", "n" * 200_000)
    assert [(each.name, each.read_text()) for each in tiny.iterdir()] == [("f", "old")]


@root_only
def test_a_read_only_file_system_is_named(tiny: Path) -> None:
    (tiny / "f").write_text("old")
    subprocess.run(["mount", "-o", "remount,ro", str(tiny)], check=True)
    for path in ("f", "new", "new/sub/f"):
        with pytest.raises(ToolError, match="read-only"):
            put(tiny, path, "new")
    assert [(each.name, each.read_text()) for each in tiny.iterdir()] == [("f", "old")]


def test_missing_rights_are_named(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old")
    (tmp_path / "f").chmod(0o444)
    (tmp_path / "shut").mkdir(mode=0o555)
    if os.geteuid() != 0:
        paths = ["f", "shut/new"]
        with pytest.raises(ToolError, match="permission denied"):
            put(tmp_path, paths[0], "new")
        with pytest.raises(ToolError, match="permission denied"):
            put(tmp_path, paths[1], "new")
    else:
        _as_nobody(tmp_path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["f", "shut"]
    assert (tmp_path / "f").read_text() == "old"


def _as_nobody(folder: Path) -> None:
    """The same in a child that gave up its rights: root's go past all modes."""
    folder.chmod(0o777)
    for parent in folder.parents[:-2]:
        parent.chmod(parent.stat().st_mode | 0o011)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setgid(65534)
            os.setuid(65534)
            refused = 0
            for path in ("f", "shut/new"):
                try:
                    put(folder, path, "new")
                except ToolError as error:
                    refused += "permission denied" in str(error)
            code = 0 if refused == 2 else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("call", ["fsync", "rename", "fchmod"])
def test_any_failure_on_the_way_leaves_the_old_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    (tmp_path / "f").write_text("old")

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(ToolError, match="input/output error"):
        put(tmp_path, "f", "new")
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("f", "old")]
