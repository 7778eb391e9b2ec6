"""bot.pace: no schedule, however unkind, makes us break a limit, and nobody waits longer than a limit asks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.pace import SLACK, Pace
from bot.underway import LOST_S, Underway

EPSILON = 1e-4
WHOLE = 1 + SLACK  # seconds that the thirty over all chats are counted over


def call(pace: Pace, chat: str, now: float) -> float:
    """Wait as a sender does; returns the moment of the call."""
    now += pace.delay(chat, now)
    return now + pace.take(chat, now)


def busiest(moments: list[float], span: float) -> int:
    """The most calls in any half-open window of `span` seconds."""
    moments = sorted(moments)
    return max((sum(start <= m < start + span - EPSILON for m in moments) for start in moments), default=0)


@pytest.mark.parametrize(
    ("nth", "at"),
    [(1, 0), (2, 0), (3, 0), (4, 3 + SLACK), (5, 3 + SLACK), (6, 3 + SLACK), (7, 6 + 2 * SLACK)],
)
def test_a_chat_gets_three_in_three_seconds(nth: int, at: float) -> None:
    pace = Pace()
    moments: list[float] = []
    for _ in range(nth):
        moments.append(call(pace, "7", moments[-1] if moments else 0.0))
    assert moments[-1] == pytest.approx(at)


@pytest.mark.parametrize(("chat", "nth", "early"), [("-100", 20, True), ("-100", 21, False), ("100", 21, True)])
def test_only_groups_are_held_to_twenty_a_minute(chat: str, nth: int, early: bool) -> None:
    pace, now = Pace(), 0.0
    for _ in range(nth):
        now = call(pace, chat, now)
    assert (now < 60) == early


@pytest.mark.parametrize(
    ("own", "others", "idle"),
    [
        (0, 0, True),
        (1, 0, True),
        (2, 0, False),
        (3, 0, False),
        (0, 14, True),
        (0, 15, False),
        (1, 13, True),
        (1, 14, False),
    ],
)
def test_what_could_be_left_out_leaves_room_for_the_rest(own: int, others: int, idle: bool) -> None:
    pace = Pace()
    for n in range(own + others):
        chat = "7" if n < own else f"1{n}"
        assert pace.take(chat, 0.0) == pace.make(0.0) == 0
    assert (pace.idle("7", 0.0) == 0) == idle
    assert pace.idle("7", 10.0) == 0
    assert pace.idle("7", 0.0) >= pace.spare("7", 0.0)


def test_the_thirty_first_chat_waits_until_the_first_of_them_is_long_past() -> None:
    pace = Pace()
    waits = [pace.take(str(n), 0.0) for n in range(61)]
    assert [waits[i] for i in (0, 29, 30, 59, 60)] == pytest.approx([0, 0, WHOLE, WHOLE, 2 * WHOLE])


def test_calls_that_are_late_together_are_spread_again() -> None:
    pace = Pace()
    for n in range(90):
        pace.take(str(n), 0.0)
    now, made = 9.0, []  # the loop stood still for nine seconds: all ninety wake at once
    while len(made) < 90:
        if wait := pace.make(now):
            now += wait
        else:
            made.append(now)
            pace.done(str(len(made) - 1), now, now)
    assert busiest(made, WHOLE) == 30
    assert made[-1] == pytest.approx(9 + 2 * WHOLE)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 0.05), st.floats(0, 4), st.floats(0, 1)), min_size=40, max_size=120))
def test_wherever_on_its_way_a_call_is_counted_there_are_no_more_than_thirty(
    ways: list[tuple[float, float, float]],
) -> None:
    """Each call comes some time after the one before, takes a while, and is counted at some point of that."""
    pace, now = Underway(30, 1.0), 0.0
    ends: list[tuple[float, float]] = []
    counted = []
    for gap, takes, where in ways:
        now += gap
        while True:
            for end, made in sorted(each for each in ends if each[0] <= now):
                pace.done(made, end)
                ends.remove((end, made))
            if not (wait := pace.wait(now)):
                break
            now += wait
        pace.make(now)
        ends.append((now + takes, now))
        counted.append(now + takes * where)
    assert busiest(counted, 1.0) <= 30


def test_a_call_that_never_comes_back_holds_up_nobody_for_long() -> None:
    calls = Underway(2, 1.0)
    calls.make(0.0)
    calls.make(0.0)
    assert calls.wait(0.0) > 0
    assert calls.wait(LOST_S - 0.01) > 0
    assert calls.wait(LOST_S) == 0
    calls.done(0.0, LOST_S + 1)  # late, and no longer waited for
    assert calls.wait(LOST_S + 1) == 0


def test_a_slow_call_counts_for_its_chat_from_when_it_is_back() -> None:
    pace = Pace()
    for at in (0.0, 0.1, 0.2):
        assert pace.take("7", at) == 0
        pace.done("7", at, at + 0.05 if at < 0.2 else 5.0)
    assert pace.delay("7", 5.0) == 0
    pace.take("7", 5.0)
    assert pace.delay("7", 6.0) == 0
    pace.take("7", 6.0)
    assert pace.delay("7", 7.0) == pytest.approx(1 + SLACK)


def test_a_call_that_is_made_as_booked_and_is_soon_back_waits_no_more() -> None:
    pace, now = Pace(), 0.0
    for n in range(40):
        at = now + pace.take(str(n), now)
        assert pace.make(at) == 0
        pace.done(str(n), at, at)


def test_an_edit_has_no_turn_while_messages_have_booked_theirs() -> None:
    pace = Pace()
    for n in range(19):
        pace.take(str(n), 0.0)
    assert pace.spare("x", 0.0) == 0  # a third of the limit is left
    pace.take("19", 0.0)
    assert pace.spare("x", 0.0) == pytest.approx(WHOLE)
    assert pace.spare("x", WHOLE) == 0


def test_taking_a_turn_before_the_chat_may_is_an_error() -> None:
    pace = Pace()
    for _ in range(3):
        pace.take("7", 0.0)
    with pytest.raises(ValueError, match="own limits"):
        pace.take("7", 0.5)


def test_chats_that_went_quiet_are_forgotten() -> None:
    pace = Pace()
    for n in range(3000):
        call(pace, f"-{n}", n * 10.0)
    assert len(pace._chats) <= 1000


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["1", "2", "-1", *map(str, range(10, 45))]), st.sampled_from([0, 0, 0, 0.01, 0.3, 2])
        ),
        max_size=250,
    )
)
def test_no_schedule_breaks_a_limit(asks: list[tuple[str, float]]) -> None:
    pace, clock = Pace(), 0.0
    free: dict[str, float] = {}  # a chat's worker asks for one turn at a time
    made: dict[str, list[float]] = {}
    wanted = []
    for chat, gap in asks:
        clock += gap
        wanted.append((clock, chat))
    pending = sorted(wanted)
    while pending:
        at, chat = pending.pop(0)
        ready = max(at, free.get(chat, 0.0))
        ready += pace.delay(chat, ready)
        if ready > at:
            pending.append((ready, chat))
            pending.sort()
            continue
        free[chat] = at + pace.take(chat, at)
        made.setdefault(chat, []).append(free[chat])
    assert sum(map(len, made.values())) == len(asks)
    assert busiest([m for moments in made.values() for m in moments], 1.0) <= 30
    for chat, moments in made.items():
        assert busiest(moments, 3.0) <= 3
        if chat.startswith("-"):
            assert busiest(moments, 60.0) <= 20


@pytest.mark.parametrize(("made", "delay", "kept"), [(1, 0, 0), (2, 0, 3.0 + SLACK), (3, 3.0 + SLACK, 3.0 + SLACK)])
def test_progress_leaves_room_for_the_answer_behind_it(made: int, delay: float, kept: float) -> None:
    pace = Pace()
    for _ in range(made):
        pace.take("7", 0.0)
    assert pace.delay("7", 0.0) == pytest.approx(delay)
    assert pace.spare("7", 0.0, keep=1) == pytest.approx(kept)
