"""What comes next: tables at, under and over each limit."""

from __future__ import annotations

import pytest

from agent.actions import Answer, Finish, Hand, Park, Rest, Settle, Speak, Wait
from agent.backoff import (
    ATTEMPTS,
    ATTEMPTS_LATER,
    BAD_REPLIES,
    LONGEST_PARK_S,
    LONGEST_TOLD_S,
    LONGEST_WAIT_S,
    PARKS,
    after_failure,
    place_of,
    with_plan,
)
from agent.relay import RESTARTS, Limits, Standing, next_action
from agent.resume import Todo
from agent.steps import (
    Asked,
    Call,
    Commanded,
    Decided,
    End,
    Ended,
    Failed,
    Finished,
    Handed,
    Level,
    Looking,
    Nudged,
    Opened,
    Outcome,
    Parked,
    Proposed,
    Resumed,
    Said,
    Seen,
    Step,
    Trouble,
)

ASKED = Asked(at=1, text="go", author="t:7")
CALL = Call("c1", "shell", "{}")


def failed(
    trouble: Trouble = Trouble.RETRY, status: int | None = None, retry_after: float | None = None, then: str = ""
) -> Failed:
    return Failed(at=100.0, trouble=trouble, text="It failed.", status=status, retry_after=retry_after, then=then)


def fold(*steps: Step) -> Todo:
    todo = Todo()
    for seq, step in enumerate(steps, start=1):
        todo.fold(seq, step)
    return todo


def said(*calls: Call, upto: int = 1, finish: str = "stop") -> Said:
    return Said(at=2, text="", calls=calls, upto=upto, finish=finish)


FINISHED = Finished(at=3, call_id="c1", tool="shell", outcome=Outcome.OK, text="")


@pytest.mark.parametrize(
    ("steps", "action"),
    [
        ([], Rest()),
        ([ASKED], Speak()),
        ([ASKED, said()], Finish(End.ANSWERED)),
        ([ASKED, ASKED, said(upto=1)], Speak()),  # the second message came while the model spoke
        ([ASKED, ASKED, said(upto=2)], Finish(End.ANSWERED)),
        ([ASKED, said(CALL), FINISHED], Speak()),
        ([ASKED, said(), Ended(at=3, end=End.ANSWERED)], Rest()),
        ([ASKED, said(), Ended(at=3, end=End.ANSWERED), ASKED], Speak()),
        ([ASKED, Parked(at=2, until=None, why="x")], Rest()),
        ([ASKED, Parked(at=2, until=None, why="x"), ASKED], Speak()),
        ([ASKED, Parked(at=2, until=9, why="x"), Resumed(at=9, cause="timer")], Speak()),
        ([ASKED, Commanded(at=2, command="pause", by="t:7")], Rest()),
        ([ASKED, Commanded(at=2, command="pause", by="t:7"), Commanded(at=3, command="resume", by="t:7")], Speak()),
        (
            [ASKED, Nudged(at=2, guard="g", event="e", level=Level.STOP, text="enough")],
            Finish(End.UNRESOLVED, "enough"),
        ),
        (
            [ASKED, Nudged(at=2, guard="budget", event="budget.stop", level=Level.STOP, text="used up")],
            Finish(End.LIMIT, "used up"),
        ),
        (  # the first of two counts
            [
                ASKED,
                Nudged(at=2, guard="g", event="e", level=Level.STOP, text="enough"),
                Nudged(at=2, guard="budget", event="budget.stop", level=Level.STOP, text="used up"),
            ],
            Finish(End.UNRESOLVED, "enough"),
        ),
    ],
)
def test_next(steps: list[Step], action: object) -> None:
    assert next_action(fold(*steps), Limits()) == action


