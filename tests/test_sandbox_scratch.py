"""The boxes' private folders are emptied of what is old, and of nothing else."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from agent.sandbox.scratch import emptied

HOUR = 3600.0


def aged(path: Path, age_s: float) -> None:
    os.utime(path, (time.time() - age_s,) * 2, follow_symlinks=False)


@pytest.fixture
def tmp(tmp_path: Path) -> Path:
    folder = tmp_path / "home/box/0123456789abcdef/tmp"
    folder.mkdir(parents=True)
    return folder


def emptied_at(home: Path, ahead_s: float, monkeypatch: pytest.MonkeyPatch, older_than_s: float = HOUR) -> int:
    """As it would be `ahead_s` seconds from now: the time of a change of an inode can't be set back."""
    now = time.time()
    with monkeypatch.context() as patch:
        patch.setattr("agent.sandbox.scratch.time.time", lambda: now + ahead_s)
        return emptied(str(home), older_than_s)


@pytest.mark.parametrize(("ahead_s", "gone"), [(0, 0), (HOUR - 60, 0), (HOUR + 60, 2)])
def test_only_what_is_old_goes(tmp: Path, monkeypatch: pytest.MonkeyPatch, ahead_s: float, gone: int) -> None:
    (tmp / "deep/er").mkdir(parents=True)
    (tmp / "deep/er/file").write_text("x")
    (tmp / "other").write_text("x")
    assert emptied_at(tmp.parents[2], ahead_s, monkeypatch) == gone
    assert (tmp / "deep").exists() is (gone == 0)
    assert tmp.is_dir()


def test_a_folder_with_something_new_in_it_stays(tmp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp / "job").mkdir()
    (tmp / "job/old").write_text("x")
    (tmp / "job/new").write_text("x")
    aged(tmp / "job/new", -2 * HOUR)
    assert emptied_at(tmp.parents[2], HOUR + 60, monkeypatch) == 1
    assert [path.name for path in (tmp / "job").iterdir()] == ["new"]


def test_links_are_deleted_and_never_followed(tmp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/kept").write_text("x")
    (tmp / "folder").symlink_to(tmp_path / "outside")
    (tmp / "file").symlink_to(tmp_path / "outside/kept")
    box = tmp_path / "home/box/fedcba9876543210"
    box.symlink_to(tmp_path / "outside")
    emptied_at(tmp.parents[2], 2 * HOUR, monkeypatch)
    assert list(tmp.iterdir()) == []
    assert (tmp_path / "outside/kept").read_text() == "x"


def test_no_box_yet(tmp_path: Path) -> None:
    assert emptied(str(tmp_path), HOUR) == 0
