"""Budget: tables at, under and over each threshold; what is asked of the world, what is told, when it stops."""

from __future__ import annotations

import json
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.causes import within
from agent.guards._allowance import KINDS, Day, Sums
from agent.guards.budget import Budget
from agent.panel import Panel
from agent.steps import (
    Asked,
    Call,
    End,
    Ended,
    Failed,
    Finished,
    Level,
    Looking,
    Nudged,
    Outcome,
    Proposed,
    Said,
    Seen,
    Step,
    Trouble,
    Usage,
)

CALL = Call("c1", "shell", "{}")
ASKED = Asked(at=1, text="go", author="t:7")
PROPOSED = Proposed(at=3, call=CALL, effect="write")


def said(tokens: int = 0, *, final: bool = False, money: float | None = None, duration: float = 0.0) -> Said:
    calls = () if final else (CALL,)
    return Said(at=2, text="", calls=calls, usage=Usage(tokens, 0, money=money), duration=duration)


def finished(duration: float = 0.0, outcome: Outcome = Outcome.OK) -> Finished:
    return Finished(at=4, call_id="c1", tool="shell", outcome=outcome, text="", duration=duration)


def failed(tokens: int = 0) -> Failed:
    return Failed(at=2, trouble=Trouble.RETRY, text="cut", usage=Usage(tokens))


def seen(day: int = 0, user: int = 0, status: str = "ok", money: float = 0.0, calls: int = 0) -> Seen:
    value = {
        "day": {"tokens": day, "money": money, "calls": calls},
        "user": {"tokens": user, "money": money, "calls": calls},
        "frees": "2026-02-04 00:00 UTC",
    }
    return Seen(at=3, look="look-1", probe="usage", value=json.dumps(value), status=status)


def observed(guard: Budget, *steps: Step) -> list[Nudged | Looking]:
    panel = Panel([guard])
    out = [each for step in steps for each in panel.observe(step)]
    assert not panel.faults, panel.faults[0].error
    return out


def told(guard: Budget, *steps: Step) -> list[str]:
    """What came of the steps: the name of a level, or look; turn notes are apart. The run is over after a STOP."""
    out = [
        "look" if isinstance(each, Looking) else each.level.name
        for each in observed(guard, *steps)
        if isinstance(each, Looking) or each.slot != "turn"
    ]
    return out[: out.index("STOP") + 1] if "STOP" in out else out


# -- a run's budgets ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ([799], []),
        ([800], ["NOTE"]),
        ([999], ["NOTE"]),
        ([1000], ["STOP"]),
        ([1001], ["STOP"]),
        ([400, 399], []),
        ([400, 400], ["NOTE"]),
        ([800, 100], ["NOTE"]),  # once a kind and run
        ([800, 199], ["NOTE"]),
        ([800, 200], ["NOTE", "STOP"]),
        ([-5000, 800], ["NOTE"]),  # nothing is ever given back
    ],
)
def test_the_tokens_of_a_run(tokens: list[int], expected: list[str]) -> None:
    steps = [step for each in tokens for step in (said(each), PROPOSED, finished())]
    assert told(Budget(run_tokens=1000), ASKED, *steps) == expected


@pytest.mark.parametrize(
    ("guard", "steps", "expected"),
    [
        (Budget(run_calls=3), [said(), PROPOSED] * 2, []),
        (Budget(run_calls=3), [said(), PROPOSED] * 3, ["STOP"]),
        (Budget(run_calls=5), [said(), PROPOSED] * 4, ["NOTE"]),
        (Budget(run_money=1.0), [said(money=0.79), PROPOSED], []),
        (Budget(run_money=1.0), [said(money=0.8), PROPOSED], ["NOTE"]),
        (Budget(run_money=1.0), [said(money=1.0), PROPOSED], ["STOP"]),
        (Budget(run_money=1.0), [said(10**9), PROPOSED], []),  # what nobody knows can't be counted
        (Budget(run_money=0.8, run_calls=99), [said(money=0.1)] * 8, ["STOP"]),
        (Budget(run_s=100), [said(duration=40), PROPOSED, finished(39)], []),
        (Budget(run_s=100), [said(duration=40), PROPOSED, finished(40)], ["NOTE"]),
        (Budget(run_s=100), [said(duration=40), PROPOSED, finished(60)], ["STOP"]),
        (Budget(run_s=100), [said(duration=-99), PROPOSED, finished(79)], []),
        (Budget(run_tokens=100), [failed(100)], ["STOP"]),  # an attempt that failed costs, too
        (Budget(run_tokens=100), [failed(40), failed(40)], ["NOTE"]),
        (Budget(run_tokens=100), [said(100, final=True)], []),  # the last word is delivered
        (Budget(run_tokens=100), [said(100, final=True), said(1), PROPOSED], ["STOP"]),
        (Budget(run_tokens=100), [said(90), Ended(at=5, end=End.ANSWERED), ASKED, said(20), PROPOSED], []),
        (Budget(run_tokens=100), [said(90), PROPOSED, ASKED, said(10), PROPOSED], ["NOTE", "STOP"]),  # steering
        (Budget(run_tokens=100, run_calls=1), [said(100), PROPOSED], ["STOP"]),
        (Budget(run_tokens=100, run_calls=9), [said(80)] * 1 + [PROPOSED], ["NOTE"]),
        (Budget(), [said(10**12, money=10**6, duration=10**6), PROPOSED, finished(10**9)], []),
    ],
)
def test_the_other_budgets_of_a_run(guard: Budget, steps: list[Step], expected: list[str]) -> None:
    assert told(guard, ASKED, *steps) == expected


