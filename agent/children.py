"""Child sessions: opened by the call that spawns one, driven by the hub like any other, waited for by that call.

Recovery needs nothing of its own: the parent's call is settled again, finds its child by name, and goes on waiting.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from agent.child import beginning, edges_of, outcome_of
from agent.decisions import withdrawal
from agent.guards._standing import Standing
from agent.legs import stopped
from agent.lineage import child_of, parent_of
from agent.ports import Errand, Result
from agent.session import Session
from agent.settle import context
from agent.steps import Asked, Corrected, Ended, Resumed, Step

if TYPE_CHECKING:
    from agent.hub import Hub


OPENS_S = 5.0  # within which a parent's call has opened its child again
LOOK_S = 0.02


class Child(Session):
    """A session that works for one call of its parent. `ended` is set when its run is over."""

    def __init__(self, hub: Hub, parent: Session, call_id: str, errand: Errand, spent: Sequence[Step]) -> None:
        """`spent` are the parent's steps up to now. Raises ToolError for an errand that can't be."""
        edges, name = edges_of(parent.edges, errand, spent), child_of(parent.id, call_id)
        super().__init__(name, edges, hub.boot, [*hub.watchers, self._ring])
        self.within = (parent.id, context(parent, call_id).run)
        self.ended = asyncio.Event()
        self.on_delta = hub.on_delta

    def _ring(self, session: str, seq: int, step: Step) -> None:
        if isinstance(step, Ended):
            self.ended.set()


async def spawn(hub: Hub, parent: Session, call_id: str, errand: Errand) -> Result:
    """Run the call's child to its end, or go on with it. Raises ToolError for an errand that can't be, StoreError,
    CancelledError when this process is told to end: the call then stays open."""
    name = child_of(parent.id, call_id)
    known = hub.session(name)
    before = [step for _, step in await parent.edges.journal.read(parent.id)]
    child = known if isinstance(known, Child) else Child(hub, parent, call_id, errand, before)
    await child.open()
    if not child.todo.asked_seq:
        standing = Standing()
        for step in before:
            standing.fold(step)
        await child.record(*beginning(parent, child, standing, errand.task))
    elif child.todo.running and child is not known and not child.todo.rests:
        await child.record(Resumed(at=parent.edges.clock.now(), cause="restart"))
    if child.todo.running:
        await _until_ended(hub, child)
    return outcome_of(await parent.edges.journal.read(name))


async def _until_ended(hub: Hub, child: Child) -> None:
    task, draining = hub.adopt(child)
    waits = [asyncio.create_task(each.wait()) for each in (child.ended, draining)]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waits:
            each.cancel()
    if not child.ended.is_set():
        if task:
            await asyncio.wait([task])
        raise asyncio.CancelledError


async def is_open(hub: Hub, session_id: str) -> bool:
    """Whether the session can be commanded. A child only once its parent's call has opened it, and after a start that
    call is waited for."""
    parent, waited = parent_of(session_id), 0.0
    while parent and hub.session(session_id) is None:
        todo = hub.todo(parent)
        if todo is None or not todo.spawning or waited >= OPENS_S:
            return False
        waited += LOOK_S
        await hub.edges.clock.sleep(LOOK_S)
    return True


def children_of(hub: Hub, session_id: str) -> list[str]:
    """The children of a session that go on."""
    return [name for name in hub.running() if parent_of(name) == session_id]


async def withdraw(hub: Hub, session_id: str, asked: Asked | Corrected) -> None:
    """What is said to a parent withdraws a question that its child has open, and is the answer to it. Raises
    StoreError."""
    for name in children_of(hub, session_id):
        child = hub.session(name)
        if isinstance(child, Child) and (words := withdrawal(child.todo, asked)):
            await child.record(*words, when=lambda todo: todo.waits_for_decision is not None)
            hub.adopt(child)


async def bury(hub: Hub, unfinished: Iterable[str]) -> list[str]:
    """At a start: end the children whose parents have ended without them; returns the unfinished sessions that are no
    children, for a child is opened by its parent's call. Raises StoreError."""
    sessions = list(unfinished)
    for name in sessions:
        if (parent := parent_of(name)) and parent not in sessions:
            child, now = Session(name, hub.edges, hub.boot, ()), hub.edges.clock.now()
            await child.open()
            await child.record(*stopped(child.todo, now, "restart"))
    return [name for name in sessions if not parent_of(name)]
