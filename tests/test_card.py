"""The status card: short lines, the newest steps, and an end that no longer changes."""

from __future__ import annotations

import pytest

from agent.steps import (
    Asked,
    Call,
    End,
    Ended,
    Failed,
    Finished,
    Level,
    Nudged,
    Outcome,
    Parked,
    Resumed,
    Said,
    Step,
    Trouble,
)
from bot import words
from bot.card import COMMAND, SHOWN, Card, describe
from bot.details import pages
from bot.oneline import LINE, clip
from bot.words import clock, span


def shell(number: int, command: str = "ls") -> Call:
    return Call(f"c{number}", "shell", f'{{"command": "{command}"}}')


def finished(number: int, outcome: Outcome = Outcome.OK, exit_code: int | None = 0) -> Finished:
    return Finished(at=2, call_id=f"c{number}", tool="shell", outcome=outcome, text="", exit_code=exit_code)


def card(*steps: Step, turns: int = 20) -> Card:
    view = Card(turns)
    for step in steps:
        view.fold(step)
    return view


ASKED = Asked(at=100, text="Fix the login\ntest", author="t:7")


def test_a_run_in_the_middle_of_a_call() -> None:
    view = card(
        ASKED, Said(at=101, text="", calls=(shell(1),)), finished(1), Said(at=102, text="", calls=(shell(2, "pytest"),))
    )
    assert view.text(142).splitlines() == ["Fix the login test · 0:42\u00a0·\u00a0turn 2 of 20", "✓ ls", "… pytest"]


@pytest.mark.parametrize(
    ("outcome", "code", "line"),
    [
        (Outcome.OK, 0, "✓ ls"),
        (Outcome.ANSWERED_NO, 1, "✓ ls"),
        (Outcome.WARNED, 0, "✓ ls"),
        (Outcome.FAILED, 3, "✗ ls: exit 3"),
        (Outcome.TIMED_OUT, None, "✗ ls: timed out"),
        (Outcome.BAD_ARGUMENTS, None, "✗ ls: bad arguments"),
        (Outcome.HELD, None, "✗ ls: held"),
    ],
)
def test_how_a_call_ended(outcome: Outcome, code: int | None, line: str) -> None:
    view = card(ASKED, Said(at=101, text="", calls=(shell(1),)), finished(1, outcome, code))
    assert view.text(101).splitlines()[1] == line


def test_only_the_newest_steps_are_shown() -> None:
    steps: list[Step] = [ASKED]
    for number in range(SHOWN + 3):
        steps += [Said(at=101, text="", calls=(shell(number, f"echo {number}"),)), finished(number)]
    lines = card(*steps).text(101).splitlines()
    assert len(lines) == SHOWN + 1
    assert lines[-1] == f"✓ echo {SHOWN + 2}"


@pytest.mark.parametrize("end", list(End))
def test_an_ended_card_no_longer_moves(end: End) -> None:
    view = card(ASKED, Ended(at=105, end=end))
    assert view.text(105) == view.text(9999)
    assert "0:05" in view.text(9999)


def test_trouble_is_shown_while_it_lasts() -> None:
    failed = Failed(
        at=101, trouble=Trouble.RETRY, text="The endpoint can't be reached.", again=2.0, attempt=2, attempts=5
    )
    assert "retrying 2 of 5 in 2 s: the endpoint can't be reached" in card(ASKED, failed).text(101)
    assert "retrying" not in card(ASKED, failed, Said(at=102, text="", calls=(shell(1),))).text(102)
    assert "waiting" in card(ASKED, Parked(at=101, until=200, why="Away.")).text(101)
    assert "restart" in card(ASKED, Resumed(at=101, cause="restart")).text(101)


