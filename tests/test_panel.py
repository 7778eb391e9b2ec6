"""The panel with four five-line guards: each level, slots, looks, faults, order."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import pytest

from agent.panel import Panel
from agent.ports import Guard, Look, Nudge
from agent.steps import Call, Finished, Level, Looking, Nudged, Outcome, Proposed, Seen, Step

CALL = Call("c1", "shell", '{"command": "ls"}')
PROPOSED = Proposed(at=1.0, call=CALL, effect="write")
FINISHED = Finished(at=2.0, call_id="c1", tool="shell", outcome=Outcome.OK, text="")


@dataclass
class Says:
    """Answers every step of one kind."""

    name: str
    on: type[Step]
    answer: Nudge | Look
    strict: bool = False

    def observe(self, step: Step) -> Nudge | Look | None:
        return self.answer if isinstance(step, self.on) else None


@dataclass
class Raises:
    name: str = "raises"
    strict: bool = False

    def observe(self, step: Step) -> Nudge | None:
        raise ZeroDivisionError


@dataclass
class Counts:
    """Remembers how many steps it saw; speaks on the third."""

    name: str = "counts"
    strict: bool = False
    seen: int = 0

    def observe(self, step: Step) -> Nudge | None:
        self.seen += 1
        return Nudge(Level.NOTE, "third") if self.seen == 3 else None


@pytest.mark.parametrize("level", list(Level))
def test_each_level_becomes_a_nudged_step_about_the_call(level: Level) -> None:
    (nudged,) = Panel([Says("g", Proposed, Nudge(level, "text", data="{}"))]).observe(PROPOSED)
    assert isinstance(nudged, Nudged)
    assert (nudged.level, nudged.about, nudged.guard, nudged.at, nudged.data) == (level, "c1", "g", 1.0, "{}")


def test_a_nudge_on_an_answer_is_about_the_call_that_was_asked_about() -> None:
    panel = Panel([Says("a", Proposed, Look("disk")), Says("b", Seen, Nudge(Level.ASK, "may I?"))])
    (look,) = panel.observe(PROPOSED)
    assert isinstance(look, Looking)
    (nudged,) = panel.observe(Seen(at=2, look=look.look, probe="disk", value="1"))
    assert isinstance(nudged, Nudged)
    assert nudged.about == "c1"


def test_a_look_becomes_a_looking_step_with_an_id_of_its_own() -> None:
    panel = Panel([Says("a", Finished, Look("disk")), Says("b", Finished, Look("tests", '{"x": 1}'))])
    looks = [s for _ in range(2) for s in panel.observe(FINISHED) if isinstance(s, Looking)]
    assert [look.probe for look in looks] == ["disk", "tests", "disk", "tests"]
    assert len({look.look for look in looks}) == 4


def test_look_ids_go_on_after_a_replay() -> None:
    panel = Panel([Says("a", Finished, Look("disk"))])
    first = panel.observe(FINISHED)
    again = Panel([Says("a", Finished, Look("disk"))])
    again.replay([FINISHED, *first])
    assert again.observe(FINISHED)[0].look == "look-2"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("a", "b", "winner"),
    [
        (Nudge(Level.NOTE, "a", slot="s"), Nudge(Level.HOLD, "b", slot="s"), "b"),
        (Nudge(Level.NOTE, "a", slot="s", rank=1), Nudge(Level.NOTE, "b", slot="s", rank=0), "a"),
        (Nudge(Level.NOTE, "a", slot="s", rank=0), Nudge(Level.NOTE, "b", slot="s", rank=1), "b"),
        (Nudge(Level.NOTE, "a", slot="s"), Nudge(Level.NOTE, "b", slot="s"), "a"),
        (Nudge(Level.NOTE, "a", slot="s", rank=9), Nudge(Level.STOP, "b", slot="s"), "b"),
    ],
)
def test_one_voice_a_slot_by_level_then_rank(a: Nudge, b: Nudge, winner: str) -> None:
    said = Panel([Says("a", Proposed, a), Says("b", Proposed, b)]).observe(PROPOSED)
    assert [n.text for n in said if isinstance(n, Nudged)] == [winner]


def test_nudges_without_a_slot_all_stand() -> None:
    said = Panel([Says(n, Proposed, Nudge(Level.NOTE, n)) for n in "abc"]).observe(PROPOSED)
    assert len(said) == 3


@pytest.mark.parametrize(("strict", "held"), [(False, 0), (True, 1)])
def test_a_guard_that_raises_is_silent_or_holds_if_strict(strict: bool, held: int) -> None:
    panel = Panel([Raises(strict=strict), Says("b", Proposed, Nudge(Level.NOTE, "still here"))])
    said = [n for n in panel.observe(PROPOSED) if isinstance(n, Nudged)]
    assert sum(n.level == Level.HOLD for n in said) == held
    assert "still here" in [n.text for n in said]
    assert panel.faults[0].guard == "raises"


def test_a_strict_guard_that_raises_elsewhere_holds_nothing() -> None:
    assert Panel([Raises(strict=True)]).observe(FINISHED) == []


def test_guards_see_our_own_nudges_and_nudges_on_nudges_are_not_asked_for() -> None:
    panel = Panel(
        [Counts(), Says("n", Nudged, Nudge(Level.STOP, "never")), Says("p", Proposed, Nudge(Level.NOTE, "x"))]
    )
    assert [n.text for n in panel.observe(PROPOSED) if isinstance(n, Nudged)] == ["x"]
    third = [n.text for n in panel.observe(PROPOSED) if isinstance(n, Nudged)]  # after the step and one nudge
    assert "third" in third


def test_a_replay_gives_the_same_memory_and_says_nothing() -> None:
    live, late = Panel([Counts()]), Panel([Counts()])
    journal: list[Step] = []
    for _ in range(2):
        journal += [PROPOSED, *live.observe(PROPOSED)]
    late.replay(journal)
    assert late.observe(PROPOSED) == live.observe(PROPOSED)


def test_the_order_of_guards_changes_nothing() -> None:
    guards: list[Guard] = [
        Says("a", Proposed, Nudge(Level.NOTE, "a", slot="s", rank=2)),
        Says("b", Proposed, Nudge(Level.NOTE, "b", slot="s", rank=1)),
        Says("c", Proposed, Look("disk")),
        Counts(),
    ]
    answers = {tuple(map(repr, Panel(order).observe(PROPOSED))) for order in itertools.permutations(guards)}
    assert len(answers) == 1


def test_sessions_do_not_share_a_guards_memory() -> None:
    guards = [Counts()]
    first, second = Panel(guards), Panel(guards)
    for _ in range(2):
        first.observe(FINISHED)
    assert second.observe(FINISHED) == []
    assert first.observe(FINISHED) != []


def test_a_seen_is_not_about_a_call() -> None:
    (nudged,) = Panel([Says("g", Seen, Nudge(Level.NOTE, "x"))]).observe(Seen(at=1, look="l", probe="p", value="1"))
    assert nudged.about is None