def test_open_calls_are_settled_in_order_and_looks_come_first() -> None:
    todo = fold(ASKED, said(CALL, Call("c2", "shell", "{}")))
    action = next_action(todo, Limits())
    assert isinstance(action, Settle)
    assert action.open_call.call.id == "c1"
    look = Looking(at=3, look="l1", guard="g", probe="disk", args="{}")
    todo.fold(3, look)
    assert next_action(todo, Limits()) == Answer(look)
    todo.fold(4, Seen(at=4, look="l1", probe="disk", value="1"))
    assert isinstance(next_action(todo, Limits()), Settle)


def test_an_ask_waits_until_it_is_decided() -> None:
    ask = Nudged(at=3, guard="g", event="e", level=Level.ASK, text="may I?", about="c1")
    todo = fold(ASKED, said(CALL), Proposed(at=3, call=CALL, effect="write"), ask)
    assert next_action(todo, Limits()) == Rest()
    todo.fold(5, Decided(at=5, call_id="c1", verdict="allow", by="t:7"))
    assert isinstance(next_action(todo, Limits()), Settle)


def turns_used(turns: int, handoffs: int = 0) -> Todo:
    steps: list[Step] = [ASKED]
    for _ in range(handoffs):
        steps.append(Handed(at=3, checkpoint="{}", text="go on"))
    for _ in range(turns):
        steps += [said(CALL, upto=len(steps)), FINISHED]
    return fold(*steps)


@pytest.mark.parametrize(
    ("turns", "handoffs", "progress", "action"),
    [
        (2, 0, True, Speak),
        (3, 0, True, Hand),
        (3, 1, True, Hand),
        (3, 2, True, End.LIMIT),
        (3, 0, False, End.UNRESOLVED),
        (2, 0, False, Speak),
    ],
)
def test_the_turn_limit(turns: int, handoffs: int, progress: bool, action: type | End) -> None:
    limits = Limits(turns=3, handoffs=2)
    got = next_action(turns_used(turns, handoffs), limits, Standing(progress=progress))
    assert (got.end if isinstance(got, Finish) else type(got)) == action


@pytest.mark.parametrize(
    ("turns", "errors", "end"),
    [(1, (), End.ANSWERED), (1, ("no such file",), End.UNRESOLVED), (2, (), End.UNRESOLVED)],
)
def test_a_final_text_with_errors_open_or_on_the_last_turn_is_unresolved(
    turns: int, errors: tuple[str, ...], end: End
) -> None:
    todo = turns_used(turns - 1)
    todo.fold(99, said(upto=98))
    action = next_action(todo, Limits(turns=2), Standing(errors=errors))
    assert isinstance(action, Finish)
    assert action.end == end


def test_the_goal_stays_in_the_users_words_over_handoffs_and_a_tap_on_continue() -> None:
    todo = fold(Asked(at=1, text="build the GREENHOUSE", author="t:7"), Asked(at=2, text="hurry", author="t:7"))
    assert todo.goal == "build the GREENHOUSE"
    handed = Handed(at=3, checkpoint='{"goal": "build the GREENHOUSE"}', text="go on")
    todo.fold(3, handed)
    todo.fold(4, Ended(at=4, end=End.LIMIT))
    todo.fold(5, Asked(at=5, text="something else", author="t:7"))
    assert todo.goal == "something else"
    todo.fold(6, Ended(at=6, end=End.ANSWERED))
    todo.fold(7, handed)
    todo.fold(8, Asked(at=8, text="Go on.", author="t:7"))
    assert todo.goal == "build the GREENHOUSE"


@pytest.mark.parametrize(("restarts", "ends"), [(RESTARTS, False), (RESTARTS + 1, True)])
def test_a_run_that_only_crashes_is_quarantined(restarts: int, ends: bool) -> None:
    todo = fold(ASKED, *[Resumed(at=2, cause="restart")] * restarts)
    assert isinstance(next_action(todo, Limits()), Finish) is ends
    todo.fold(9, Ended(at=9, end=End.FAILED))
    todo.fold(10, ASKED)
    assert next_action(todo, Limits()) == Speak()


