"""A final text that is held back, a call that ends the run, and what of both a chat is shown."""

from __future__ import annotations

import json

import pytest

from agent.actions import Answer, Finish, Settle, Speak
from agent.messages import History
from agent.panel import Panel
from agent.ports import Look, Nudge
from agent.relay import Limits, Standing, next_action
from agent.resume import Todo
from agent.steps import (
    Asked,
    Call,
    End,
    Ended,
    Finished,
    Level,
    Looking,
    Nudged,
    Opened,
    Outcome,
    Proposed,
    Said,
    Seen,
    Step,
)
from bot.answers import Answers
from bot.card import Card

OPENED = Opened(at=0, prompt="p", tools=(), model="m", panel="ours", day="d", cwd="/w", nonce="abcd")
ASKED = Asked(at=1, text="go", author="t:7", ref="t:b:7:1")
FINAL = Said(at=2, text="It is done.", upto=2)
LOOK = Looking(at=2, look="l1", guard="gate", probe="verify", args="{}")
SEEN = Seen(at=3, look="l1", probe="verify", value="{}")
ERRORS = Standing(errors=("boom",))


def nudged(level: Level, event: str = "gate.refused", text: str = "no", what: str = "", **more: str | None) -> Nudged:
    data = json.dumps({"what": what}) if what else ""
    return Nudged(at=3, guard="gate", event=event, level=level, text=text, data=data, **more)  # type: ignore[arg-type]


HELD = nudged(Level.HOLD, text="Not accepted as done: test_a fails.")
PASSED = nudged(Level.NOTE, "gate.passed", "", "`pytest` green after the last change", slot="gate")


def done(outcome: Outcome = Outcome.OK, ends: End | None = End.ANSWERED, details: str = "") -> Finished:
    return Finished(
        at=3, call_id="t", tool="task_complete", outcome=outcome, text="", ends=ends if outcome is Outcome.OK else None,
        details=details,
    )  # fmt: skip


def claim(summary: str = "All is well.") -> Said:
    call = Call("t", "task_complete", json.dumps({"summary": summary}))
    return Said(at=2, text="I call it.", calls=(call,), upto=2)


def todo(*steps: Step) -> Todo:
    found = Todo()
    for seq, step in enumerate(steps, start=1):
        found.fold(seq, step)
    return found


# -- what comes next ------------------------------------------------------------------------------------------------
def test_a_final_text_waits_for_its_look_and_a_hold_makes_the_model_speak_again() -> None:
    assert next_action(todo(OPENED, ASKED, FINAL, LOOK), Limits()) == Answer(LOOK)
    assert next_action(todo(OPENED, ASKED, FINAL, LOOK, SEEN), Limits()) == Finish(End.ANSWERED)
    assert next_action(todo(OPENED, ASKED, FINAL, LOOK, SEEN, HELD), Limits()) == Speak()
    again = Said(at=4, text="Now it is.", upto=6)
    assert next_action(todo(OPENED, ASKED, FINAL, LOOK, SEEN, HELD, again), Limits()) == Finish(End.ANSWERED)


@pytest.mark.parametrize(
    ("nudge", "action"),
    [
        (nudged(Level.HOLD, slot="s"), Finish(End.ANSWERED)),
        (nudged(Level.HOLD, about="x"), Finish(End.ANSWERED)),
        (nudged(Level.NOTE), Finish(End.ANSWERED)),
        (nudged(Level.STOP, text="Not verified: x."), Finish(End.UNRESOLVED, "Not verified: x.")),
        (HELD, Speak()),
    ],
)
def test_only_a_hold_about_nothing_holds_the_text(nudge: Nudged, action: object) -> None:
    assert next_action(todo(OPENED, ASKED, FINAL, nudge), Limits()) == action


def test_errors_and_the_last_turn_are_outweighed_by_the_gate_alone() -> None:
    for standing, limits in ((ERRORS, Limits()), (Standing(), Limits(turns=1)), (ERRORS, Limits(turns=2))):
        ended = next_action(todo(OPENED, ASKED, FINAL, PASSED), limits, standing)
        assert ended == Finish(End.ANSWERED)
    action = next_action(todo(OPENED, ASKED, FINAL), Limits(), ERRORS)
    assert isinstance(action, Finish) and action.end is End.UNRESOLVED
    later = Said(at=5, text="Something else.", upto=4)
    action = next_action(todo(OPENED, ASKED, FINAL, PASSED, later), Limits(), ERRORS)
    assert isinstance(action, Finish) and action.end is End.UNRESOLVED


def test_a_call_ends_the_run_unless_something_was_said_meanwhile() -> None:
    assert next_action(todo(OPENED, ASKED, claim(), done()), Limits()) == Finish(End.ANSWERED)
    blocked = done(ends=End.BLOCKED, details="Blocked: no key")
    assert next_action(todo(OPENED, ASKED, claim(), blocked), Limits(), ERRORS) == Finish(
        End.BLOCKED, "Blocked: no key"
    )
    assert next_action(todo(OPENED, ASKED, claim(), ASKED, done()), Limits()) == Speak()
    assert next_action(todo(OPENED, ASKED, claim(), done(Outcome.FAILED)), Limits()) == Speak()
    open_errors = next_action(todo(OPENED, ASKED, claim(), done()), Limits(), ERRORS)
    assert isinstance(open_errors, Finish) and open_errors.end is End.UNRESOLVED


def test_what_ended_one_run_doesnt_end_the_next() -> None:
    ended = (OPENED, ASKED, claim(), done(), Ended(at=4, end=End.ANSWERED), ASKED)
    assert next_action(todo(*ended), Limits()) == Speak()


