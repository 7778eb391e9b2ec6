"""What to do after a provider refused a request for its length. Pure."""

from __future__ import annotations

from agent.actions import Finish, Hand
from agent.resume import Todo
from agent.steps import End, Trouble

SHORTER = 2  # times that a refused request is made shorter, the last time as short as it gets


def too_long(todo: Todo) -> bool:
    """Whether the newest request was refused for that."""
    return bool(todo.failures) and todo.failures[-1].trouble is Trouble.OVERFLOW


def after_overflow(todo: Todo) -> Finish | Hand:
    """Begin a leg anew from a checkpoint, or say what a person has to mend."""
    if todo.overflows <= SHORTER:
        return Hand("context")
    newest = todo.failures[-1]
    holds = f" holds {newest.limit} tokens and" if newest.limit else ""
    return Finish(
        End.FAILED,
        f"Even the shortest request doesn't fit: the context of the model {newest.model}{holds} is too small for my "
        "instructions and tools. Start its server with a larger context or choose another model, and set "
        "JARVIS_MODEL__CONTEXT_TOKENS to what it really holds.",
    )
