"""What to do after a provider refused a request for its length. Pure."""

from __future__ import annotations

from agent.actions import Finish, Hand, end
from agent.causes import because
from agent.resume import Todo
from agent.steps import End, Trouble
from agent.why import Why

SHORTER = 2  # times that a refused request is made shorter, the last time as short as it gets


def too_long(todo: Todo) -> bool:
    """Whether the newest request was refused for that."""
    return bool(todo.failures) and todo.failures[-1].trouble is Trouble.OVERFLOW


def after_overflow(todo: Todo) -> Finish | Hand:
    """Begin a leg anew from a checkpoint, or say what a person has to mend."""
    if todo.overflows <= SHORTER:
        return Hand("context")
    newest = todo.failures[-1]
    small = because(Why.TOO_SMALL, newest.model)
    if newest.limit:
        small = because(Why.HOLDS_TOO_LITTLE, newest.model, newest.limit)
    return end(End.FAILED, small, because(Why.ENLARGE))
