"""Tool read_file: bounded lines of regular files, whatever the file is."""

from __future__ import annotations

import hashlib
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.errors import ToolError
from agent.steps import Change
from agent.tools import _files
from agent.tools._files import HASHED
from agent.tools.read_file import CHARACTERS, LINE, LINES, SEARCHED, ReadFile, read, tool
from tests.fakes.calls import context

BOUND = 3 * CHARACTERS  # of any answer


def get(folder: Path, path: str, start: int = 1, lines: int = LINES, **parts: Any) -> str:
    return read(context(folder, **parts), ReadFile(path=path, start=start, lines=lines)).text


async def test_lines_come_numbered_with_size_and_total(tmp_path: Path) -> None:
    data = b"one\n\tzwei \xc3\xa4\n\nfour"
    (tmp_path / "f").write_bytes(data)
    result = await tool.run(context(tmp_path), ReadFile(path="f"))
    path = tmp_path / "f"
    assert result.text == f"{path}: {len(data)} bytes, lines 1-4 of 4\n1\tone\n2\t\tzwei ä\n3\t\n4\tfour"
    assert result.details == "lines 1-4 of 4"
    digest = hashlib.sha256(data).hexdigest()
    assert result.files == (Change(str(path), digest, digest),)


@pytest.mark.parametrize(
    ("start", "lines", "span", "first", "more"),
    [
        (1, 1, "lines 1-1 of 1000", "1\tl1", "start=2"),
        (1, 5000, "lines 1-400 of 1000", "1\tl1", "start=401"),
        (600, 400, "lines 600-999 of 1000", "600\tl600", "start=1000"),
        (601, 400, "lines 601-1000 of 1000", "601\tl601", None),
        (1000, 10, "lines 1000-1000 of 1000", "1000\tl1000", None),
    ],
)
def test_ranges(tmp_path: Path, start: int, lines: int, span: str, first: str, more: str | None) -> None:
    (tmp_path / "f").write_text("".join(f"l{n}\n" for n in range(1, 1001)))
    text = get(tmp_path, "f", start, lines)
    assert span in text.splitlines()[0]
    assert text.splitlines()[1] == first
    assert (f"call again with {more}]" in text) if more else ("call again" not in text)


@pytest.mark.parametrize(
    ("data", "start", "has"),
    [(b"a\nb\n", 3, 2), (b"a\nb", 3, 2), (b"a\nb", 9, 2), (b"a\nb\n", 10**12, 2), (b"a", 2, 1)],
)
def test_a_line_past_the_end(tmp_path: Path, data: bytes, start: int, has: int) -> None:
    (tmp_path / "f").write_bytes(data)
    assert f"there is no line {start}: it has {has} lines" in get(tmp_path, "f", start)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty file"),
        (b"\x7fELF\0\1\2", "binary; it begins with 7f 45 4c 46 00 01 02"),
        (b"\xff\xfea\0b\0", "UTF-16 text"),
        (b"a\r\nb\r\n", "lines 1-2 of 2, CRLF line endings\n1\ta\n2\tb"),
        (b"caf\xe9\n", "1\tcaf\\xe9"),
        (b"\x1b[31mred\x1b[0m\rover\n", "1\t\\x1b[31mred\\x1b[0m\\rover"),
        ("a\u202eb\u2028c\n".encode(), "1\ta\\u202eb\\u2028c"),
        ("👨‍👩‍👧 日本\n".encode(), "1\t👨‍👩‍👧 日本"),
        (b"\n\n", "lines 1-2 of 2\n1\t\n2\t"),
    ],
)
def test_what_is_no_plain_text_is_shown_in_words_or_escapes(tmp_path: Path, data: bytes, words: str) -> None:
    (tmp_path / "f").write_bytes(data)
    assert words in get(tmp_path, "f")


@pytest.mark.parametrize(("length", "cut"), [(LINE - 1, False), (LINE, False), (LINE + 1, True), (600_000, True)])
@pytest.mark.parametrize("end", ["", "\nnext\n"])
def test_a_long_line_is_cut_with_its_length(tmp_path: Path, length: int, cut: bool, end: str) -> None:
    (tmp_path / "f").write_text("Y" * length + end)
    text = get(tmp_path, "f")
    assert (f"[... cut: this line has {length} bytes]" in text) is cut
    assert text.count("Y") == min(length, LINE)
    assert ("2\tnext" in text) is bool(end)


