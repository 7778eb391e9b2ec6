"""bot.split: cuts fall where a reader doesn't mind, and never where the service would refuse."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.marks import Mark, entities
from bot.split import split, units, visible

FAMILY = "👨‍👩‍👧‍👦"
FLAG = "🇩🇪"


@pytest.mark.parametrize(("size", "parts"), [(4095, 1), (4096, 1), (4097, 2), (8192, 2), (8193, 3)])
def test_a_part_holds_4096_units(size: int, parts: int) -> None:
    assert len(split("a" * size)) == parts


@pytest.mark.parametrize(("size", "parts"), [(2048, 1), (2049, 2)])
def test_characters_beyond_the_first_plane_count_twice(size: int, parts: int) -> None:
    assert len(split("😀" * size)) == parts


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("aaaa aaaa\n\nbbb b\nbbb", "aaaa aaaa"),  # a paragraph before a later line or word
        ("aaaa aaaa bb\nbbb bbb", "aaaa aaaa bb"),  # a line before a later word
        ("aaaa aaaa bbb bbb", "aaaa aaaa bbb"),
        ("aa\n" + "b" * 30, "aa\n" + "b" * 13),  # a border in the first half would make a stump
        ("a" * 14 + FAMILY + "b", "a" * 14),
        ("a" * 15 + "e\u0301\u0301", "a" * 15),
        ("a" * 14 + FLAG + "b", "a" * 14),
        ("a" * 15 + "👍🏽", "a" * 15),
        ("e" + "\u0301" * 90, "e" + "\u0301" * 15),  # no good place at all
    ],
)
def test_the_cut_falls_on_the_best_border(text: str, first: str) -> None:
    assert split(text, limit=16)[0].text == first


def test_a_short_formatted_stretch_is_moved_to_the_next_part_whole() -> None:
    parts = split("a" * 12 + "b c d" + "e" * 5, [Mark("bold", 12, 17)], limit=16)
    assert [part.text for part in parts] == ["a" * 12, "b c d" + "e" * 5]
    assert parts[1].marks == (Mark("bold", 0, 5),)


def test_a_long_stretch_goes_on_in_the_next_part() -> None:
    parts = split("x\n" * 20, [Mark("pre", 0, 39, language="py")], limit=16)
    assert len(parts) == 3
    assert all(part.marks == (Mark("pre", 0, len(part.text), language="py"),) for part in parts)


def test_indentation_after_a_cut_is_kept() -> None:
    assert split("a" * 15 + "\n  b", limit=16)[1].text == "  b"


@pytest.mark.parametrize("text", ["", " ", "\n", "\u200b", "\u2800", "\u3164", "\u200d\ufe0f"])
def test_parts_that_show_nothing_are_dropped(text: str) -> None:
    assert not visible(text)
    assert split(text) == []
    assert visible(text + "x")


TEXTS = st.lists(
    st.sampled_from(["a", " ", "\n", "\n\n", "word ", "é", "e\u0301", "😀", FAMILY, FLAG, "שלום", "👍🏽"]), max_size=120
).map("".join)


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.data())
def test_nothing_is_lost_and_marks_stay_in_bounds(text: str, data: st.DataObject) -> None:
    ends = st.integers(0, len(text))
    marks = [Mark("bold", *sorted(pair)) for pair in data.draw(st.lists(st.tuples(ends, ends), max_size=6))]
    parts = split(text, [m for m in marks if m.start < m.end], limit=32)
    assert "".join("".join(part.text.split()) for part in parts) == "".join(text.split())
    for part in parts:
        assert 0 < units(part.text) <= 32
        assert not part.text.startswith(("\u200d", "\u0301", "🏽")) and not part.text.endswith("\u200d")
        raw = part.text.encode("utf-16-le")
        for entity in entities(part.text, part.marks):
            offset, length = entity["offset"], entity["length"]
            assert isinstance(offset, int) and isinstance(length, int)
            raw[2 * offset :][: 2 * length].decode("utf-16-le")  # raises inside a pair
            assert 0 <= offset < offset + length <= units(part.text)
