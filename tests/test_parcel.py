"""A file on its way out: its name, its bytes at the last moment, and whether it is shown as a photo."""

from __future__ import annotations

import hashlib
import io
import os
import struct
from pathlib import Path

import pytest

from agent.steps import Asked, Finished, Outcome, Parcel
from bot.answers import Answers
from bot.channel import File, Letter, Lost, Place, Refused
from bot.channels._bytes import bytes_of
from bot.channels._telegram_photo import LARGEST, LONGEST_SIDE, NARROWEST, SHORTEST_SIDE, is_photo
from bot.channels.console import channel
from bot.envelope import decode, encode
from bot.parcel import LONGEST, file_of, named
from bot.projector import outgoing, spoken_by
from tests.fakes.clock import HandClock

PLACE = Place("t", "1", "-5", "55")


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height) + b"\x08\x02\0\0\0"


def jpeg(width: int, height: int, before: bytes = b"") -> bytes:
    return b"\xff\xd8\xff\xe0\0\x04ab" + before + b"\xff\xc0\0\x11\x08" + struct.pack(">HH", height, width) + b"\x03"


@pytest.mark.parametrize(
    ("data", "photo"),
    [
        (png(640, 480), True),
        (png(LONGEST_SIDE, LONGEST_SIDE), True),
        (png(LONGEST_SIDE + 1, 480), False),
        (png(480, LONGEST_SIDE + 1), False),
        (png(SHORTEST_SIDE, SHORTEST_SIDE), True),
        (png(SHORTEST_SIDE - 1, SHORTEST_SIDE), False),
        (png(50 * NARROWEST, 50), True),
        (png(50 * NARROWEST + 1, 50), False),
        (png(0, 0), False),
        (png(640, 480)[:20], False),
        (jpeg(640, 480), True),
        (jpeg(640, 480, b"\xff\xc4\0\x06\x11\x11\x11\x11\xff\xff\xff\x01"), True),  # a table, fill bytes, a bare marker
        (jpeg(9000, 480), False),
        (jpeg(640, 480)[:15], False),
        (jpeg(640, 480, b"\xff\xe1\0\0"), True),  # a length that can't be: Telegram has the last word
        (jpeg(640, 480, b"\xff" * 5_000_000), False),
        (b"GIF89a" + bytes(100), False),
        (b"%PDF-1.7", False),
        (b"", False),
        (png(640, 480).ljust(LARGEST, b"\0"), True),
        (png(640, 480).ljust(LARGEST + 1, b"\0"), False),
    ],
    ids=range(21),
)
def test_what_is_shown_as_a_photo(data: bytes, photo: bool) -> None:
    assert is_photo(data) is photo


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/w/report.pdf", "report.pdf"),
        ("/w/two  words\nand a line.txt", "two words and a line.txt"),
        ("/w/photo\u202egpj.exe", "photogpj.exe"),
        ("/w/a\x1b[31mb.txt", "a␛[31mb.txt"),
        ('/w/a"b\\c.txt', "a_b_c.txt"),
        ("/w/ \u200b ", "file"),
        ("/w/Übersicht 😀.txt", "Übersicht 😀.txt"),
        ("/w/.env", ".env"),
        (f"/w/{'x' * 250}.tar.gz", f"{'x' * (LONGEST - 4)}….gz"),
        (f"/w/{'x' * 120}", f"{'x' * (LONGEST - 1)}…"),
    ],
)
def test_a_name_is_one_line_that_poses_as_nothing_else(path: str, name: str) -> None:
    assert named(path) == name
    assert len(named(path)) <= LONGEST


def test_bytes_go_only_if_they_are_those_that_were_meant(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"abc")
    digest = hashlib.sha256(b"abc").hexdigest()
    path = str(tmp_path / "f")
    assert bytes_of(File("f", path=path, sha256=digest), 3) == bytes_of(File("f", path=path), 3) == b"abc"
    assert bytes_of(File("f", "ab\ud800c"), 9) == "ab\ufffdc".encode()
    with pytest.raises(Lost, match="has changed"):
        bytes_of(File("f", path=path, sha256="0" * 64), 3)
    with pytest.raises(Refused, match="has 3 bytes") as refused:
        bytes_of(File("f", path=path), 2)
    assert not isinstance(refused.value, Lost)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("f")
    for odd in ("pipe", "link", "none", "", "f/f", "x" * 300, "a\0b"):
        with pytest.raises(Lost):
            bytes_of(File("f", path=f"{tmp_path}/{odd}", sha256=digest), 3)


@pytest.mark.parametrize(
    ("caption", "texts"), [("", [""]), ("short", ["short"]), ("x" * 1024, ["x" * 1024]), ("x" * 1025, ["", "x" * 1025])]
)
def test_one_call_is_one_letter_with_the_file_whatever_its_caption(caption: str, texts: list[str]) -> None:
    fold = Answers()
    fold.fold(1, Asked(at=1, text="send it", author="t:7", ref="t:1:-5:31"))
    step = Finished(
        at=2, call_id="c", tool="send_file", outcome=Outcome.OK, text="", parcel=Parcel("/w/a.txt", 3, "ab", caption)
    )
    drafts = fold.fold(4, step)
    assert spoken_by("s/c1", drafts) == spoken_by("s", drafts) == drafts
    rows = [row for draft in drafts for row in outgoing("s", PLACE, draft)]
    letters = [decode(row.body)[1] for row in rows]
    assert [letter.text for letter in letters] == texts
    assert [letter.file for letter in letters] == [file_of(Parcel("/w/a.txt", 3, "ab")), *[None] * (len(texts) - 1)]
    assert {(row.role, row.chat) for row in rows} == {("file", "-5")} and letters[0].reply_to == 31
    assert [row.key for row in rows] == [f"s:4:file:{n}" for n in range(len(texts))]


def test_a_letter_of_an_earlier_release_is_read() -> None:
    before = '{"place":"t:1:7:","text":"","file":["answer.md","all of it",""]}'
    assert decode(before)[1] == Letter("", file=File("answer.md", "all of it"))
    new = Letter("c", file=File("a", path="/w/a", sha256="ab"))
    assert decode(encode(PLACE, new)) == (PLACE, new)


async def test_on_the_console_the_path_is_printed_though_it_is_silent() -> None:
    out = io.StringIO()
    await channel(HandClock(), stdout=out).send(PLACE, Letter("the report", silent=True, file=File("a", path="/w/a")))
    assert out.getvalue() == "jarvis> the report\n[/w/a]\n"