def test_a_long_line_is_not_cut_within_a_character(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a" + "日" * LINE)
    assert "\\x" not in get(tmp_path, "f")


def test_a_sparse_file_of_ten_gigabytes_is_described_at_once(tmp_path: Path) -> None:
    with (tmp_path / "f").open("wb") as file:
        file.truncate(10 * 2**30)
    result = read(context(tmp_path), ReadFile(path="f", start=5))
    assert "10737418240 bytes, binary" in result.text
    assert result.files == (Change(str(tmp_path / "f"), None, None),)


def test_one_line_of_fifty_megabytes_needs_little_memory(tmp_path: Path) -> None:
    with (tmp_path / "f").open("w") as file:
        for _ in range(50):
            file.write("y" * 1_000_000)
    tracemalloc.start()
    try:
        text = get(tmp_path, "f")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "this line has 50000000 bytes" in text
    assert len(text) < BOUND
    assert peak < 8 * 2**20


def test_a_line_deep_in_a_large_file_is_found_and_one_too_deep_is_not_looked_for(tmp_path: Path) -> None:
    with (tmp_path / "f").open("wb") as file:
        file.write(b"a\n" * (HASHED // 2 + 10))
        file.seek(SEARCHED + 2**20)
        file.write(b"\nend\n")
    far = HASHED // 2 + 10
    assert get(tmp_path, "f", far, 1).splitlines()[1] == f"{far}\ta"
    assert "more than 268.4 MB into it" in get(tmp_path, "f", far + 2)


def test_many_lines_are_bounded(tmp_path: Path) -> None:
    (tmp_path / "f").write_text(("x" * 1_500 + "\n") * 100_000)
    text = get(tmp_path, "f")
    assert "lines 1-11," not in text
    assert "call again with start=12]" in text
    assert len(text) < BOUND


def test_a_file_that_claims_to_be_empty_is_read_all_the_same(tmp_path: Path) -> None:
    assert "processor" in get(tmp_path, "/proc/cpuinfo", 1, 3) or "1\t" in get(tmp_path, "/proc/cpuinfo", 1, 3)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (".", "is a folder. Use list_dir"),
        ("fifo", "is a named pipe"),
        ("to-fifo", "is a named pipe"),
        ("/dev/zero", "is a character device"),
        ("nothere", "There is no .*nothere. Look with list_dir"),
        ("reedme.md", "Did you mean readme.md"),
        ("$HOME/readme.md", "no such file or folder"),
        ("$readme", r"\$readme is taken literally"),
        ("loop", "circle|no such|no folder|There is no|symbolic link"),
        ("own/state.db", "out of reach"),
        ("to-own", "out of reach"),
        ("hop/state.db", "out of reach"),
        ("/proc/self/environ", "out of reach"),
        ("/proc/thread-self/environ", "out of reach"),
        ("/proc/PARENT/environ", "out of reach"),
        ("/proc/OURS/task/OURS/environ", "out of reach"),
        ("/proc/OURS/maps", "out of reach"),
        ("/proc/kcore", "out of reach|There is no"),
        ("/dev/fd/0", "device|pipe|There is no|out of reach|folder"),
    ],
)
def test_what_is_refused(tmp_path: Path, path: str, words: str) -> None:
    path = path.replace("PARENT", str(os.getppid())).replace("OURS", str(os.getpid()))
    (tmp_path / "readme.md").write_text("x")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "state.db").write_text("ours")
    (tmp_path / "to-own").symlink_to("own/state.db")
    (tmp_path / "hop").symlink_to(tmp_path / "own")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "to-fifo").symlink_to("fifo")
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(ToolError, match=words):
        get(tmp_path, path, forbidden=(str(tmp_path / "own"),))


@pytest.mark.parametrize("other", ["link", "fifo"])
def test_a_file_swapped_between_the_look_and_the_opening_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    (tmp_path / "f").write_text("harmless")
    (tmp_path / "secret").write_text("SECRET")
    (tmp_path / "link").symlink_to("secret")
    os.mkfifo(tmp_path / "fifo")
    look = _files.look

    def swapping(at: int, name: str, path: str) -> os.stat_result | None:
        found = look(at, name, path)
        (tmp_path / other).rename(tmp_path / "f")
        return found

    monkeypatch.setattr(_files, "look", swapping)
    with pytest.raises(ToolError, match=r"symbolic link|named pipe"):
        get(tmp_path, "f")


def test_a_link_is_followed_and_the_real_path_told(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x\n")
    (tmp_path / "link").symlink_to("f")
    assert get(tmp_path, "link").startswith(f"{tmp_path / 'f'}: 2 bytes")


@settings(max_examples=300, deadline=None)
@given(data=st.binary(max_size=300), start=st.integers(1, 8), lines=st.integers(1, 8))
def test_any_bytes_give_the_right_lines(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, start: int, lines: int
) -> None:
    data = data.replace(b"\0", b"\n")
    folder = tmp_path_factory.getbasetemp()
    (folder / "any").write_bytes(data)
    text = get(folder, "any", start, lines)
    real = data.removesuffix(b"\n").split(b"\n") if data else []
    shown = [line for line in text.split("\n")[1:] if not line.startswith("[more")]
    assert [line.split("\t")[0] for line in shown] == [str(n + 1) for n in range(len(real))][start - 1 :][:lines]
    assert ("call again" in text) is (len(shown) > 0 and start - 1 + len(shown) < len(real))
