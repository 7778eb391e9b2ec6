"""bot.turns: what a client sent at once is one turn, and nothing else is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent import Inbound
from bot.channel import Arrival, Attached, Place, Quote
from bot.split import LIMIT
from bot.turns import ALBUM_S, HALF, MOST, NEAR, PASTE_S, REMEMBERED, Entry, Turns, joined, turn_of

HERE = Place("t", "1", "7")
PHOTO = Attached("photo", "p")


def said(text: str, number: int = 1, **changes: object) -> Arrival:
    plain = Arrival("message", HERE, sender=7, private=True, message_id=number, date=100.0, text=text, addressed=True)
    return replace(plain, **changes)  # type: ignore[arg-type]


def entry(arrival: Arrival | None, received: float = 100.0) -> Entry:
    number = arrival.message_id if arrival else 99
    return Inbound("1", number, "7", "{}", received), arrival


def found(*arrivals: Arrival | None, received: Sequence[float] = ()) -> tuple[int, float]:
    """How many of the entries make the first turn, and how long is to be waited."""
    times = received or [100.0] * len(arrivals)
    turn = turn_of([entry(each, at) for each, at in zip(arrivals, times, strict=True)])
    return len(turn.entries), turn.wait


LONG, HALVED, SHORT = "x" * NEAR, "x" * HALF, "x" * (HALF - 1)


@pytest.mark.parametrize(
    ("text", "wait"),
    [("hi", 0.0), ("x" * (NEAR - 1), 0.0), (LONG, PASTE_S), ("x" * LIMIT, PASTE_S), ("😀" * (NEAR // 2), PASTE_S)],
)
def test_only_a_text_that_was_probably_cut_is_waited_on(text: str, wait: float) -> None:
    assert found(said(text)) == (1, wait)


@pytest.mark.parametrize(
    ("second", "received", "count"),
    [
        (said("rest", 2), 101.2, 2),
        (said("rest", 2), 100 + PASTE_S, 2),
        (said("rest", 2), 100.1 + PASTE_S, 1),
        (said("rest", 2, kind="edit"), 100.0, 1),
        (said("/stop", 2, command="stop"), 100.0, 1),
        (said("rest", 2, forwarded=True), 100.0, 1),
        (said("rest", 2, quote=Quote(3, text="a")), 100.0, 1),
        (said("rest", 2, attached=(PHOTO,)), 100.0, 1),
        (said("", 2, unusable="a sticker"), 100.0, 1),
        (said("rest", 2, sender=8), 100.0, 1),
        (said("rest", 2, place=replace(HERE, topic="5")), 100.0, 1),
        (None, 100.0, 1),
    ],
)
def test_what_goes_on_a_long_text(second: Arrival | None, received: float, count: int) -> None:
    assert found(said(LONG), second, received=(100.0, received))[0] == count


@pytest.mark.parametrize(
    ("text", "date", "count"), [(HALVED, 101.0, 2), (HALVED, 102.0, 1), (SHORT, 100.0, 1), (LONG, 140.0, 2)]
)
def test_a_text_cut_at_a_line_goes_on_only_if_it_was_sent_at_once(text: str, date: float, count: int) -> None:
    assert found(said(text), said("rest", 2, date=date))[0] == count


def test_the_words_of_others_in_between_are_passed_over() -> None:
    parts = (said(LONG), said("hi", 2, sender=8), said("rest", 3), said("more", 4))
    turn = turn_of([entry(part) for part in parts])
    assert [row.update_id for row, _ in turn.entries] == [1, 3]
    assert turn.wait == 0


def test_nobodys_words_are_joined_with_nobodys() -> None:
    assert found(said(LONG, sender=None), said("rest", 2, sender=None))[0] == 1


def test_an_album_is_one_turn_and_waits_for_more() -> None:
    parts = [
        said("what is this" if n == 1 else "", n, album="G", attached=(Attached("photo", f"p{n}"),)) for n in (1, 2, 3)
    ]
    assert found(*parts) == (3, ALBUM_S)
    assert found(parts[0], said("", 2, album="H", attached=(PHOTO,)))[0] == 1
    whole = joined(parts)
    assert [file.id for file in whole.attached] == ["p1", "p2", "p3"]
    assert (whole.text, whole.ref) == ("what is this", parts[0].ref)


def test_a_mention_anywhere_in_an_album_addresses_all_of_it() -> None:
    parts = [said("", n, album="G", attached=(PHOTO,), addressed=n == 2) for n in (1, 2)]
    assert joined(parts).addressed


def test_a_turn_has_a_most() -> None:
    parts = [said(LONG, n) for n in range(1, MOST + 3)]
    assert found(*parts[:MOST]) == (MOST, 0.0)
    assert found(*parts) == (MOST, 0.0)


def test_a_command_goes_on_in_its_arguments() -> None:
    first = said("/plan " + "a" * LIMIT, command="plan", args="a" * LIMIT)
    whole = joined([first, said("b", 2)])
    assert (whole.command, whole.args) == ("plan", "a" * LIMIT + "b")
    assert joined([said("a"), said("b", 2)]).args == ""


@given(st.text("ab \n", min_size=1, max_size=3 * LIMIT))
def test_a_text_cut_by_its_size_is_put_together_as_it_was(text: str) -> None:
    cuts = [text[at : at + LIMIT] for at in range(0, len(text), LIMIT)]
    assert joined([said(cut, n) for n, cut in enumerate(cuts, 1)]).text == text


def test_a_cut_at_a_line_gets_its_line_back() -> None:
    assert joined([said("x" * 4000), said("y", 2)]).text == "x" * 4000 + "\ny"


def test_an_edit_of_a_part_is_one_of_the_whole() -> None:
    turns = Turns()
    parts = [said("a" * LIMIT, 1), said("b", 2)]
    turns.remember(parts)
    whole = turns.edited(replace(parts[1], kind="edit", text="c"))
    assert whole is not None
    assert (whole.kind, whole.ref, whole.text) == ("edit", parts[0].ref, "a" * LIMIT + "c")
    again = turns.edited(replace(parts[0], kind="edit", text="d"))
    assert again is not None and again.text == "d\nc"


def test_an_edit_that_changes_no_word_is_none() -> None:
    turns = Turns()
    turns.remember([said("a")])
    assert turns.edited(said("a", kind="edit")) is None


def test_an_edit_of_what_is_not_remembered_stands_for_itself() -> None:
    turns = Turns()
    for number in range(REMEMBERED + 1):
        turns.remember([said("a", number, album=str(number), attached=(PHOTO,))])
    edit = said("b", 0, kind="edit")
    assert turns.edited(edit) == edit
    assert not turns.late(said("", 900, album="0")) and turns.late(said("", 900, album="1"))
    assert not turns.late(said("", 1, album="1")), "its own first picture, handled again"
