"""Output made harmless, kept at both ends, spilled into files that nothing can lead astray (FAULTS H04, H05)."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.host import spill
from agent.host.capture import KEPT, WINDOW, Capture, ends
from agent.host.plain import Plain, is_binary, plain
from agent.host.spill import Spill
from agent.redact import MASK, Redactor

SECRET = "known-secret-of-the-test"
REDACTOR = Redactor([SECRET])


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        (b"", ""),
        (b"plain\ttext\n", "plain\ttext\n"),
        ("žluťoučký 🦊\n".encode(), "žluťoučký 🦊\n"),
        (b"\xff\xfe bad\n", "\ufffd\ufffd bad\n"),
        (b"a\0b\x07\x7f\n", "a\\x00b\\x07\\x7f\n"),
        (b"\x1b[1;31mred\x1b[0m \x1b[38;5;12mblue\x1b[K\n", "red blue\n"),
        (b"\x1b]0;title\x07text \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n", "text link\n"),
        (b"\x1b]never ends\nnext\n", "never ends\nnext\n"),
        (b"\x1b(B\x1b=\x1b7x\x1b8\n", "x\n"),
        (b"\x1bP1;2|data\x1b\\x\n", "x\n"),
        (b"\x1b\n", "\n"),
        (b"dos\r\nlines\r\n", "dos\nlines\n"),
        (b"1%\r50%\r100%\n", "100%\n"),
        (b"1%\r50%\r100%\r\n", "100%\n"),
        (b"1%\r50%\r", "50%"),
        (b"\r\r\n", "\n"),
        (b"N\bNA\bAM\bME\bE\n", "NAME\n"),
        (b"|\b/\b-\b\n", "\n"),
        ("\u009b31mC1\u0085\n".encode(), "C1\\x85\n"),
    ],
)
def test_what_a_program_printed_becomes_harmless(printed: bytes, shown: str) -> None:
    assert plain(printed) == shown


printed = st.lists(
    st.one_of(
        st.sampled_from([b"\x1b[31m", b"\x1b]0;t\x07", b"\r", b"\n", b"\r\n", b"\0", b"\xc3", "ž🦊".encode(), b"\b"]),
        st.binary(max_size=4),
        st.text(max_size=8).map(lambda text: text.encode()),
    ),
    max_size=30,
).map(b"".join)


@settings(max_examples=200, deadline=None)
@given(data=printed, cuts=st.lists(st.integers(1, 20), max_size=20))
def test_text_is_the_same_however_it_is_cut_and_always_encodes(data: bytes, cuts: list[int]) -> None:
    chunks, place, out = Plain(), 0, ""
    for size in cuts:
        out += chunks.feed(data[place : place + size])
        place += size
    out += chunks.feed(data[place:]) + chunks.close()
    assert out == plain(data)
    out.encode()
    assert not any(char < " " and char not in "\t\n" for char in out)


def test_a_line_without_an_end_is_not_hoarded() -> None:
    chunks = Plain()
    out = sum(len(chunks.feed(b"x" * 10_000)) for _ in range(100))
    assert out > 900_000
    progress = Plain()
    for step in range(20_000):
        assert progress.feed(b"\rstep %d" % step) == ""
    assert len(progress._pending) < 200_000
    assert progress.close().endswith("step 19999")


@pytest.mark.parametrize(
    ("data", "binary"),
    [
        (b"", False),
        (b"text\n" * 100, False),
        ("кириллица".encode() * 50, False),
        (b"a/b/c.py\0d/e/f.py\0", False),
        (b"\x1b[31mred\x1b[0m", False),
        ("naïve café".encode("latin-1"), False),
        (b"\x7fELF\x02\x01\x01" + b"\0" * 50, True),
        (bytes(range(256)) * 8, True),
        (b"abcdefg" + b"\0\0\0", False),
        (b"abcdef" + b"\0\0\0\0", True),
    ],
)
def test_binary_is_told_from_text(data: bytes, binary: bool) -> None:
    assert is_binary(data) is binary


def captured(workspace: Path, *chunks: bytes) -> tuple[Capture, tuple[object, ...]]:
    capture = Capture(REDACTOR, lambda: Spill(str(workspace), "call.stdout", REDACTOR))
    for chunk in chunks:
        capture.feed(chunk)
    return capture, capture.finish()


@pytest.mark.parametrize(
    ("size", "head", "tail", "spilled"),
    [
        (0, 0, 0, False),
        (KEPT, KEPT, 0, False),
        (KEPT + 1, KEPT, 1, False),
        (2 * KEPT, KEPT, KEPT, False),
        (2 * KEPT + 1, KEPT, KEPT, True),
        (WINDOW, KEPT, KEPT, True),
        (WINDOW + 1, KEPT, KEPT, True),
        (5 * WINDOW, KEPT, KEPT, True),
    ],
)
def test_both_ends_are_kept_and_the_rest_spilled(
    tmp_path: Path, size: int, head: int, tail: int, spilled: bool
) -> None:
    data = b"".join(b"%07d\n" % number for number in range(size // 8 + 1))[:size]
    capture = Capture(REDACTOR, lambda: Spill(str(tmp_path), "call.stdout", REDACTOR))
    for place in range(0, size, 10_000):
        capture.feed(data[place : place + 10_000])
    stream, path, problem = capture.finish()
    assert (len(stream.head), len(stream.tail), bool(path), problem) == (head, tail, spilled, "")
    assert data.decode().startswith(stream.head)
    assert data.decode().endswith(stream.tail)
    assert (stream.size, stream.sha256) == (size, hashlib.sha256(data).hexdigest())
    if spilled:
        assert Path(path).read_bytes() == data
        assert path == str(tmp_path / ".jarvis/out/call.stdout")


def test_no_character_is_lost_where_head_and_tail_meet() -> None:
    text = "x" + "🦊" * 3000
    head, tail = ends(text)
    assert head + tail == text


@pytest.mark.parametrize("at", [KEPT - 10, 2 * KEPT, WINDOW - 10, 2 * WINDOW - 10, 3 * WINDOW + 5])
def test_a_secret_is_masked_wherever_it_stands(tmp_path: Path, at: int) -> None:
    data = b"x\n" * (at // 2) + SECRET.encode() + b"\n" + b"y\n" * WINDOW
    for cut in (len(data), 4096, 7):
        capture = Capture(REDACTOR, lambda cut=cut: Spill(str(tmp_path), f"call{cut}.stdout", REDACTOR))  # type: ignore[misc]
        for place in range(0, len(data), cut):
            capture.feed(data[place : place + cut])
        stream, path, _ = capture.finish()
        whole = Path(path).read_text()
        assert whole == data.decode().replace(SECRET, MASK)
        for kept in (stream.head, stream.tail):
            assert SECRET[:8] not in kept
            assert SECRET[-8:] not in kept


def test_binary_output_is_described_and_not_spilled(tmp_path: Path) -> None:
    _, (stream, path, problem) = captured(tmp_path, os.urandom(300_000))
    assert getattr(stream, "head", "") == "[binary output, 300,000 bytes, not shown]"
    assert (path, problem) == ("", "")
    assert not (tmp_path / ".jarvis").exists()


def test_a_file_stops_at_its_cap_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "FILE_CAP", 200_000)
    capture, (stream, path, _) = captured(tmp_path, *[b"line\n" * 2000] * 100)
    assert capture.flooding
    assert getattr(stream, "size", 0) == 1_000_000
    text = Path(str(path)).read_text()
    assert len(text) == 200_000 + len(spill.CUT)
    assert text.endswith("only the first 16 MB of an output are kept]\n")


def test_the_oldest_files_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "TOTAL_CAP", 250_000)
    paths = []
    for number in range(4):
        capture = Capture(REDACTOR, lambda number=number: Spill(str(tmp_path), f"c{number}.stdout", REDACTOR))  # type: ignore[misc]
        capture.feed(b"line\n" * 20_000)
        paths.append(Path(capture.finish()[1]))
        os.utime(paths[-1], (number, number))
    assert [path.exists() for path in paths] == [False, False, True, True]


def test_names_stay_inside_and_never_meet(tmp_path: Path) -> None:
    paths = []
    for _ in range(3):
        made = Spill(str(tmp_path), "../../etc/call 1.stdout", REDACTOR)
        made.close()
        paths.append(Path(made.path))
    out = tmp_path / ".jarvis/out"
    assert [path.parent for path in paths] == [out] * 3
    assert [path.name for path in paths] == [f".._.._etc_call_1{ending}.stdout" for ending in ("", "-2", "-3")]
    assert (tmp_path / ".jarvis/.gitignore").read_text() == "*\n"
    assert paths[0].stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("planted", [".jarvis", ".jarvis/out"])
@pytest.mark.parametrize("kind", ["symlink", "file"])
def test_nothing_planted_leads_the_output_elsewhere(tmp_path: Path, planted: str, kind: str) -> None:
    elsewhere, workspace = tmp_path / "elsewhere", tmp_path / "workspace"
    elsewhere.mkdir()
    (workspace / planted).parent.mkdir(parents=True)
    if kind == "symlink":
        (workspace / planted).symlink_to(elsewhere)
    else:
        (workspace / planted).write_text("mine")
    _, (stream, path, problem) = captured(workspace, b"line\n" * 50_000)
    assert path == ""
    assert "could not be kept" in str(problem)
    assert getattr(stream, "size", 0) == 250_000
    assert list(elsewhere.iterdir()) == []


def test_a_planted_link_at_the_files_name_is_left_alone(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / ".jarvis/out").mkdir(parents=True)
    (tmp_path / ".jarvis/out/call.stdout").symlink_to(victim)
    _, (_, path, _) = captured(tmp_path, b"line\n" * 50_000)
    assert str(path).endswith("call-2.stdout")
    assert victim.read_text() == "mine"


def test_a_full_disk_costs_the_file_only() -> None:
    class Full:
        path = "/somewhere"
        full = False

        def feed(self, data: bytes) -> None:
            raise OSError(28, "No space left on device")

        def close(self) -> None:
            raise OSError(28, "No space left on device")

    capture = Capture(REDACTOR, Full)  # type: ignore[arg-type]
    for _ in range(100):
        capture.feed(b"line\n" * 1000)
    stream, path, problem = capture.finish()
    assert (stream.size, path) == (500_000, "/somewhere")
    assert problem == "The full output is cut in its file (No space left on device)."
