"""What is kept of a session beside its steps, so that no list of sessions needs a walk over the journal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from agent.steps import Asked, Ended, Step
from agent.store.codec import plain

TITLE = 60  # characters of the first message (SPEC A8)


class Head(NamedTuple):
    """A fold of the steps. `asked` is when the newest run was asked for, None once it ended; times are wall time. `run`
    is the step that began it, `person` who did."""

    seq: int = 0
    asked: float | None = None
    title: str = ""
    created: float = 0.0
    updated: float = 0.0
    run: int = 0
    person: str = ""


def advance(head: Head, steps: Iterable[Step]) -> Head:
    """The head after these steps: an Asked opens a run, an Ended closes it."""
    seq, asked, title, created, updated, run, person = head
    for step in steps:
        seq += 1
        updated = step.at
        if seq == 1:
            created = step.at
        match step:
            case Asked():
                if asked is None:
                    asked, run, person = step.at, seq, plain(step.author)
                title = title or plain(step.text[:TITLE])
            case Ended():
                asked = None
            case _:
                pass
    return Head(seq, asked, title, created, updated, run, person)