def test_a_notice_and_a_stop_say_which_budget_how_much_and_what_to_do() -> None:
    note, stop = observed(Budget(run_tokens=20_000), ASKED, said(16_400), PROPOSED, finished(), said(4_000))
    assert isinstance(note, Nudged)
    assert isinstance(stop, Nudged)
    assert (note.event, note.level, note.slot, note.about) == ("budget.notice", Level.NOTE, None, "c1")
    assert "82 % of the budget of this run" in note.text
    assert "16,400 of 20,000 tokens" in note.text
    assert len(note.text.encode()) <= 400
    assert (stop.event, stop.level) == ("budget.stop", Level.STOP)
    assert "20,400 of 20,000 tokens" in stop.text
    assert "JARVIS_GUARDS__BUDGET__RUN_TOKENS" in stop.text
    data = json.loads(stop.data)
    assert within(stop.data) == json.dumps(data.pop("causes"))
    assert data == {"budget": "run_tokens", "used": 20_400, "allowed": 20_000}


# -- budgets of the day ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("guard", [Budget(run_tokens=9), Budget(run_s=9.0), Budget()])
def test_without_a_budget_of_the_day_the_world_is_asked_nothing(guard: Budget) -> None:
    assert "look" not in told(guard, ASKED, said(), PROPOSED, finished(), failed(5))


@pytest.mark.parametrize(
    ("steps", "looks"),
    [
        ([], 1),  # when it begins
        ([said(), PROPOSED], 2),  # and after each reply that goes on
        ([said(), PROPOSED, finished(), PROPOSED, finished()], 2),
        ([said(), finished(outcome=Outcome.BAD_ARGUMENTS)], 2),  # also where nothing was proposed
        ([said(final=True)], 1),
        ([failed(5)], 2),
        ([failed(0)], 1),
        ([said(), finished(outcome=Outcome.CANCELLED), Ended(at=5, end=End.STOPPED)], 1),
        ([ASKED, ASKED], 1),
        ([said(), PROPOSED, finished(), said(), PROPOSED], 3),
    ],
)
def test_when_the_day_is_looked_at(steps: list[Step], looks: int) -> None:
    asked = [each for each in observed(Budget(day_tokens=1000), ASKED, *steps) if isinstance(each, Looking)]
    assert len(asked) == looks
    assert {(each.probe, each.args) for each in asked} == {("usage", '{"user": "t:7"}')}


@pytest.mark.parametrize(
    ("guard", "answer", "expected"),
    [
        (Budget(day_tokens=1000), seen(day=799, user=5000), []),
        (Budget(day_tokens=1000), seen(day=800), ["NOTE"]),
        (Budget(day_tokens=1000), seen(day=999), ["NOTE"]),
        (Budget(day_tokens=1000), seen(day=1000), ["STOP"]),
        (Budget(user_day_tokens=1000), seen(day=5000, user=799), []),
        (Budget(user_day_tokens=1000), seen(day=5000, user=1000), ["STOP"]),
        (Budget(day_money=1.0), seen(money=0.79), []),
        (Budget(day_money=1.0), seen(money=1.0), ["STOP"]),
        (Budget(user_day_money=1.0), seen(money=0.8), ["NOTE"]),
        (Budget(day_calls=10), seen(calls=10), ["STOP"]),
        (Budget(user_day_calls=10), seen(calls=9), ["NOTE"]),
        (Budget(day_tokens=1000), seen(day=1000, status="timeout"), []),
        (Budget(day_tokens=1000), Seen(at=3, look="l", probe="usage", value="null"), []),
        (Budget(day_tokens=1000), Seen(at=3, look="l", probe="usage", value='{"day": {"tokens": 1e999}}'), []),
        (Budget(day_tokens=1000), Seen(at=3, look="l", probe="world", value=seen(day=1000).value), []),
    ],
)
def test_the_day_as_the_probe_answers_it(guard: Budget, answer: Seen, expected: list[str]) -> None:
    assert told(guard, ASKED, answer) == ["look", *expected]


def test_without_an_answer_what_is_known_of_ourselves_has_to_do() -> None:
    silent = seen(status="timeout")
    steps = [ASKED, seen(day=500), said(300), PROPOSED, silent, finished(), said(200)]
    assert told(Budget(day_tokens=1000), *steps) == ["look", "look", "NOTE", "STOP"]


