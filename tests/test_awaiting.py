"""The card's line about the model: tries that are counted down, waits by the clock, who answers instead."""

from __future__ import annotations

import zoneinfo

import pytest

from agent.steps import Asked, Commanded, Failed, Opened, Parked, Resumed, Said, Step, Trouble
from bot.awaiting import WHY, Awaiting, reason

ASKED = Asked(at=100, text="go", author="t:7")
OPENED = Opened(at=99, prompt="", tools=(), model="big-4.1", panel="", day="", cwd="/", nonce="")
BUSY = Failed(
    at=100, trouble=Trouble.WAIT, text="The model big-4.1 takes no more requests for now; it asks to wait 7 s.",
    model="big-4.1", again=7.2, attempt=2, attempts=5,
)  # fmt: skip
PARKED = Parked(
    at=100, until=1_700_000_000.0, why="The model big-4.1 is overloaded (status 529). Asking again may help."
)


def said(model: str) -> Said:
    return Said(at=101, text="", model=model)


def line(*steps: Step, now: float = 100.0) -> str:
    fold = Awaiting()
    for step in steps:
        fold.fold(step)
    return fold.text(now)


def kept(*steps: Step) -> list[str]:
    fold = Awaiting()
    return [each for each in (fold.fold(step) for step in steps) if each]


@pytest.mark.parametrize(
    ("now", "when"), [(100.0, "in 7 s"), (104.0, "in 3 s"), (106.8, "now"), (107.2, "now"), (300.0, "now")]
)
def test_a_try_is_counted_down(now: float, when: str) -> None:
    assert line(ASKED, BUSY, now=now) == f"⚠ retrying 2 of 5 {when}: the model takes no more requests for now"


@pytest.mark.parametrize(
    "after", [said("big-4.1"), ASKED, Resumed(at=1, cause="timer"), Commanded(at=1, command="again", by="t:7")]
)
def test_it_goes_when_it_is_over(after: Step) -> None:
    assert line(ASKED, BUSY, after) == ""


def test_a_park_says_until_when_in_the_readers_zone() -> None:
    assert line(ASKED, PARKED).startswith("⏸ waiting until Tue 14 Nov 22:13: The model big-4.1 is overloaded")
    fold = Awaiting(zoneinfo.ZoneInfo("Asia/Tokyo"))
    fold.fold(Parked(at=1_699_999_000.0, until=1_700_000_000.0, why="Away."))
    assert fold.text(0) == "⏸ waiting until 07:13: Away"
    assert fold.parked


def test_a_park_without_an_end_says_why() -> None:
    assert line(ASKED, Parked(at=1, until=None, why="Nobody approved it.")) == "⚠ waiting: Nobody approved it."


def test_a_restart_is_told_until_something_comes() -> None:
    assert "restart" in line(ASKED, Resumed(at=1, cause="restart"))
    assert line(ASKED, Resumed(at=1, cause="restart"), said("m")) == ""


def test_another_model_is_told_in_one_line_each_way() -> None:
    away = Failed(at=100, trouble=Trouble.RETRY, text="The model a is overloaded.", model="a", then="b")
    opened = Opened(at=99, prompt="", tools=(), model="a", panel="", day="", cwd="/", nonce="")
    assert line(opened, ASKED, away) == "⇄ the model is overloaded; asking b"
    assert kept(opened, ASKED, away, said("b"), said("b"), said("a")) == [
        "⇄ b answers now, in place of a",
        "⇄ a answers now, in place of b",
    ]
    assert kept(ASKED, away, said("b")) == ["⇄ b answers now, in place of a"]  # after a restart: known by its failure
    assert kept(ASKED, said("a"), said("")) == []
    assert kept(opened, ASKED, said("a")) == []


def test_a_wait_for_a_slot_says_behind_how_many() -> None:
    fold = Awaiting()
    fold.fold(ASKED)
    fold.ahead = 2
    assert fold.text(0) == "… waiting for the model: 2 ahead"
    fold.ahead = 0
    assert fold.text(0) == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "The endpoint of the model m can't be reached. Check that it runs.",
            "the endpoint of the model can't be reached",
        ),
        ("The model m did not answer within 60 s. Asking again may help.", "the model did not answer within 60 s"),
        ("x" * 500, "x" * (WHY - 1) + "…"),
        ("", ""),
        ("Two\nlines", "two lines"),
    ],
)
def test_a_reason_is_short(text: str, shown: str) -> None:
    assert reason(Failed(at=0, trouble=Trouble.RETRY, text=text, model="m")) == shown
