"""Whether a new leg has to open before a run begins, and the steps that close a run which can't end by itself."""

from __future__ import annotations

from dataclasses import replace

from agent.causes import because, dump, english
from agent.edges import Place
from agent.resume import Todo
from agent.session import Session
from agent.settle import cancelled
from agent.steps import Commanded, End, Ended, Opened, Step
from agent.why import Why


def opening(session: Session, place: Place) -> list[Opened]:
    """A new leg's Opened where its prefix would differ from the current one (a new day, model, tool, prompt)."""
    edges, todo = session.edges, session.todo
    now, opened = edges.clock.now(), todo.opened
    if opened is not None:
        same = edges.leg(session.id, replace(place, cwd=opened.cwd), now, todo.chosen)
        if replace(same, at=opened.at) == opened:
            return []
    return [edges.leg(session.id, replace(place, cwd=todo.cwd or place.cwd), now, todo.chosen)]


def stopped(todo: Todo, at: float, by: str) -> list[Step]:
    """A person stopped it."""
    return [Commanded(at=at, command="stop", by=by), *cancelled(todo, at), Ended(at=at, end=End.STOPPED)]


def broken(todo: Todo, at: float, error: Exception) -> list[Step]:
    """A bug of ours."""
    why = because(Why.BROKEN, type(error).__name__)
    return [*cancelled(todo, at), Ended(at=at, end=End.FAILED, reason=english(why), causes=dump(why))]
