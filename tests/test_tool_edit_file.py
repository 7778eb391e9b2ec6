"""Tool edit_file: one exact, unique piece, and nothing else of the file."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agent.errors import ToolError
from agent.ports import Result
from agent.steps import Change
from agent.tools import _files
from agent.tools import edit_file as module
from agent.tools.edit_file import LARGEST, EditFile, edit, tool
from tests.fakes.calls import context, shelf


def change(folder: Path, old: str, new: str, every: bool = False, path: str = "f", **parts: object) -> Result:
    return edit(context(folder, **parts), EditFile(path=path, old=old, new=new, all=every))


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def test_the_piece_is_replaced_and_told(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"one\ntwo\nthree\n")
    result = await tool.run(context(tmp_path), EditFile(path="f", old="two\n", new="2\nzwei\ndeux\n"))
    after = b"one\n2\nzwei\ndeux\nthree\n"
    assert (tmp_path / "f").read_bytes() == after
    assert result.text == f"Edited {tmp_path / 'f'}: line 2, +3 -1 lines, now {len(after)} bytes."
    assert result.details == "+3 -1"
    assert result.files == (Change(str(tmp_path / "f"), sha(b"one\ntwo\nthree\n"), sha(after)),)


@pytest.mark.parametrize(
    ("old", "new", "details"),
    [("a\nb\nc", "a\nB\nc", "+1 -1"), ("b\n", "", "+0 -1"), ("b", "b\nx", "+1 -0"), ("a\nb", "x", "+1 -2")],
)
def test_only_lines_that_differ_are_counted(tmp_path: Path, old: str, new: str, details: str) -> None:
    (tmp_path / "f").write_text("a\nb\nc\n")
    assert change(tmp_path, old, new).details == details


@pytest.mark.parametrize(
    ("data", "old", "new", "after"),
    [
        (b"a\r\nb\r\nc", "a\nb", "x\ny", b"x\r\ny\r\nc"),
        (b"a\r\nb\r\n", "b", "b\nc", b"a\r\nb\r\nc\r\n"),
        (b"a\r\nb\r\n", "a\r\nb", "x\ny", b"x\ny\r\n"),
        (b"a\nb\nc", "b\nc", "x\ny", b"a\nx\ny"),
        (b"a\r\nb\nc", "b\nc", "x\ny", b"a\r\nx\ny"),
        (b"caf\xe9 one\n", "one", "zwei ä", b"caf\xe9 zwei \xc3\xa4\n"),
        (b"\0\1x\2", "x", "y", b"\0\1y\2"),
    ],
)
def test_line_ends_and_bytes_that_are_no_text_stay(
    tmp_path: Path, data: bytes, old: str, new: str, after: bytes
) -> None:
    (tmp_path / "f").write_bytes(data)
    change(tmp_path, old, new)
    assert (tmp_path / "f").read_bytes() == after


def test_mode_stays(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a")
    (tmp_path / "f").chmod(0o751)
    change(tmp_path, "a", "b")
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o751


@pytest.mark.parametrize(
    ("data", "old", "words"),
    [
        ("two\nx\ntwo\n", "two", "more than once.*: lines 1, 3;"),
        ("aaa", "aa", "more than once.*: lines 1, 1;"),
        ("x\n" * 12, "x", "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more;"),
        ("one\n", "", "old is empty"),
        ("def f(x):\n    return x\n", "def f(y):\n", "not found.*The nearest lines are:\n1\tdef f\\(x\\):"),
        ("if a:\n\tgo()\n", "    go()", "This line is there, but the white space .* differ:\n2\t\tgo\\(\\)"),
        ("one\ntwo\n", "1\tone", "begins with line numbers"),
        ("one\n", "\t\t", "only white space"),
        ("one\n", "completely different", "No line looks like it"),
        ("", "x", "No line looks like it"),
    ],
)
def test_what_is_not_there_exactly_once_is_refused(tmp_path: Path, data: str, old: str, words: str) -> None:
    (tmp_path / "f").write_text(data)
    with pytest.raises(ToolError, match=f"(?s){words}"):
        change(tmp_path, old, "new")
    assert (tmp_path / "f").read_text() == data


def test_all_replaces_every_one(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a b\na\na\n")
    result = change(tmp_path, "a", "x", every=True)
    assert (tmp_path / "f").read_text() == "x b\nx\nx\n"
    assert "3 places from line 1, +3 -3 lines" in result.text


def test_nothing_to_do_is_said(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a")
    with pytest.raises(ToolError, match="the same"):
        change(tmp_path, "a", "a")


def test_a_file_changed_since_it_was_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("a by another")
    with pytest.raises(ToolError, match="changed by something else since it was read"):
        change(tmp_path, "a", "b", read_hashes={str(path): sha(b"a")})
    assert path.read_text() == "a by another"
    change(tmp_path, "another", "us", read_hashes={str(path): sha(b"a by another"), str(tmp_path / "g"): sha(b"")})
    assert path.read_text() == "a by us"


@pytest.mark.parametrize("how", ["content", "link", "gone"])
def test_a_file_replaced_while_it_is_edited_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    path = tmp_path / "f"
    path.write_text("one\n")
    (tmp_path / "other").write_text("one\n")
    real = _files.replace

    def meanwhile(*args: object) -> None:
        path.unlink()
        if how == "content":
            path.write_text("ONE by another\n")
        elif how == "link":
            path.symlink_to("other")
        real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "replace", meanwhile)
    with pytest.raises(ToolError, match=r"changed by something else|symbolic link|There is no"):
        change(tmp_path, "one", "1")
    assert (tmp_path / "other").read_text() == "one\n"
    assert not list(tmp_path.glob(".jarvis-*"))
    assert not path.exists() if how == "gone" else path.read_text() == {"content": "ONE by another\n"}.get(how, "one\n")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (".", "is a folder"),
        ("link", "is a symbolic link to f"),
        ("fifo", "is a named pipe"),
        ("/dev/null", "is a character device"),
        ("g", "There is no .*g"),
        ("sub/f", "no such file or folder"),
        ("large", "over 16.8 MB: too large"),
        ("own/state", "out of reach"),
    ],
)
def test_what_is_refused(tmp_path: Path, path: str, words: str) -> None:
    (tmp_path / "f").write_text("one\n")
    (tmp_path / "link").symlink_to("f")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "state").write_text("one\n")
    os.mkfifo(tmp_path / "fifo")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(ToolError, match=words):
        change(tmp_path, "one", "1", path=path, forbidden=(str(tmp_path / "own"),))
    assert (tmp_path / "own" / "state").read_text() == "one\n"


def test_a_large_file_without_the_piece_is_answered_in_time(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("".join(f"line {n} of a long file with words\n" for n in range(100_000)))
    with pytest.raises(ToolError, match="The nearest lines are"):
        change(tmp_path, "line x of a long file without words\n", "new")


@pytest.fixture(scope="module")
def memory() -> Iterator[Path]:
    with shelf() as path:
        yield path


@settings(max_examples=500, deadline=None)
@given(
    before=st.binary(max_size=40),
    after=st.binary(max_size=40),
    old=st.text(min_size=1, max_size=8),
    new=st.text(max_size=8),
)
def test_any_bytes_around_a_unique_piece_stay(memory: Path, before: bytes, after: bytes, old: str, new: str) -> None:
    data = before + old.encode() + after
    assume(old != new and "\r" not in old + new and b"\r" not in data)
    assume(data.find(old.encode()) == len(before) and data.find(old.encode(), len(before) + 1) < 0)
    (memory / "f").write_bytes(data)
    change(memory, old, new)
    assert (memory / "f").read_bytes() == before + new.encode() + after


@pytest.mark.parametrize(("count", "new", "refused"), [(16, 2**20, False), (16, 2**20 + 1, True), (2**20, 2**20, True)])
def test_an_edit_that_would_make_a_giant_of_the_file_is_refused(
    tmp_path: Path, count: int, new: int, refused: bool
) -> None:
    """Replacing every `a` of a megabyte by a megabyte would take a terabyte of memory."""
    (tmp_path / "f").write_bytes(b"a" * count)
    if not refused:
        change(tmp_path, "a", "b" * new, every=True)
        assert (tmp_path / "f").stat().st_size == count * new == LARGEST
        return
    with pytest.raises(ToolError, match="nothing was edited"):
        change(tmp_path, "a", "b" * new, every=True)
    assert (tmp_path / "f").read_bytes() == b"a" * count
