"""The things that a run can do next: a closed union."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from agent.causes import Cause, dump, english
from agent.resume import OpenCall
from agent.steps import End, Looking


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
    """Try again at wall time `until`; no task is held. `causes` is `why` as JSON text."""

    until: float
    why: str
    causes: str = ""


@dataclass(frozen=True, slots=True)
class Finish:
    """End the run. `causes` is the reason as JSON text."""

    end: End
    reason: str = ""
    causes: str = ""


@dataclass(frozen=True, slots=True)
class Hand:
    """Write a checkpoint and go on from it with a fresh context. cause: turns | context, as in Handed."""

    cause: str = "turns"


@dataclass(frozen=True, slots=True)
class Drop:
    """Find out which tool the provider refused, and leave it out."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Nothing to do until somebody speaks, decides or a timer fires."""


def end(how: End, *causes: Cause) -> Finish:
    """The end for these causes."""
    return Finish(how, english(*causes), dump(*causes))


Action = Union[Speak, Settle, Answer, Wait, Park, Finish, Hand, Drop, Rest]
