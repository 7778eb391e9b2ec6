"""What comes next in a run, with its limits: pure, from the fold of the journal to one action.

Back-off before a model is asked again: 0.5 s, doubling. A refusal that names its own time is waited for in the open up
to half a minute; whatever takes longer is a park, which holds no task and survives a restart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from agent.resume import OpenCall, Todo
from agent.steps import End, Failed, Looking, Trouble

ATTEMPTS = 5  # in a row before a run parks
BAD_REPLIES = 4  # replies in a row that say nothing usable before a run ends
LONGEST_WAIT_S = 30.0
FIRST_PARK_S = 30.0
LONGEST_PARK_S = 900.0
PARKS = 50  # about half a day of an unreachable model
RESTARTS = 3  # without a reply in between


@dataclass(frozen=True, slots=True)
class Speak:
    """Ask the model."""


@dataclass(frozen=True, slots=True)
class Settle:
    """Bring this call one step nearer to its result."""

    open_call: OpenCall


@dataclass(frozen=True, slots=True)
class Answer:
    """Ask the probe."""

    looking: Looking


@dataclass(frozen=True, slots=True)
class Wait:
    """Try again after `seconds`; the run's task sleeps. `attempt` tries have failed."""

    seconds: float
    attempt: int
    why: str


@dataclass(frozen=True, slots=True)
class Park:
    """Try again at wall time `until`; no task is held."""

    until: float
    why: str


@dataclass(frozen=True, slots=True)
class Finish:
    """End the run."""

    end: End
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Rest:
    """Nothing to do until somebody speaks, decides or a timer fires."""


Action = Union[Speak, Settle, Answer, Wait, Park, Finish, Rest]


@dataclass(frozen=True, slots=True)
class Limits:
    """`turns` is the number of model replies in a leg."""

    turns: int = 20


def next_action(todo: Todo, limits: Limits) -> Action:
    """The one thing to do now."""
    if not todo.running:
        return Rest()
    if todo.halt is not None:
        return Finish(End.UNRESOLVED, todo.halt)
    if todo.restarts > RESTARTS:
        return Finish(End.FAILED, _QUARANTINED)
    if todo.paused or todo.parked or todo.waits_for_decision:
        return Rest()
    if todo.looks:
        return Answer(next(iter(todo.looks.values())))
    if todo.calls:
        return Settle(next(iter(todo.calls.values())))
    if not todo.unanswered and todo.spoke and not todo.spoke.calls:
        return Finish(End.ANSWERED)
    if todo.turns >= limits.turns:
        return Finish(End.LIMIT, f"All {limits.turns} turns are used. Write to me to go on from here.")
    if todo.failures:
        return after_failure(todo.failures, todo.parks)
    return Speak()


_QUARANTINED = (
    "This run was interrupted by a crash more than three times without getting anywhere, so I don't start it again. "
    "Write to me to go on."
)


def after_failure(failures: list[Failed], parks: int) -> Action:
    """What to do after `failures` in a row, the newest last, and `parks` without a reply in between."""
    newest, count = failures[-1], len(failures)
    if newest.trouble not in (Trouble.RETRY, Trouble.WAIT):
        return Finish(End.FAILED, newest.text)
    if newest.retry_after is not None and newest.retry_after > LONGEST_WAIT_S:
        return Park(newest.at + newest.retry_after, newest.text)
    if newest.status == 200 and count >= BAD_REPLIES:
        return Finish(End.FAILED, f"{newest.text} I asked {count} times.")
    if count >= ATTEMPTS and parks >= PARKS:
        return Finish(End.FAILED, f"{newest.text} I kept trying for hours and stop now. Write to me to try again.")
    if count >= ATTEMPTS:
        return Park(newest.at + min(FIRST_PARK_S * 2.0**parks, LONGEST_PARK_S), newest.text)
    backoff = 0.5 * 2.0 ** (count - 1)
    return Wait(backoff if newest.retry_after is None else newest.retry_after, count, newest.text)