def test_an_answer_takes_the_place_of_what_was_added_up() -> None:
    steps = [ASKED, seen(day=0), said(900), PROPOSED, seen(day=700)]
    assert told(Budget(day_tokens=1000), *steps) == ["look", "look"]


def test_what_was_known_of_yesterday_stops_no_run_of_today() -> None:
    steps = [ASKED, seen(day=999), Ended(at=9, end=End.ANSWERED), ASKED, said(5), PROPOSED]
    assert "STOP" not in told(Budget(day_tokens=1000), *steps)


def test_an_answer_after_the_end_says_nothing() -> None:
    assert told(Budget(day_tokens=10), ASKED, Ended(at=5, end=End.STOPPED), seen(day=99)) == ["look"]


@pytest.mark.parametrize(
    ("guard", "whose", "setting"),
    [
        (Budget(day_tokens=1000), "the budget of all chats for today", "DAY_TOKENS"),
        (Budget(user_day_tokens=1000), "your budget for today", "USER_DAY_TOKENS"),
    ],
)
def test_a_stop_of_the_day_says_when_it_frees(guard: Budget, whose: str, setting: str) -> None:
    stop = observed(guard, ASKED, seen(day=1000, user=1000))[-1]
    assert isinstance(stop, Nudged)
    assert f"{whose} is used up, 1,000 of 1,000 tokens." in stop.text
    assert "frees at 2026-02-04 00:00 UTC" in stop.text
    assert f"JARVIS_GUARDS__BUDGET__{setting} " in stop.text


def test_each_kind_of_budget_is_a_setting_with_a_sentence_of_its_own() -> None:
    for kind in KINDS:
        guard = Budget(**{kind.setting: 1})  # type: ignore[arg-type]
        steps = [ASKED, seen(1, 1, money=1.0, calls=1), said(1, money=1.0, duration=1.0), PROPOSED]
        stops = [each for each in observed(guard, *steps) if isinstance(each, Nudged) and each.level is Level.STOP]
        assert f"JARVIS_GUARDS__BUDGET__{kind.setting.upper()}" in stops[0].text


# -- turns left, as ever --------------------------------------------------------------------------------------------
def test_turns_left_and_a_look_after_the_same_reply_are_both_told() -> None:
    guard = Budget(turns=3, day_tokens=1000, run_tokens=100)
    out = observed(guard, ASKED, seen(), said(80), PROPOSED, seen(80, 80), finished(), said(0), PROPOSED)
    assert [(type(each).__name__, getattr(each, "slot", "")) for each in out] == [
        ("Looking", ""),
        ("Nudged", "turn"),
        ("Looking", ""),
        ("Nudged", None),
        ("Nudged", "turn"),
        ("Looking", ""),
    ]


# -- properties -----------------------------------------------------------------------------------------------------
STEP = st.one_of(
    st.builds(said, st.integers(-100, 500), final=st.booleans(), money=st.none() | st.floats(-1, 2)),
    st.builds(failed, st.integers(-100, 500)),
    st.builds(finished, st.floats(-5, 5), st.sampled_from(list(Outcome))),
    st.builds(seen, st.integers(-10, 2000), st.integers(-10, 2000), st.sampled_from(["ok", "timeout", "error"])),
    st.just(PROPOSED),
    st.just(ASKED),
    st.just(Ended(at=9, end=End.ANSWERED)),
)


@given(st.lists(STEP, max_size=30))
def test_a_replay_remembers_the_same(course: list[Step]) -> None:
    live, again = Panel([everything()]), Panel([everything()])
    journal = [each for step in course for each in (step, *live.observe(step))]
    again.replay(journal)
    probe: list[Step] = [said(1), PROPOSED, finished(), seen(500, 500), said(2), PROPOSED]
    assert [live.observe(step) for step in probe] == [again.observe(step) for step in probe]
    assert not live.faults + again.faults


@given(st.lists(STEP, max_size=20))
def test_no_sum_is_ever_negative(course: list[Step]) -> None:
    guard = everything()
    for step in [ASKED, *course]:
        guard.observe(step)
        for sums in guard._sums.values():
            assert min(sums.tokens, sums.money, sums.calls, sums.seconds) >= 0


def everything() -> Budget:
    return Budget(**{kind.setting: 1000 for kind in KINDS})  # type: ignore[arg-type]


def test_the_order_of_spending_is_no_matter() -> None:
    parts = [Sums.of(Usage(5, 1, money=0.5), 1.0), Sums.of(Usage(7), 2.0), Sums.of(Usage(-9, 3, money=-1.0), -3.0)]
    totals = {sum(order, Sums()) for order in permutations(parts)}
    assert totals == {Sums(16, 0.5, 3, 3.0)}


@pytest.mark.parametrize("value", ["", "[]", "{}", '{"day": 1}', "3", '{"day": {}, "user": {}, "frees": ""}', "null"])
def test_an_answer_that_is_none_is_no_answer(value: str) -> None:
    assert Day.parse(value) is None
