"""What people decide about a run, as steps: approvals, their expiry and withdrawal, and the mode in force. Pure."""

from __future__ import annotations

from collections.abc import Callable

from agent.causes import because, dump, english
from agent.resume import Todo
from agent.steps import Asked, Commanded, Corrected, Decided, Parked, Step
from agent.why import Why

APPROVAL_S = 900.0  # a decision nobody makes expires after this

Temporary = tuple[str, float | None]  # a mode and the wall time at which it ends, None: when somebody ends it


def waits_for(call_id: str) -> Callable[[Todo], bool]:
    """Whether a run still waits for a decision about this call."""

    def waits(todo: Todo) -> bool:
        item = todo.waits_for_decision
        return item is not None and item.call.id == call_id

    return waits


def expired(call_id: str) -> Callable[[Todo], bool]:
    """Whether the question about this call is open, but nobody answered it in time."""

    def has(todo: Todo) -> bool:
        item = todo.calls.get(call_id)
        return item is not None and item.decided is not None and item.decided.verdict == "expired"

    return has


def pausing(now: float, by: str, on: bool) -> tuple[list[Step], Callable[[Todo], bool]]:
    """The step that pauses a run or lets it go on, and whether that changes anything."""
    command = "pause" if on else "resume"
    return [Commanded(at=now, command=command, by=by)], lambda todo: todo.running and todo.paused != on


def decision(now: float, call_id: str, verdict: str, by: str, reason: str) -> list[Step]:
    """The steps of a decision; an expiry parks the run, too."""
    steps: list[Step] = [Decided(at=now, call_id=call_id, verdict=verdict, by=by, reason=reason)]
    if verdict == "expired":
        why = because(Why.NOBODY_DECIDED)
        steps.append(Parked(at=now, until=None, why=english(why), causes=dump(why)))
    return steps


def withdrawal(todo: Todo, asked: Asked | Corrected) -> list[Step]:
    """An ordinary message, or an edit, withdraws an open question and never approves it; the model reads the words."""
    item = todo.waits_for_decision
    if item is None:
        return []
    return [Decided(at=asked.at, call_id=item.call.id, verdict="withdrawn", by=asked.author, reason=asked.text)]


def mode_change(todo: Todo, standing: str, temporary: Temporary | None, now: float, by: str) -> list[Step]:
    """What a session must be told so that it knows the mode in force; nothing if it does."""
    value, until = temporary or (standing, None)
    told = todo.mode
    if (told is None and temporary is None) or (told and (told.value, told.until) == (value, until)):
        return []
    return [Commanded(at=now, command="mode", by=by, value=value, until=until)]
