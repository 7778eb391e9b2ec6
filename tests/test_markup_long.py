"""bot.markup: an answer of over three messages is its head, the whole as a file, and its tail; masks are spoilers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.redact import MASK
from bot.channel import File, Letter
from bot.envelope import decode, encode
from bot.markup import MOST, SECRET, captioned, letters, plain
from bot.projector import footed
from bot.split import LIMIT, units
from tests.fakes.channel import FakeChannel, wrong_with
from tests.fakes.clock import HandClock


def line(number: int) -> str:
    return f"{number:05d} lorem ipsum"  # 17 characters, 18 with its end


def text_of(lines: int) -> str:
    return "\n".join(map(line, range(lines)))


@pytest.mark.parametrize("make", [letters, plain])
@pytest.mark.parametrize(("lines", "file"), [(227, False), (3 * 227, False), (3 * 227 + 1, True), (200_000, True)])
def test_over_three_messages_the_whole_is_a_file(make: object, lines: int, file: bool) -> None:
    text = text_of(lines)  # 227 lines are 4,085 units
    parts = letters(text) if make is letters else plain(text)
    assert len(parts) <= MOST
    if not file:
        assert "\n".join(part.text for part in parts) == text
        assert not any(part.file for part in parts)
        return
    head, middle, tail = parts
    assert middle.file == File("answer.md", text)
    assert head.file is tail.file is None
    assert text.startswith(head.text) and text.endswith(tail.text)
    assert tail.text[:5].isdigit(), "the tail begins at a line"
    assert units(tail.text) > LIMIT // 2
    assert f"{len(text) - len(head.text) - len(tail.text):,}" in middle.text


def test_a_footer_finds_room_under_a_long_answers_tail() -> None:
    parts = letters("x" * 100_000)
    assert len(footed(parts, "3 files · 12 s")) == len(parts)


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        (f"the key is {MASK}.", [MASK]),
        (f"**{MASK}** and {MASK}", [MASK, MASK]),
        (f"`{MASK}`", []),  # code holds no other formatting
        (f"```\n{MASK}\n```\n{MASK}", [MASK]),
        ("[jarvis:other]", []),
    ],
)
def test_a_masked_secret_is_a_spoiler(text: str, covered: list[str]) -> None:
    assert SECRET == MASK
    (part,) = letters(text)
    found = [e for e in part.entities if e["type"] == "spoiler"]
    assert [part.text[int(str(e["offset"])) :][: int(str(e["length"]))] for e in found] == covered
    assert part.text.count(MASK) == text.count(MASK)


def test_a_long_caption_follows_in_full() -> None:
    note = "😀" * 700  # 1,400 units
    file = File("plot.png", path="/w/plot.png")
    assert captioned(file, "short", 1024) == [Letter("short", file=file)]
    assert captioned(file, "", 1024) == [Letter("", file=file)]
    bare, text = captioned(file, note, 1024)
    assert (bare, text) == (Letter("", file=file), Letter(note))


@pytest.mark.parametrize(("size", "letters_"), [(1023, 1), (1024, 1), (1025, 2)])
def test_a_caption_holds_1024_units(size: int, letters_: int) -> None:
    assert len(captioned(File("a"), "x" * size, 1024)) == letters_


def test_a_file_survives_the_outbox() -> None:
    place = FakeChannel(HandClock()).place("7")
    letter = Letter("under it", file=File("a b.txt", "text\n\u2028", "/p"), silent=True)
    assert decode(encode(place, letter)) == (place, letter)
    with pytest.raises(ValueError):
        decode('{"place": "t:1:2:", "text": "", "file": 3}')


PIECES = st.sampled_from(
    [
        *("**bold** ", "`code` ", "word " * 40, "\n\n", "\n- item", "\n1. one\n", MASK, "\n> q\n"),
        *("😀" * 90, "👨‍👩‍👧‍👦" * 30, "é́" * 50, "שלום "),
        "\n```py\nif a < b:\n    c = 1\n```\n",
        "\n| a | b |\n|---|---|\n| c | d |\n",
        "\n```\n" + "x = 1\n" * 300 + "```\n",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=60), st.integers(1, 12))
def test_long_mixtures_arrive_whole_and_are_never_refused(pieces: list[str], times: int) -> None:
    text = "".join(pieces) * times
    for make in (letters, plain):
        parts = make(text)
        assert not [wrong for part in parts if (wrong := wrong_with(part))]
        assert all(_apart(part) for part in parts)
        if files := [part.file for part in parts if part.file]:
            assert [file.text for file in files] == [text]
        else:
            assert sum(_solid(part.text) for part in plain(text)) == _solid(text)


def _solid(text: str) -> int:
    return sum(not char.isspace() for char in text)


def _apart(letter: Letter) -> bool:
    """No entity begins or ends inside a surrogate pair."""
    raw = letter.text.encode("utf-16-le")
    for entity in letter.entities:
        start, length = int(str(entity["offset"])), int(str(entity["length"]))
        try:
            raw[2 * start : 2 * (start + length)].decode("utf-16-le")
        except UnicodeDecodeError:
            return False
    return True
