"""What a command changed: scans, hashes, bounds, and overlapping commands."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.host.statdiff import CHANGES, HASHED, Bounds, Hashes, changes, scan
from agent.host.trees import Trees
from agent.steps import Change
from tests.host_bench import PATIENT


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "old").write_bytes(b"old")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/inner").write_bytes(b"inner")
    return tmp_path


def changed(
    root: Path, act: Callable[[Path], object], hashes: Hashes | None = None
) -> dict[str, tuple[str | None, ...]]:
    before = scan(str(root), PATIENT)
    act(root)
    found = changes(str(root), before, scan(str(root), PATIENT), hashes or Hashes(), PATIENT)
    assert found is not None
    return {each.path.removeprefix(f"{root}/"): (each.before, each.after) for each in found}


def rewrite_unseen(root: Path) -> None:
    """Same size, mtime set back."""
    status = (root / "old").stat()
    with open(root / "old", "r+b") as file:
        file.write(b"new")
    os.utime(root / "old", ns=(status.st_atime_ns, status.st_mtime_ns))


def make_folder_with_file(root: Path) -> None:
    (root / "made").mkdir()
    (root / "made/a").write_bytes(b"1")


def replace(root: Path) -> None:
    (root / "fresh").write_bytes(b"old")
    os.utime(root / "fresh", ns=((root / "old").stat().st_atime_ns, (root / "old").stat().st_mtime_ns))
    (root / "fresh").rename(root / "old")


CASES: dict[str, tuple[Callable[[Path], object], dict[str, tuple[str | None, ...]]]] = {
    "nothing": (lambda root: None, {}),
    "read": (lambda root: (root / "old").read_bytes(), {}),
    "new": (lambda root: (root / "a").write_bytes(b"1"), {"a": ("", sha(b"1"))}),
    "new and empty": (lambda root: (root / "a").touch(), {"a": ("", sha(b""))}),
    "changed": (lambda root: (root / "old").write_bytes(b"longer"), {"old": (None, sha(b"longer"))}),
    "deleted": (lambda root: (root / "old").unlink(), {"old": (None, "")}),
    "below": (lambda root: (root / "sub/inner").write_bytes(b"x"), {"sub/inner": (None, sha(b"x"))}),
    "same size and mtime": (rewrite_unseen, {"old": (None, sha(b"new"))}),
    "replaced": (replace, {"old": (None, sha(b"old"))}),
    "mode": (lambda root: (root / "old").chmod(0o755), {"old": (None, sha(b"old"))}),
    "moved": (lambda root: (root / "old").rename(root / "new"), {"new": ("", sha(b"old")), "old": (None, "")}),
    "empty folder": (lambda root: (root / "made").mkdir(), {"made/": ("", None)}),
    "folder with a file": (
        make_folder_with_file,
        {"made/a": ("", sha(b"1"))},
    ),
    "symlink": (lambda root: (root / "link").symlink_to("/etc/passwd"), {"link": ("", None)}),
    "pipe": (lambda root: os.mkfifo(root / "fifo"), {}),
    "odd name": (lambda root: open(os.fsencode(root) + b"/\xff\n", "wb").close(), {"\\xff\n": ("", sha(b""))}),
    "at the hash bound": (lambda root: (root / "a").write_bytes(b"x" * HASHED), {"a": ("", sha(b"x" * HASHED))}),
    "over the hash bound": (lambda root: (root / "a").write_bytes(b"x" * (HASHED + 1)), {"a": ("", None)}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_change_is_seen(root: Path, name: str) -> None:
    act, expected = CASES[name]
    assert changed(root, act) == expected


@pytest.mark.parametrize("folder", [".git", "node_modules", ".venv", "__pycache__", ".jarvis", "sub/node_modules"])
def test_ignored_folders_are_not_looked_into(root: Path, folder: str) -> None:
    def act(root: Path) -> None:
        (root / folder).mkdir(parents=True)
        (root / folder / "a").write_bytes(b"1")

    assert changed(root, act) == {}


def test_a_hash_from_an_earlier_call_says_what_was_there(root: Path) -> None:
    hashes = Hashes()
    changed(root, lambda root: (root / "a").write_bytes(b"1"), hashes)
    assert changed(root, lambda root: (root / "a").write_bytes(b"22"), hashes) == {"a": (sha(b"1"), sha(b"22"))}
    (root / "a").write_bytes(b"from outside, between two calls")
    assert changed(root, lambda root: (root / "a").write_bytes(b"3"), hashes) == {"a": (None, sha(b"3"))}


def test_hashes_are_bounded() -> None:
    hashes = Hashes(room=2)
    for name in "abc":
        hashes.learn(name, (1, 1, 1, 1), name)
    assert [hashes.recall(name, (1, 1, 1, 1)) for name in "abc"] == [None, "b", "c"]
    assert hashes.recall("c", (2, 1, 1, 1)) is None


@pytest.mark.parametrize(("files", "known"), [(1, True), (3, True), (4, False)])
def test_over_the_bound_of_files_nothing_is_known(tmp_path: Path, files: int, known: bool) -> None:
    for number in range(files):
        (tmp_path / str(number)).touch()
    assert (scan(str(tmp_path), Bounds(files=3, cpu_s=5, wall_s=5)) is not None) is known


@pytest.mark.parametrize("bounds", [Bounds(cpu_s=-1.0), Bounds(wall_s=-1.0)])
def test_over_the_bound_of_time_nothing_is_known(root: Path, bounds: Bounds) -> None:
    assert scan(str(root), bounds) is None


def test_a_missing_root_is_unknown(tmp_path: Path) -> None:
    assert scan(str(tmp_path / "gone"), PATIENT) is None
    assert changes("/x", None, {}, Hashes(), PATIENT) is None
    assert changes("/x", {}, None, Hashes(), PATIENT) is None


@pytest.mark.parametrize(("count", "known"), [(CHANGES, True), (CHANGES + 1, False)])
def test_too_many_changes_are_unknown(tmp_path: Path, count: int, known: bool) -> None:
    for number in range(count):
        (tmp_path / str(number)).touch()
    found = changes(str(tmp_path), {}, scan(str(tmp_path), PATIENT), Hashes(), PATIENT)
    assert (found is not None) is known


def test_without_time_to_hash_the_change_is_still_told(root: Path) -> None:
    found = changes(str(root), {}, scan(str(root), PATIENT), Hashes(), Bounds(hash_s=-1.0))
    assert found is not None
    assert Change(f"{root}/old", "", None) in found


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [("a", "a", True), ("a", "a/b", True), ("a/b", "a", True), ("a", "ab", False), ("a", "b", False), ("", "b", True)],
)
def test_overlapping_trees_are_known_to_both(tmp_path: Path, one: str, other: str, overlap: bool) -> None:
    trees = Trees()
    with trees.entered(str(tmp_path / one)) as first:
        assert not first.overlapped
        with trees.entered(str(tmp_path / other)) as second:
            assert second.overlapped is overlap
        assert first.overlapped is overlap
    with trees.entered(str(tmp_path / one)) as third:
        assert not third.overlapped


def test_a_tree_is_known_by_its_real_path(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    trees = Trees()
    with trees.entered(str(tmp_path / "real")) as first, trees.entered(str(tmp_path / "link")):
        assert first.overlapped
