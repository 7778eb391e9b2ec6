"""What comes next in a run, with its limits: pure, from the fold of the journal to one action."""

from __future__ import annotations

from dataclasses import dataclass

from agent.actions import Action, Answer, Finish, Hand, Rest, Settle, Speak, end
from agent.backoff import after_failure, place_of
from agent.barren import Stuck
from agent.causes import because, within
from agent.resume import Todo
from agent.shorter import after_overflow, too_long
from agent.steps import End
from agent.verdict import OVER_BUDGET
from agent.why import Why

RESTARTS = 3  # without a reply in between


@dataclass(frozen=True, slots=True)
class Limits:
    """`turns` is the number of model replies in a leg, `handoffs` the number of legs that follow by themselves."""

    turns: int = 20
    handoffs: int = 5


@dataclass(frozen=True, slots=True)
class Standing:
    """How a run stands: its open errors in words, whether this leg has got anywhere, whether its context is used up,
    and what brings nothing new in message after message."""

    errors: tuple[str, ...] = ()
    progress: bool = True
    full: bool = False  # the next request would be too long, and a handoff would help
    stuck: Stuck | None = None


def next_action(todo: Todo, limits: Limits, standing: Standing = Standing()) -> Action:
    """The one thing to do now."""
    if not todo.running:
        return Rest()
    if todo.halt is not None:
        how = End.LIMIT if todo.halt.event == OVER_BUDGET else End.UNRESOLVED
        return Finish(how, todo.halt.text, within(todo.halt.data))
    if todo.restarts > RESTARTS:
        return end(End.FAILED, because(Why.QUARANTINED))
    if todo.rests:
        return Rest()
    if todo.looks:
        return Answer(next(iter(todo.looks.values())))
    if todo.calls:
        return Settle(next(iter(todo.calls.values())))
    if not todo.unanswered and todo.spoke and (todo.ending or not todo.spoke.calls):
        return _answered(todo, limits, standing)
    if todo.turns >= limits.turns or (standing.stuck and standing.stuck.at_once and not todo.unanswered):
        return _at_limit(todo, limits, standing)
    if todo.failures:
        place = place_of(todo, len(todo.failures))
        return after_overflow(todo) if too_long(todo) else after_failure(todo.failures, todo.parks, place)
    return Hand("context") if standing.full else Speak()


def _answered(todo: Todo, limits: Limits, standing: Standing) -> Finish:
    """A final text is an answer, unless errors are open or it came on a leg's last turn, and the gate didn't find it
    clean (SPEC A3)."""
    if todo.ending and todo.ending.ends not in (None, End.ANSWERED):
        return Finish(todo.ending.ends, todo.ending.details)
    if todo.cleared:
        return Finish(End.ANSWERED)
    if standing.errors:
        return _stuck(standing.stuck) if standing.stuck else _unresolved(Why.OPEN_ERROR, standing.errors[-1])
    if todo.turns >= limits.turns > 1:
        return _unresolved(Why.LAST_TURN, limits.turns)
    return Finish(End.ANSWERED)


def _at_limit(todo: Todo, limits: Limits, standing: Standing) -> Finish | Hand:
    if standing.stuck:
        return _stuck(standing.stuck)
    if not standing.progress:
        return _unresolved(Why.NOTHING_NEW, limits.turns)
    if todo.handoffs < limits.handoffs:
        return Hand()
    return end(End.LIMIT, because(Why.TURNS_USED, limits.turns, todo.handoffs + 1))


def _unresolved(why: Why, what: str | int) -> Finish:
    return end(End.UNRESOLVED, because(why, what))


def _stuck(stuck: Stuck) -> Finish:
    return Finish(End.UNRESOLVED, stuck.told, stuck.causes)
