"""The failure card: what the exit means, the salient line, what changed; and the broken script in twenty variants."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.guards._literal import literal
from agent.guards.failure import Failure
from agent.steps import Level, Outcome
from tests.fakes.broken_script import VARIANTS, Variant
from tests.fakes.course import Course, stream


def card(course: Course) -> str:
    assert course.nudges, "no card"
    nudged = course.nudges[-1]
    assert (nudged.level, nudged.slot, nudged.event) == (Level.NOTE, None, "nudge.failure")
    assert len(nudged.text.encode()) <= 400
    return nudged.text


@pytest.mark.parametrize("variant", VARIANTS, ids=[each.name for each in VARIANTS])
def test_the_cause_is_named_within_three_calls(variant: Variant, tmp_path: Path) -> None:
    variant.write(tmp_path)
    course = Course(Failure())
    for move in variant.moves:
        course.bash(move, tmp_path)
    cards = [each.text for each in course.nudges if "unexpanded variable" in each.text]
    assert cards, [each.text for each in course.nudges]
    assert all("backslash before the dollar" in text and "cat -A" in text for text in cards)


@pytest.mark.parametrize("variant", VARIANTS, ids=[each.name for each in VARIANTS])
def test_the_mended_script_has_no_such_cause(variant: Variant, tmp_path: Path) -> None:
    variant.write(tmp_path)
    (tmp_path / variant.file).write_text(variant.good)
    course = Course(Failure())
    for move in variant.moves:
        course.bash(move, tmp_path)
    assert not [each.text for each in course.nudges if "unexpanded" in each.text]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("scan.sh: line 6: $ZAP_CMD: command not found", "$ZAP_CMD"),
        ("scan.sh: 6: $ZAP_CMD: not found", "$ZAP_CMD"),
        ("scan.sh:6: command not found: $ZAP_CMD", "$ZAP_CMD"),
        ("cat: '$FILE': No such file or directory", "$FILE"),
        ("cat: ${FILE}: No such file or directory", "${FILE}"),
        ("scan.sh: line 2: ./results/$DOMAIN/x: No such file or directory", "$DOMAIN"),
        ("scan.sh: line 3: [: $COUNT: integer expression expected", "$COUNT"),
        ("curl: (6) Could not resolve host: $DOMAIN", "$DOMAIN"),
        ("FileNotFoundError: [Errno 2] No such file or directory: '$HOME/x'", "$HOME"),
        ("cat: '$FILE': Datei oder Verzeichnis nicht gefunden", "$FILE"),
        ("bash: line 1: $1: command not found", "$1"),
        ("bash: line 1: $OUT: ambiguous redirect", ""),  # bash names the word as written, expanded or not
        ("bash: line 1: $1: unbound variable", ""),
        ("PHP Warning:  Undefined variable $name in a.php on line 3", ""),
        ("+ '$ZAP_CMD' -cmd not found", ""),
        ("the price is $5, not found elsewhere", ""),
        ("total: 100$ and no such luck", ""),
        ("12 items cost $12", ""),
        ("everything is fine with $HOME", ""),
    ],
)
def test_which_lines_name_a_variable_unexpanded(line: str, name: str) -> None:
    found = literal(f"before\n{line}\nafter\n")
    assert (found.name if found else "") == name


def test_the_card_names_the_script_to_look_at() -> None:
    course = Course(Failure())
    course.shell("cd /w && bash bin/scan.sh", err="bin/scan.sh: line 6: $ZAP_CMD: command not found\n", code=127)
    assert "cat -A bin/scan.sh" in card(course)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (1, "Exit code 1."),
        (2, "wrong usage"),
        (124, "timeout(1)"),
        (126, "can't be executed"),
        (127, "no such command"),
        (137, "memory"),
    ],
)
def test_what_the_exit_means(code: int, words: str) -> None:
    course = Course(Failure())
    course.call("shell", {"command": "x"}, Outcome.FAILED, code=code, out="", err="x: something broke\n")
    assert words in card(course)


@pytest.mark.parametrize(
    ("outcome", "speaks"),
    [
        (Outcome.OK, False),
        (Outcome.ANSWERED_NO, False),
        (Outcome.WARNED, True),
        (Outcome.FAILED, True),
        (Outcome.TIMED_OUT, True),
        (Outcome.KILLED, True),
        (Outcome.NOT_STARTED, True),
        (Outcome.CANCELLED, False),
        (Outcome.INTERRUPTED, False),
    ],
)
def test_after_which_outcomes_it_speaks(outcome: Outcome, speaks: bool) -> None:
    course = Course(Failure())
    said = course.call(
        "shell", {"command": "make"}, outcome, code=2, out="", err="make: *** No rule to make target 'x'."
    )
    assert bool(said) == speaks


@pytest.mark.parametrize(
    ("second", "error", "words"),
    [
        ("python a.py", "a.py: error 7", "The same call, the same error"),
        ("python b.py", "a.py: error 9", "Another call, the same error"),
        ("python b.py", "ValueError: other", ""),
    ],
)
def test_what_changed_since_the_last_try(second: str, error: str, words: str) -> None:
    course = Course(Failure())
    course.shell("python a.py", err="a.py: error 7", code=1)
    course.shell("ls")
    course.shell(second, err=error, code=1)
    assert (words in card(course)) if words else ("same error" not in card(course))


def test_the_salient_line_comes_from_either_stream() -> None:
    course = Course(Failure())
    course.shell("pytest -q", out="...\nE   AssertionError: 3 != 4\n1 failed\n", code=1)
    assert "AssertionError: 3 != 4" in card(course)


def test_a_service_that_refuses_gets_no_card_but_for_a_second_try() -> None:
    course = Course(Failure())
    refusal = ("edit_file", {"path": "a"}, "no match", Outcome.FAILED)
    assert not course.service(*refusal, write=True)
    assert course.service(*refusal, write=True)


def test_a_long_error_stays_within_the_card() -> None:
    course = Course(Failure())
    course.shell("x" * 5_000, err="é" * 20_000 + " error: ü", code=3)
    assert stream("x")
    assert card(course).startswith("[failure] Exit code 3.")