def test_a_reply_between_restarts_counts_as_getting_somewhere() -> None:
    again = Resumed(at=2, cause="restart")
    todo = fold(ASKED, again, again, again, said(CALL), again)
    assert isinstance(next_action(todo, Limits()), Settle)


@pytest.mark.parametrize(
    ("failures", "parks", "action"),
    [
        ([failed()], 0, Wait(0.5, 1, "It failed.")),
        ([failed()] * 2, 0, Wait(1.0, 2, "It failed.")),
        ([failed()] * (ATTEMPTS - 1), 0, Wait(4.0, ATTEMPTS - 1, "It failed.")),
        ([failed()] * ATTEMPTS, 0, Park(130.0, "It failed.")),
        ([failed()] * (ATTEMPTS_LATER - 1), 1, Wait(0.5, 1, "It failed.")),
        ([failed()] * ATTEMPTS_LATER, 1, Park(160.0, "It failed.")),
        ([failed()] * ATTEMPTS_LATER, 20, Park(100.0 + LONGEST_PARK_S, "It failed.")),
        ([failed(Trouble.WAIT, 429, 0.0)], 0, Wait(0.25, 1, "It failed.")),
        ([failed(Trouble.WAIT, 429, 7.0)], 0, Wait(7.25, 1, "It failed.")),
        ([failed(Trouble.WAIT, 429, LONGEST_WAIT_S)], 0, Wait(LONGEST_WAIT_S + 0.25, 1, "It failed.")),
        ([failed(Trouble.WAIT, 429, LONGEST_WAIT_S + 1)], 0, Park(101.55 + LONGEST_WAIT_S + 1, "It failed.")),
        ([failed(Trouble.WAIT, 429, 600.0)], 0, Park(730.0, "It failed.")),
        ([failed(Trouble.WAIT, 429, LONGEST_TOLD_S)], 0, Park(100 + LONGEST_TOLD_S * 1.05, "It failed.")),
        ([failed(Trouble.WAIT, 429, 7.0)] * ATTEMPTS, 0, Park(130.0, "It failed.")),
        ([failed(then="other")], 0, Wait(0.0, 0, "It failed.")),
        ([failed(Trouble.USER, 404, then="other")], 0, Wait(0.0, 0, "It failed.")),
        ([failed(then="other"), failed()], 0, Wait(0.5, 1, "It failed.")),
        ([failed(then="other")] * ATTEMPTS + [failed()], 0, Wait(0.5, 1, "It failed.")),
        ([failed(Trouble.WAIT, 429)], 0, Wait(0.5, 1, "It failed.")),
        ([failed(status=200)] * (BAD_REPLIES - 1), 0, Wait(2.0, BAD_REPLIES - 1, "It failed.")),
        ([failed(Trouble.USER, 401)], 0, Finish(End.FAILED, "It failed.")),
        ([failed(Trouble.BUG, 400)], 0, Finish(End.FAILED, "It failed.")),
        ([failed(Trouble.REFUSED)], 0, Finish(End.FAILED, "It failed.")),
        ([failed(Trouble.OVERFLOW, 400)], 0, Finish(End.FAILED, "It failed.")),
    ],
)
def test_after_failures(failures: list[Failed], parks: int, action: object) -> None:
    assert after_failure(failures, parks) == action


@pytest.mark.parametrize(
    ("failures", "parks"),
    [
        ([failed(status=200)] * BAD_REPLIES, 0),
        ([failed()] * ATTEMPTS, PARKS),
        ([failed(Trouble.WAIT, 429, LONGEST_TOLD_S + 1)], 0),
    ],
)
def test_trying_ends_some_time_with_a_sentence(failures: list[Failed], parks: int) -> None:
    action = after_failure(failures, parks)
    assert isinstance(action, Finish)
    assert action.end == End.FAILED
    assert len(action.reason) > len("It failed.")