@pytest.mark.parametrize(
    ("arguments", "name", "shown"),
    [
        ('{"command": "ls -l"}', "shell", "ls -l"),
        ('{"path": "a/b.txt", "content": "x"}', "write_file", "write file a/b.txt"),
        ('{"text": "hi"}', "mark", "mark hi"),
        ("{}", "list_dir", "list dir"),
        ("{broken", "shell", "shell"),
        ("[1]", "shell", "shell"),
        ('{"command": ""}', "shell", "shell"),
        ('{"command": 5}', "shell", "5"),
    ],
)
def test_what_a_call_does(arguments: str, name: str, shown: str) -> None:
    assert describe(Call("c", name, arguments)) == shown


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        (Outcome.OK, "✓ pytest -q test_orders_are_booked.py"),
        (Outcome.FAILED, "✗ pytest -q test_orde…_booked.py: exit 2"),
        (Outcome.TIMED_OUT, "✗ pytest -q test_or…booked.py: timed out"),
    ],
)
def test_a_long_command_is_one_line_in_the_card_whatever_came_of_it(outcome: Outcome, line: str) -> None:
    command = "cd /home/ann/jarvis-workspace/shop && pytest -q tests/booking/test_orders_are_booked.py"
    code = 2 if outcome is Outcome.FAILED else None
    said = Said(at=101, text="", calls=(shell(1, command),))
    assert card(ASKED, said).text(102).splitlines()[1] == "… pytest -q test_orders_are_booked.py"
    assert card(ASKED, said, finished(1, outcome, code)).text(102).splitlines()[1] == line


def test_every_line_of_a_card_but_its_head_fits_a_phone_in_both_languages() -> None:
    for language in ("en", "de"):
        with words.speaking(language):
            for event in words.NUDGES:
                assert len(words.nudge_line(event, 12)) <= LINE, words.nudge_line(event, 12)
            for outcome in Outcome:
                steps = Said(at=101, text="", calls=(shell(1, "x/" * 900),)), finished(1, outcome, 127)
                assert all(len(line) <= LINE for line in card(ASKED, *steps).text(102).splitlines()[1:])


def test_nudges_are_counted_in_a_persons_words() -> None:
    note = Nudged(at=101, text="exit 1 means", event="nudge.failure", guard="failure", level=Level.NOTE)
    assert card(ASKED, note).text(102).splitlines()[-1] == "⚠ explained a failure"
    assert card(ASKED, note, note).text(102).splitlines()[-1] == "⚠ explained a failure ×2"


@pytest.mark.parametrize("length", [LINE - 1, LINE, LINE + 1, 5000])
def test_lines_are_short(length: int) -> None:
    assert len(clip("x" * length)) == min(length, LINE)
    assert "\n" not in clip("a\nb\tc")


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "0:00"), (59.9, "0:59"), (60, "1:00"), (3599, "59:59"), (3600, "1:00:00"), (-5, "0:00")]
)
def test_the_clock(seconds: float, shown: str) -> None:
    assert clock(seconds) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "0 s"), (59, "59 s"), (60, "1 min"), (61, "1 min 1 s"), (3600, "1 h 0 min"), (-1, "0 s")]
)
def test_a_span(seconds: float, shown: str) -> None:
    assert span(seconds) == shown


@pytest.mark.parametrize(
    ("text", "level", "shows"),
    [
        (
            "exit 2\n--- stderr\nno such file\n[Not run again: the same as before.]",
            Level.HOLD,
            "Not run again: the same",
        ),
        ("Not accepted as done:\n- a test is red", Level.HOLD, "Not accepted as done: - a test is red"),
        ("exit 2\n[brackets of a guard that stops]", Level.STOP, "exit 2 [brackets of a guard that stops]"),
    ],
)
def test_a_call_that_is_answered_from_before_shows_why_not_the_old_result(text: str, level: Level, shows: str) -> None:
    nudged = Nudged(at=101, text=text, event="nudge.loop", guard="loop", level=level)
    assert f"⚠ {shows}" in card(ASKED, nudged).text(102)


def test_details_hold_the_whole_command_that_the_card_shortens() -> None:
    command = "cd /home/ann/jarvis-workspace/shop && pytest -q tests/booking/test_orders_are_booked.py"
    said = Said(at=101, text="", calls=(shell(1, command),))
    assert f"1. {command}\n  exit 2" in pages([ASKED, said, finished(1, Outcome.FAILED, 2)])[0]
    endless = Said(at=101, text="", calls=(shell(1, "x" * 100_000),))
    assert len(pages([ASKED, endless, finished(1)])[0]) < COMMAND + 100
