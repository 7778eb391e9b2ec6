"""The walk to a folder: never over a link, never with a descriptor left open."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent.errors import ToolError
from agent.tools._paths import folder, locate, variable
from agent.tools._wording import printable, size
from tests.fakes.calls import context


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize("make", [False, True])
@pytest.mark.parametrize("path", ["link", "link/sub", "file", "file/sub", "real/link/x"])
def test_a_link_put_in_the_way_stops_the_walk(tmp_path: Path, path: str, make: bool) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to("elsewhere")
    (tmp_path / "real" / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "file").write_text("")
    before = open_descriptors()
    with pytest.raises(NotADirectoryError), folder(str(tmp_path / path), make=make):
        pass
    assert open_descriptors() == before
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_missing_folders_are_made_only_when_asked(tmp_path: Path) -> None:
    before = open_descriptors()
    with pytest.raises(FileNotFoundError), folder(str(tmp_path / "a" / "b")):
        pass
    with folder(str(tmp_path / "a" / "b"), make=True) as at:
        assert os.fstat(at).st_ino == (tmp_path / "a" / "b").stat().st_ino
    assert open_descriptors() == before


@pytest.mark.parametrize(
    ("typed", "follow", "real"),
    [
        ("f", True, "sub/f"),
        ("./f", True, "sub/f"),
        ("../f", True, "f"),
        ("../link", True, "sub"),
        ("../link", False, "link"),
        ("../link/", True, "sub"),
        ("../link/..", False, ""),
        ("../link/../f", False, "f"),
        ("..", False, ""),
        ("new/deep/f", False, "sub/new/deep/f"),
        ("näme with space", False, "sub/näme with space"),
    ],
)
def test_where_a_path_leads(tmp_path: Path, typed: str, follow: bool, real: str) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to("sub")
    call = context(tmp_path, cwd=str(tmp_path / "sub"))
    assert locate(call, typed, follow=follow) == str(tmp_path / real)


def test_our_state_is_known_by_its_real_place_whatever_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "alias").symlink_to("own")
    for forbidden in ("own", "alias"):
        for typed in ("own/x", "alias/x", "alias/../own/./x", f"{tmp_path}/alias"):
            with pytest.raises(ToolError, match="out of reach"):
                locate(context(tmp_path, forbidden=(str(tmp_path / forbidden),)), typed, follow=True)


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (10 * 2**30, "10.7 GB"),
        (10**18, "1000000.0 TB"),
    ],
)
def test_sizes(count: int, shown: str) -> None:
    assert size(count) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\tb", r"a\tb"), ("\udcff", r"\xff"), ("\ud83d", r"\ud83d"), ("\x85", r"\x85"), ("ä\u200d日", "ä\u200d日")],
)
def test_what_can_break_a_line_or_a_screen_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert printable(text).encode()


@pytest.mark.parametrize(
    ("path", "found"), [("/a/$HOME/b", "$HOME"), ("${X1}", "${X1}"), ("a$", None), ("$1", None), ("a", None)]
)
def test_literal_variables(path: str, found: str | None) -> None:
    assert variable(path) == found
