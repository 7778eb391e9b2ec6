"""Panel `seed` as a whole: precedence, one voice an iteration, replay, order, and what the model gets to read."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent import catalogue
from agent.panel import Panel
from agent.ports import Guard
from agent.settings import load
from agent.steps import Level, Nudged, Outcome
from tests.fakes.iterations import (
    GREP,
    HELD,
    NO,
    OK,
    READ,
    SILENT,
    THREW,
    WARNED,
    WROTE,
    Iteration,
    Ran,
    each,
    events,
    journal,
    nudges,
)

RULES = ("failure", "loops", "repeated", "sticky", "streak", "stuck")
PRECEDENCE = {"nudge.loop", "nudge.repeated", "nudge.failure"}
F, R, L, S = "nudge.failure", "nudge.repeated", "nudge.loop", "nudge.streak"


def seated() -> list[Guard]:
    environ = {"HOME": "/nonexistent", "JARVIS_GUARDS__PANEL": "seed"}
    return [guard for guard in catalogue.guards(load(environ).settings) if guard.name in RULES]


GUARDS = seated()


def no(command: str, error: str = "E: no") -> Ran:
    return Ran(command, exit_code=1, stderr=error)


def spoken(*iterations: Iteration) -> list[list[str]]:
    """Events of the rules that this is about; sticky and stuck speak in slots of their own."""
    return [[e for e in said if e.startswith("nudge.")] for said in events(Panel(GUARDS, "seed"), iterations)]


def test_all_six_are_seated() -> None:
    assert [guard.name for guard in GUARDS] == list(RULES)
    assert not any(guard.strict for guard in GUARDS)


# -- precedence -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("iterations", "said"),
    [
        ([(no("a"),)], [[F]]),
        ([(no("a"),), (no("b"),), (no("c"),)], [[F], [F], [R, S]]),  # repeated over failure, streak beside it
        ([(no("a"),)] * 3, [[F], [F], [L, S]]),  # loop over both, streak beside it
        ([(no("a"),)] * 4, [[F], [F], [L, S], [L]]),
        ([(no("a"),), (no("b"),), (no("c"),), (OK,)], [[F], [F], [R, S], [R]]),  # every iteration
        ([(no("a"),), (no("b"),), (no("c"),), (no("d", "E: new"),)], [[F], [F], [R, S], [R]]),
        ([(OK,)] * 3, [[], [], [L]]),
        ([(OK, no("a")), (OK, no("b")), (OK, no("c"))], [[F], [F], [L]]),  # a loop silences both failure notes
        ([(no("a", "1"),), (no("b", "2"),), (no("c", "3"),)], [[F], [F], [F, S]]),
        ([(SILENT,), (replace(SILENT, command="b"),), (replace(SILENT, command="c"),)], [[], [], [S]]),
    ],
)
def test_loop_over_repeated_over_failure_and_streak_apart(iterations: list[Iteration], said: list[list[str]]) -> None:
    assert spoken(*iterations) == said


def test_three_parallel_calls_are_spoken_of_once() -> None:
    assert spoken((no("a"), no("b"), no("c"))) == [[R, S]]
    assert spoken((no("a", "1"), no("b", "2"), OK)) == [[F]]
    assert spoken((OK, OK, OK)) == [[L]]


def test_a_reply_without_calls_and_a_cut_off_iteration_are_silent() -> None:
    cut = replace(OK, exit_code=None, outcome=Outcome.CANCELLED)
    assert spoken((no("a"),), (no("b"),), (no("c"),), (), (no("d"), cut)) == [[F], [F], [R, S], [], []]


# -- what holds of any run ------------------------------------------------------------------------------------------
KINDS = [OK, NO, SILENT, GREP, WARNED, READ, WROTE, THREW, HELD, no("make"), no("make", "E: other"), Ran("ls")]
runs = st.lists(st.lists(st.sampled_from(KINDS), max_size=3).map(tuple), max_size=20)


@given(runs)
@settings(deadline=None, max_examples=60)
def test_one_voice_a_slot_and_nothing_but_notes(iterations: list[Iteration]) -> None:
    for said in nudges(Panel(GUARDS), iterations):
        assert len({nudged.slot for nudged in said}) == len(said)
        assert sum(nudged.event in PRECEDENCE for nudged in said) <= 1
        assert all(nudged.level is Level.NOTE and nudged.slot for nudged in said)


@given(runs, st.integers(0, 20))
@settings(deadline=None, max_examples=40)
def test_a_replay_at_any_border_gives_the_same_words(iterations: list[Iteration], border: int) -> None:
    live, late = Panel(GUARDS), Panel(GUARDS)
    batches = [[step, *live.observe(step)] for steps in journal(iterations) for step in steps]
    late.replay(itertools.chain.from_iterable(batches[:border]))
    assert [[step, *late.observe(step)] for step, *_ in batches[border:]] == batches[border:]


@given(runs, st.permutations(GUARDS))
@settings(deadline=None, max_examples=40)
def test_the_order_of_the_guards_changes_nothing(iterations: list[Iteration], order: list[Guard]) -> None:
    assert nudges(Panel(order), iterations) == nudges(Panel(GUARDS), iterations)


@pytest.mark.parametrize("missing", RULES)
def test_without_one_the_others_say_what_they_said(missing: str) -> None:
    iterations = each(*[no("make", f"E: {number % 2}") for number in range(16)])
    with_all = nudges(Panel(GUARDS), iterations)
    without = nudges(Panel([guard for guard in GUARDS if guard.name != missing]), iterations)
    for before, after in zip(with_all, without, strict=True):
        kept = [nudged for nudged in before if nudged.guard != missing and nudged.event not in PRECEDENCE]
        assert [nudged for nudged in after if nudged.event not in PRECEDENCE] == kept


def test_each_note_fits_the_tail() -> None:
    """The tail has 400 bytes for all notes; one alone must not be cut."""
    iterations = each(*[no("make " + "x" * 300, "y" * 300)] * 3, *[replace(READ, command=str(n)) for n in range(15)])
    said: list[Nudged] = list(itertools.chain.from_iterable(nudges(Panel(GUARDS), iterations)))
    assert {nudged.event for nudged in said} >= {F, L, R, S, "stuck.halt", "sticky.surfaced"}
    assert max(len(nudged.text.encode()) for nudged in said) <= 400
