"""What to do after a model attempt failed: wait, park or give up. Pure.

Before a model is asked again: 0.5 s, doubling. A refusal that names its own time is waited for in the open up to half a
minute; whatever takes longer is a park, which holds no task and survives a restart. Each run falls on its own place in
the allowed range, so that runs that failed together don't come back together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from zlib import crc32

from agent.actions import Action, Drop, Finish, Park, Wait
from agent.causes import Cause, also, because
from agent.resume import Todo
from agent.steps import End, Failed, Trouble
from agent.why import Why

ATTEMPTS = 5  # in a row before a run parks
ATTEMPTS_LATER = 2  # ... and after it was parked already
BAD_REPLIES = 4  # replies in a row that say nothing usable before a run ends
LONGEST_WAIT_S = 30.0
FIRST_PARK_S = 30.0
LONGEST_PARK_S = 300.0
LONGEST_TOLD_S = 86_400.0  # a provider that asks for more than a day isn't waited for
PARKS = 150  # about half a day of an unreachable model
APART = 0.25  # of a wait, to either side
LATE_S = 0.5  # after the time that a provider named; and of a long one
LATE = 0.1
OVERDUE_S = 10.0  # within which the overdue ones come


def after_failure(failures: Sequence[Failed], parks: int, place: float = 0.5) -> Action:
    """What to do after `failures` in a row, the newest last, and `parks` without a reply in between. `place` in [0, 1)
    is where in the allowed range this run's wait falls."""
    newest, count = failures[-1], sum(not failed.then for failed in failures)
    if newest.then:
        return Wait(0.0, count, newest.text)
    if newest.trouble is Trouble.TOOLS:
        return Drop()
    if newest.trouble not in (Trouble.RETRY, Trouble.WAIT):
        return _failed(newest)
    if newest.retry_after is not None and newest.retry_after > LONGEST_WAIT_S:
        return _told_long(newest, newest.retry_after, place)
    if newest.status == 200 and count >= BAD_REPLIES:
        return _failed(newest, because(Why.ASKED_TIMES, count))
    if count >= attempts(parks):
        return _park(newest, parks, place)
    if newest.retry_after is not None:
        return Wait(newest.retry_after + place * LATE_S, count, newest.text)
    return Wait(_apart(0.5 * 2.0 ** (count - 1), place), count, newest.text)


def attempts(parks: int) -> int:
    """How many tries in a row there are before a run parks (again)."""
    return ATTEMPTS if parks == 0 else ATTEMPTS_LATER


def with_plan(todo: Todo, failed: Failed) -> Failed:
    """The newest failure as it is recorded: with the next try that follows it, if one does without a park."""
    failures = [*todo.failures, failed]
    match after_failure(failures, todo.parks, place_of(todo, len(failures))):
        case Wait(seconds=seconds, attempt=attempt) if not failed.then:
            return replace(failed, again=seconds, attempt=attempt + 1, attempts=attempts(todo.parks))
    return failed


def place_of(todo: Todo, failures: int) -> float:
    """The run's place after so many failures: any in [0, 1), but always the same for the same run."""
    run = f"{todo.asked.ref if todo.asked else ''}:{todo.opened.nonce if todo.opened else ''}:{todo.asked_seq}"
    return crc32(f"{run}:{failures}:{todo.parks}".encode()) / 2.0**32


def wakes_in(todo: Todo, left: float) -> float:
    """Seconds until a park ends that has `left` to go; those whose time came while we were away fall apart."""
    return left if left > 0 else place_of(todo, 0) * OVERDUE_S


def _told_long(newest: Failed, seconds: float, place: float) -> Park | Finish:
    if seconds > LONGEST_TOLD_S:
        return _failed(newest, because(Why.DAYS, round(seconds / 86_400.0)))
    return Park(newest.at + seconds + place * max(LATE_S, LATE * seconds), newest.text, newest.causes)


def _park(newest: Failed, parks: int, place: float) -> Park | Finish:
    if parks >= PARKS:
        return _failed(newest, because(Why.FOR_HOURS))
    longer = min(FIRST_PARK_S * 2.0 ** min(parks, 10), LONGEST_PARK_S)
    return Park(newest.at + _apart(longer, place), newest.text, newest.causes)


def _failed(newest: Failed, *more: Cause) -> Finish:
    return Finish(End.FAILED, " ".join([newest.text, *map(str, more)]), also(newest.causes, *more))


def _apart(seconds: float, place: float) -> float:
    return seconds * (1.0 - APART + 2.0 * APART * place)
