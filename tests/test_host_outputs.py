"""Full outputs of commands: the files they go to, many at a time, and when they go."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from agent.host import spill
from agent.host.outputs import forgotten
from agent.host.spill import NUMBERED, Spill, out_folder, trim
from agent.redact import Redactor

REDACTOR = Redactor([])
NOW = 2_000_000_000.0


@pytest.fixture
def out(tmp_path: Path) -> Path:
    with out_folder(str(tmp_path)):
        return tmp_path / ".jarvis/out"


def kept(out: Path, name: str, at: float) -> Path:
    path = out / name
    path.write_text("x")
    os.utime(path, (at, at))
    return path


@pytest.mark.parametrize(("at", "gone"), [(NOW - 1, 1), (NOW, 0), (NOW + 1, 0)])
def test_what_was_last_written_before_goes(tmp_path: Path, out: Path, at: float, gone: int) -> None:
    path = kept(out, "c1.stdout", at)
    assert forgotten([str(tmp_path)], NOW) == gone
    assert path.exists() is not bool(gone)
    assert (tmp_path / ".jarvis/.gitignore").exists()


def test_what_is_still_written_stays_however_quiet_it_is(tmp_path: Path) -> None:
    made = Spill(str(tmp_path), "j1.stdout", REDACTOR)
    made.feed(b"one\n")
    os.utime(made.path, (NOW - 1, NOW - 1))
    assert forgotten([str(tmp_path)], NOW) == 0
    made.feed(b"two\n")
    made.close()
    assert Path(made.path).read_text() == "one\ntwo\n"
    os.utime(made.path, (NOW - 1, NOW - 1))
    assert forgotten([str(tmp_path)], NOW) == 1


def test_no_link_is_followed_and_nothing_is_made(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere/out"
    elsewhere.mkdir(parents=True)
    outside = kept(elsewhere, "precious", 1.0)
    linked, inner, bare = tmp_path / "linked", tmp_path / "inner", tmp_path / "bare"
    for folder in (linked, inner / ".jarvis", bare):
        folder.mkdir(parents=True)
    (linked / ".jarvis").symlink_to(tmp_path / "elsewhere")
    (inner / ".jarvis/out").symlink_to(elsewhere)
    workspaces = [str(tmp_path / name) for name in ("linked", "missing", "inner", "bare")]
    assert forgotten(workspaces, NOW) == 0
    assert outside.exists() and list(bare.iterdir()) == [] and not (tmp_path / "missing").exists()


def test_only_plain_files_go(tmp_path: Path, out: Path) -> None:
    precious = kept(tmp_path, "precious", 1.0)
    (out / "link").symlink_to(precious)
    os.mkfifo(out / "pipe")
    (out / "folder").mkdir()
    for name in ("pipe", "folder"):
        os.utime(out / name, (1.0, 1.0))
    old = kept(out, "c1.stdout", 1.0)
    assert forgotten([str(tmp_path)], NOW) == 1
    assert not old.exists() and precious.exists() and len(list(out.iterdir())) == 3


def test_commands_that_begin_together_in_a_new_workspace_all_get_their_file(tmp_path: Path) -> None:
    failures: list[OSError] = []
    for number in range(40):
        workspace, begin = tmp_path / str(number), threading.Barrier(4)
        workspace.mkdir()

        def make(workspace: Path = workspace, begin: threading.Barrier = begin) -> None:
            begin.wait()
            try:
                Spill(str(workspace), "c1.stdout", REDACTOR).close()
            except OSError as error:
                failures.append(error)

        threads = [threading.Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []


def test_room_that_somebody_else_makes_meanwhile_is_no_fault(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spill, "TOTAL_CAP", 0)
    for number in range(3):
        kept(out, f"c{number}", 1.0)
    unlink = os.unlink

    def first_by_another(name: str, *, dir_fd: int) -> None:
        unlink(name, dir_fd=dir_fd)
        unlink(name, dir_fd=dir_fd)

    monkeypatch.setattr(spill.os, "unlink", first_by_another)
    with out_folder(str(tmp_path)) as folder:
        trim(folder)
    assert list(out.iterdir()) == []


def test_a_name_that_is_taken_very_often_still_gets_a_file(tmp_path: Path) -> None:
    names = set()
    for _ in range(NUMBERED + 3):
        made = Spill(str(tmp_path), "call_1.stdout", REDACTOR)
        made.close()
        names.add(made.name)
    assert len(names) == NUMBERED + 3 and {"call_1.stdout", f"call_1-{NUMBERED}.stdout"} <= names


def test_nothing_newer_goes_while_the_folder_is_walked(tmp_path: Path, out: Path) -> None:
    for number in range(500):
        kept(out, f"c{number}", NOW - 1 if number % 2 else time.time() + 10**9)
    assert forgotten([str(tmp_path)], NOW) == 250 == len(list(out.iterdir()))
