"""Seed rule `stuck`: three triggers over a window of fifteen calls."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from agent.guards.seed._iteration import Done
from agent.guards.seed._kinds import is_idle, mutates, only_reads
from agent.guards.seed.stuck import Stuck
from agent.ports import Nudge
from agent.steps import Change, Finished, Outcome, Proposed, Said
from tests.fakes.iterations import ENDED, HELD, OTHER, SAME, SILENT, Ran, each, journal, words


def calls(short: str) -> list[Ran]:
    """R a new read, M a mutation, N a call that is neither, S a stale one (a repetition), H one that was held."""
    kinds = {
        "R": Ran(exit_code=None, tool="read_file", effect="read"),
        "M": Ran(exit_code=None, tool="write_file", files=(Change("/w/g", SAME, OTHER),)),
        "N": Ran(exit_code=0, files=()),
        "S": Ran("again", files=()),
        "H": HELD,
    }
    new = [replace(kinds[letter], command=f"{letter}{number}") for number, letter in enumerate(short)]
    return [kinds["S"] if letter == "S" else call for letter, call in zip(short, new, strict=True)]


def triggers(made: Sequence[Ran]) -> list[tuple[int, str]]:
    """(call, triggers) of each time that it spoke."""
    guard, out = Stuck(), []
    for number, steps in enumerate(journal(each(*made)), start=1):
        for step in steps:
            if isinstance(said := guard.observe(step), Nudge):
                out.append((number, " ".join(json.loads(said.data)["triggers"])))
    return out


@pytest.mark.parametrize(
    ("short", "spoken"),
    [
        # T1: nine reads of the last fifteen, two mutations at most
        ("RRRRMRRRR", []),
        ("RRRRMRRRRR", [(10, "T1")]),
        ("RRRRMRRRRRR", [(10, "T1"), (11, "T1")]),
        ("MRRRRMRRRRR", [(11, "T1")]),
        ("MRRRRMRRRRMR", []),
        ("NNNMRRRRMRRRR" + "N", []),
        ("RNNNMRRRRMRRRR", [(14, "T1")]),
        ("RNNNMRRRRMRRRRN", [(14, "T1"), (15, "T1")]),
        ("RNNNMRRRRMRRRRNN", [(14, "T1"), (15, "T1")]),  # the first read has left the window
        # T2: half of a full window
        ("S" + "S" * 7 + "MNNMNNM", []),  # the first of them was new: 7 of 15
        ("S" + "S" * 8 + "MNNMNN", [(15, "T2")]),  # 8 of 15
        ("MH" * 7, []),  # half, but the window isn't full
        ("MH" * 7 + "M", []),  # 7 of 15
        ("HM" * 7 + "H", [(15, "T2")]),  # 8 of 15
        # T3: twelve calls without a mutation
        ("M" + "N" * 11, []),
        ("M" + "N" * 12, [(13, "T3")]),
        ("M" + "N" * 13, [(13, "T3"), (14, "T3")]),
        ("N" * 11 + "M", []),
        ("N" * 11, []),
        ("N" * 12, [(12, "T3")]),
        ("N" * 12 + "M", [(12, "T3")]),
        # together, and again as long as it holds
        ("R" * 12, [(9, "T1"), (10, "T1"), (11, "T1"), (12, "T1 T3")]),
        ("NNNNNN" + "H" * 9, [(12, "T3"), (13, "T3"), (14, "T3"), (15, "T2 T3")]),
    ],
)
def test_the_triggers(short: str, spoken: list[tuple[int, str]]) -> None:
    assert triggers(calls(short)) == spoken


def test_it_is_critical_and_names_four_ways() -> None:
    (text,) = words(Stuck(), each(*calls("R" * 9))).values()
    assert text.startswith("CRITICAL")
    assert all(way in text for way in ("PRODUCE", "WEB SEARCH", "DEBATE", "DECLARE BLOCKED"))


def test_parallel_calls_are_judged_once_at_their_end() -> None:
    assert list(words(Stuck(), [tuple(calls("RRRRRRRRR")), tuple(calls("NN"))])) == [1, 2]


def test_another_run_has_a_window_of_its_own() -> None:
    assert words(Stuck(), [*each(*calls("R" * 8)), ENDED, *each(*calls("R" * 8))]) == {}
    seven, eight = calls("NNNNNNN"), calls("HHHHHHHM")
    assert words(Stuck(), [*each(*seven), ENDED, *each(*seven[:1], *eight[:7], *calls("MNNMNNM"))]) == {}


# -- kinds of calls -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ls -la", True),
        ("cd /a && grep -rn 'x' src 2>/dev/null | head -3", True),
        ("/usr/bin/cat a 2>&1; tail b", True),
        ("find . -name x\nwc -l y", True),
        ("find . -name x -delete", False),
        ("cat a > b", False),
        ("cat a >> b", False),
        ("python train.py", False),
        ("cat a | tee b", False),
        ("sleep 1 && cat a", False),
        ("", False),
    ],
)
def test_a_command_that_only_reads(command: str, expected: bool) -> None:
    assert only_reads(command) is expected


@pytest.mark.parametrize(
    ("ran", "expected"),
    [
        (Ran(files=()), False),
        (Ran(files=(Change("/a", SAME, SAME),)), False),
        (Ran(files=(Change("/a", SAME, OTHER),)), True),
        (Ran(files=(Change("/a", "", SAME),)), True),
        (Ran(files=(Change("/a", SAME, ""),)), True),
        (Ran(files=(Change("/a", None, None),)), True),  # unknown is maybe
        (Ran(files=(Change("/a", None, None),), tool="read_file", effect="read"), False),
        (Ran("make", files=None), True),
        (Ran("cat a", files=None), False),
        (replace(SILENT, command="make", files=None), False),
        (replace(SILENT, command="make", files=(Change("/a", SAME, OTHER),)), True),
    ],
)
def test_a_mutation_is_what_changed_on_disk_else_what_the_verb_says(ran: Ran, expected: bool) -> None:
    assert mutates(done(ran)) is expected


@pytest.mark.parametrize(
    ("ran", "expected"),
    [
        (HELD, True),
        (Ran(tool="write_file", exit_code=None, files=(Change("/a", SAME, SAME),)), True),
        (Ran(tool="write_file", exit_code=None, files=(Change("/a", SAME, OTHER),)), False),
        (Ran(tool="write_file", exit_code=None, files=(Change("/a", SAME, SAME),), outcome=Outcome.FAILED), False),
        (Ran(tool="read_file", effect="read", exit_code=None, files=(Change("/a", SAME, SAME),)), False),
        (Ran("pytest", files=()), False),
    ],
)
def test_an_idle_call(ran: Ran, expected: bool) -> None:
    assert is_idle(done(ran)) is expected


def done(ran: Ran) -> Done:
    """The call as a guard would have it."""
    (steps,) = journal([(ran,)])
    said, *_, finished = steps
    assert isinstance(said, Said) and isinstance(finished, Finished)
    effect = next((step.effect for step in steps if isinstance(step, Proposed)), "")
    return Done(said.calls[0], effect, finished)