def test_calls_before_the_one_that_ends_are_settled_first() -> None:
    other = Call("o", "shell", "{}")
    said = Said(at=2, text="", calls=(claim().calls[0], other), upto=2)
    assert isinstance(next_action(todo(OPENED, ASKED, said, done()), Limits()), Settle)


# -- what the model is told -----------------------------------------------------------------------------------------
def test_the_model_is_told_why_in_the_programs_own_name() -> None:
    history = History()
    for seq, step in enumerate((OPENED, ASKED, FINAL, LOOK, SEEN, HELD, PASSED), start=1):
        history.fold(seq, step)
    last = history.request().messages[-1]
    assert last["role"] == "user"
    assert str(last["content"]).startswith("[harness abcd]")
    assert str(last["content"]).endswith("Not accepted as done: test_a fails.")


def test_a_strict_guard_that_breaks_on_an_answer_about_nothing_holds_nothing() -> None:
    class Broken:
        name, strict = "broken", True

        def observe(self, step: Step) -> Nudge | Look | None:
            if isinstance(step, Seen):
                raise ZeroDivisionError
            return Look("disk") if isinstance(step, Said | Proposed) else None

    panel = Panel([Broken()])
    panel.observe(FINAL)
    assert panel.observe(Seen(at=3, look="look-1", probe="disk", value="")) == []
    panel.observe(Proposed(at=4, call=Call("c", "shell", "{}"), effect="write"))
    (held,) = panel.observe(Seen(at=5, look="look-2", probe="disk", value=""))
    assert getattr(held, "level", None) is Level.HOLD


# -- what the chat is shown -----------------------------------------------------------------------------------------
def shown(*steps: Step) -> list[str]:
    answers = Answers()
    return [draft.markdown for seq, step in enumerate(steps, start=1) for draft in answers.fold(seq, step)]


ANSWERED = Ended(at=9, end=End.ANSWERED)
LATER = Said(at=5, text="Now it is.", upto=5)


def test_a_text_that_was_held_is_not_shown() -> None:
    assert shown(ASKED, FINAL, HELD, LATER, ANSWERED) == ["Now it is."]


def test_the_verdict_stands_below_the_answer_that_it_is_about() -> None:
    assert shown(ASKED, FINAL, PASSED, ANSWERED) == ["It is done.\n\n✓ verified: `pytest` green after the last change"]
    assert shown(ASKED, FINAL, PASSED, HELD, LATER, ANSWERED) == ["Now it is."]
    unchecked = nudged(Level.NOTE, "gate.unchecked", "", "no test was found", slot="gate")
    lie = nudged(Level.NOTE, "claims.unverified", "", "a.py is not there", slot="claims")
    assert shown(ASKED, FINAL, unchecked, lie, ANSWERED) == [
        "It is done.\n\n⚠ not verified: no test was found\n\n⚠ not verified: a.py is not there"
    ]


def test_an_end_as_unverified_shows_the_text_and_why() -> None:
    ended = Ended(at=9, end=End.UNRESOLVED, reason="Not verified: test_a fails.")
    assert shown(ASKED, FINAL, ended) == ["It is done.\n\n⚠ Not verified: test_a fails."]
    cancelled = done(Outcome.CANCELLED)
    assert shown(ASKED, claim(), cancelled, ended) == ["All is well.\n\n⚠ Not verified: test_a fails."]


def test_the_summary_of_an_accepted_task_complete_is_the_answer() -> None:
    assert shown(ASKED, claim(), PASSED, done(), ANSWERED) == [
        "All is well.\n\n✓ verified: `pytest` green after the last change"
    ]
    assert shown(ASKED, claim(), done(Outcome.HELD), LATER, ANSWERED) == ["Now it is."]
    assert shown(ASKED, claim(), done(), Ended(at=9, end=End.STOPPED)) == []


@pytest.mark.parametrize("arguments", ["{}", "x", "[]", '{"summary": null}', '{"summary": ""}'])
def test_a_task_complete_that_cant_be_read_shows_nothing_of_it(arguments: str) -> None:
    said = Said(at=2, text="", calls=(Call("t", "task_complete", arguments),), upto=2)
    assert shown(ASKED, said, done(Outcome.BAD_ARGUMENTS), LATER, ANSWERED) == ["Now it is."]


def test_blocked_shows_reason_and_evidence() -> None:
    call = Call("t", "blocked", '{"reason": "no key", "evidence": "401"}')
    ended = Ended(at=9, end=End.BLOCKED, reason="Blocked: no key\n\nEvidence: 401")
    steps = (ASKED, Said(at=2, text="", calls=(call,), upto=2), done(ends=End.BLOCKED, details=ended.reason), ended)
    assert shown(*steps) == ["Blocked: no key\n\nEvidence: 401"]


def test_the_card_shows_the_plans_current_item_and_no_claim_twice() -> None:
    card = Card(turns=20)
    items = [{"text": "read", "status": "completed"}, {"text": "run the failing test", "status": "in_progress"}]
    plan = Call("p", "plan", json.dumps({"items": items}))
    ok = Finished(at=2, call_id="p", tool="plan", outcome=Outcome.OK, text="")
    for step in (ASKED, Said(at=2, text="", calls=(plan,)), ok):
        card.fold(step)
    assert card.text(3).splitlines()[1] == "▸ 2/2 run the failing test"
    card.fold(claim("MARKER"))
    assert "MARKER" not in card.text(3) and "… task complete" in card.text(3)
