"""bot.inbox: whatever a file is called, it lands in the inbox and replaces nothing."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.inbox import BYTES, numbered, safe_name, save

NAMES = {
    "../../.ssh/authorized_keys": "authorized_keys",
    "C:\\Users\\me\\plan.txt": "plan.txt",
    ".bashrc": "bashrc",
    "-rf": "rf",
    "~root": "root",
    "a\u202egpj.exe": "agpj.exe",
    "a\nb\x00c\x1b.txt": "a bc.txt",
    " a \u00a0 b .txt": "a b.txt",
    "e\u0301.txt": "é.txt",
    "報告.pdf": "報告.pdf",
    "trailing. ": "trailing",
    **dict.fromkeys(["", ".", "..", "/", "\x00", "\u202e", "\ufffd", "..."], "file"),
}


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name))
def test_names(name: str) -> None:
    assert safe_name(name) == NAMES[name]


@pytest.mark.parametrize("name", ["x" * 400 + ".txt", "名" * 200 + ".pdf", "x" * 238 + ".txt", "a." + "b" * 400])
def test_long_names_keep_their_suffix_and_fit(name: str) -> None:
    safe = safe_name(name)
    assert len(numbered(safe, 9999).encode()) <= BYTES
    assert name.endswith("b") or safe.endswith(name[-4:])


@settings(max_examples=300)
@given(st.text(st.characters(codec=None), max_size=300))
def test_any_name_is_safe(name: str) -> None:
    safe = safe_name(name)
    assert safe and safe == os.path.basename(safe) and safe[0] not in ".-~"
    assert not [char for char in safe if unicodedata.category(char)[0] == "C"]
    assert len(safe.encode()) <= BYTES
    assert safe_name(safe) == safe


def test_another_file_of_the_same_name_is_numbered(tmp_path: Path) -> None:
    workspace = str(tmp_path / "new" / "ws")
    saved = [save(workspace, "a.txt", data) for data in (b"one", b"two", b"one", b"two", b"three")]
    assert [Path(path).name for path in saved] == ["a.txt", "a (2).txt", "a.txt", "a (2).txt", "a (3).txt"]
    assert [Path(path).read_bytes() for path in dict.fromkeys(saved)] == [b"one", b"two", b"three"]
    assert sorted(os.listdir(Path(workspace) / "inbox")) == ["a (2).txt", "a (3).txt", "a.txt"]
    assert Path(saved[0]).stat().st_mode & 0o777 == 0o600


def test_an_empty_file_is_a_file(tmp_path: Path) -> None:
    assert Path(save(str(tmp_path), "", b"")).name == "file"


@pytest.mark.parametrize("what", ["link", "file"])
def test_an_inbox_that_is_no_folder_is_refused(tmp_path: Path, what: str) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "away").mkdir()
    inbox = tmp_path / "ws" / "inbox"
    inbox.symlink_to(tmp_path / "away") if what == "link" else inbox.write_text("x")
    with pytest.raises(OSError):
        save(str(tmp_path / "ws"), "a.txt", b"one")
    assert not list((tmp_path / "away").iterdir())


def test_a_link_of_that_name_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "inbox").mkdir()
    victim = tmp_path / "victim"
    victim.write_bytes(b"safe")
    (tmp_path / "inbox" / "a.txt").symlink_to(victim)
    (tmp_path / "inbox" / "b.txt").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "inbox" / "c.txt")
    for name in ("a.txt", "b.txt", "c.txt"):
        assert save(str(tmp_path), name, b"safe").endswith(f"{name[0]} (2).txt")
    assert victim.read_bytes() == b"safe" and not (tmp_path / "nowhere").exists()
