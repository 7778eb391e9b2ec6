"""Tool list_dir: one bounded line an entry, whatever the names are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent.errors import ToolError
from agent.tools.list_dir import SHOWN, ListDir, listing, tool
from tests.fakes.calls import context, shelf


def names(folder: Path, path: str = ".") -> list[str]:
    """The lines without their head, sizes and times."""
    return [line.split("  ")[0] for line in listing(context(folder), ListDir(path=path)).text.splitlines()[1:]]


async def test_folders_come_first_then_files_with_size_and_time(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "a.txt").write_bytes(b"x" * 1234)
    (tmp_path / "z").symlink_to("a.txt")
    os.mkfifo(tmp_path / "pipe")
    os.utime(tmp_path / "a.txt", (0, 1_700_000_000))
    result = await tool.run(context(tmp_path), ListDir())
    head, *lines = result.text.splitlines()
    assert head == f"{tmp_path}: 4 entries (1 folders)"
    assert [line.split("  ")[0] for line in lines] == ["b/", "a.txt", "pipe", "z -> a.txt"]
    assert lines[1].startswith("a.txt  1.2 kB  2023-11-1")
    assert "device, pipe or socket" in lines[2]
    assert (result.details, result.files) == ("4 entries", ())


def test_the_same_folder_gives_the_same_text(tmp_path: Path) -> None:
    for name in "cab":
        (tmp_path / name).write_text("")
    assert listing(context(tmp_path), ListDir()) == listing(context(tmp_path), ListDir())


def test_an_empty_folder(tmp_path: Path) -> None:
    assert listing(context(tmp_path), ListDir()).text == f"{tmp_path}: 0 entries"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"new\nline", r"new\nline"),
        (b"-rf", "./-rf"),
        (b"x" * 255, "x" * 255),
        (b"bad\xff\xfe", r"bad\xff\xfe"),
        ("日本 😀".encode(), "日本 😀"),
        ("👨‍👩‍👧".encode(), "👨‍👩‍👧"),
        (b"\x1b[31m", r"\x1b[31m"),
        ("a\u202etxt.exe".encode(), r"a\u202etxt.exe"),
        (b" ", " "),
    ],
)
def test_odd_names_stay_on_their_line(tmp_path: Path, name: bytes, shown: str) -> None:
    with open(os.fsencode(tmp_path) + b"/" + name, "w"):
        pass
    text = listing(context(tmp_path), ListDir()).text
    assert len(text.splitlines()) == 2
    assert text.splitlines()[1].startswith(f"{shown}  0 B  ")
    assert text.encode()


@pytest.mark.parametrize(
    ("count", "more"), [(SHOWN - 1, None), (SHOWN, None), (SHOWN + 1, 1), (100_000, 100_000 - SHOWN)]
)
def test_many_entries_are_counted_not_listed(count: int, more: int | None) -> None:
    with shelf() as folder:
        for number in range(count):
            os.close(os.open(folder / f"f{number:06d}", os.O_CREAT | os.O_WRONLY))
        result = listing(context(folder), ListDir())
    assert result.text.startswith(f"{folder}: {count} entries\nf000000  ")
    assert len(result.text.splitlines()) == 1 + min(count, SHOWN) + bool(more)
    assert (f"[{more} more not shown" in result.text) is bool(more)
    assert len(result.text) < 20_000


@pytest.mark.parametrize(
    ("name", "noted"),
    [
        ("$HOME", "$HOME"),
        ("${DIR}", "${DIR}"),
        ("out-$NAME.txt", "$NAME"),
        ("~", "~"),
        ("a$", None),
        ("$1", None),
        ("HOME", None),
    ],
)
def test_a_name_that_is_an_unexpanded_variable_is_pointed_out(tmp_path: Path, name: str, noted: str | None) -> None:
    (tmp_path / name).mkdir()
    text = listing(context(tmp_path), ListDir()).text
    assert (f'["{name}" holds a literal {noted}: that is the name itself.' in text) is (noted is not None)


def test_a_literal_variable_beyond_the_shown_entries_is_still_pointed_out(tmp_path: Path) -> None:
    for number in range(SHOWN + 10):
        (tmp_path / f"a{number:03d}").mkdir()
    (tmp_path / "z$HOME").write_text("")
    assert "holds a literal $HOME" in listing(context(tmp_path), ListDir()).text


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("f", "is no folder. Use read_file"),
        ("/dev/null", "is no folder"),
        ("shr", "There is no .*shr. Did you mean share in that folder"),
        ("gone/sub", "There is no"),
        ("f/sub", "no folder"),
        ("own", "out of reach"),
        ("to-own", "out of reach"),
        ("share/../own/sub", "out of reach"),
        ("~", "~ is not expanded"),
        ("loop", "circle|no folder|There is no"),
    ],
)
def test_what_is_refused(tmp_path: Path, path: str, words: str) -> None:
    (tmp_path / "f").write_text("")
    (tmp_path / "share").mkdir()
    (tmp_path / "own" / "sub").mkdir(parents=True)
    (tmp_path / "to-own").symlink_to("own")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(ToolError, match=words):
        listing(context(tmp_path, forbidden=(str(tmp_path / "own"),)), ListDir(path=path))


def test_a_link_to_a_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "x").write_text("")
    (tmp_path / "link").symlink_to("real")
    assert names(tmp_path, "link") == ["x"]


def test_a_time_that_no_calendar_has_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("")
    os.utime(tmp_path / "f", (0, 2**33))
    assert names(tmp_path)[0].startswith("f")