def test_a_new_message_tries_at_once() -> None:
    todo = fold(ASKED, *[failed()] * ATTEMPTS, Parked(at=2, until=99, why="x"), ASKED)
    assert next_action(todo, Limits()) == Speak()


@pytest.mark.parametrize("parks", [0, 1, 5])
@pytest.mark.parametrize("place", [0.0, 0.5, 0.999])
def test_each_run_waits_on_its_own_place_and_never_less_than_it_was_told(place: float, parks: int) -> None:
    for count in (1, 2, 5):
        middle = after_failure([failed()] * count, parks)
        got = after_failure([failed()] * count, parks, place)
        assert type(got) is type(middle)
        if isinstance(got, Wait) and isinstance(middle, Wait):
            assert 0.75 * middle.seconds <= got.seconds < 1.25 * middle.seconds
        if isinstance(got, Park) and isinstance(middle, Park):
            assert 0.75 * (middle.until - 100) <= got.until - 100 < 1.25 * (middle.until - 100)
    told = after_failure([failed(Trouble.WAIT, 429, 7.0)], parks, place)
    assert isinstance(told, Wait)
    assert 7.0 <= told.seconds <= 7.5
    long = after_failure([failed(Trouble.WAIT, 429, 600.0)], parks, place)
    assert isinstance(long, Park)
    assert 700.0 <= long.until <= 760.0


def test_runs_that_failed_together_have_places_of_their_own() -> None:
    todos = [fold(Asked(at=1, text="go", author="t:7", ref=f"t:1:7:{n}")) for n in range(50)]
    places = [place_of(todo, 5) for todo in todos]
    assert all(0.0 <= place < 1.0 for place in places)
    assert len({int(place * 10) for place in places}) >= 8  # all over the range
    assert places == [place_of(todo, 5) for todo in todos]


@pytest.mark.parametrize(
    ("before", "newest", "plan"),
    [
        (0, failed(), (0.5, 2, ATTEMPTS)),
        (1, failed(), (1.0, 3, ATTEMPTS)),
        (ATTEMPTS - 2, failed(), (4.0, ATTEMPTS, ATTEMPTS)),
        (ATTEMPTS - 1, failed(), (None, 0, 0)),  # a park follows
        (0, failed(Trouble.USER, 401), (None, 0, 0)),
        (0, failed(then="other"), (None, 0, 0)),
        (0, failed(Trouble.WAIT, 429, 600.0), (None, 0, 0)),
    ],
)
def test_a_failure_is_recorded_with_the_try_that_follows_it(
    before: int, newest: Failed, plan: tuple[float | None, int, int]
) -> None:
    todo = fold(ASKED, *[failed()] * before)
    got = with_plan(todo, newest)
    again, attempt, attempts = plan
    assert (got.attempt, got.attempts) == (attempt, attempts)
    assert (got.again is None) is (again is None)
    if again is not None and got.again is not None:
        assert 0.75 * again <= got.again < 1.25 * again
        todo.fold(99, got)
        assert next_action(todo, Limits()) == Wait(got.again, attempt - 1, "It failed.")


def test_the_model_that_a_chat_chose_leads_from_its_next_leg_on() -> None:
    opened = Opened(at=1, prompt="", tools=(), model="m", panel="", day="", cwd="/", nonce="n")
    todo = fold(opened, ASKED, Commanded(at=2, command="model", by="t:7", value="big"))
    assert (todo.chosen, todo.led) == ("big", "")
    todo.fold(9, opened)
    assert todo.led == "big"
    todo.fold(10, Commanded(at=2, command="model", by="t:7", value=""))
    assert (todo.chosen, todo.led) == ("", "big")


def test_a_run_that_is_taken_up_again_keeps_its_goal() -> None:
    todo = fold(Asked(at=1, text="build the GREENHOUSE", author="t:7"), Ended(at=2, end=End.FAILED))
    todo.fold(3, Asked(at=3, text="Try again.", author="t:7", again=True))
    assert todo.goal == "build the GREENHOUSE"
