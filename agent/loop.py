"""The loop of a run: look at what is left, do the one next thing, record it, look again.

Recovery, steering and limits are not in here: they are folds (`resume`, `relay`), so that this file stays small.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace

from agent.actions import Action, Answer, Drop, Finish, Hand, Park, Rest, Settle, Speak, Wait
from agent.answering import answer
from agent.backoff import with_plan
from agent.dropping import drop
from agent.handoff import hand, left_behind
from agent.offering import offer
from agent.ports import Delta
from agent.relay import next_action
from agent.resume import Todo
from agent.session import Session
from agent.settle import cancelled, settle
from agent.steps import End, Ended, Failed, Parked, Said
from agent.writing import written

LEAVES_A_CHECKPOINT = (End.UNRESOLVED, End.BLOCKED, End.LIMIT)


async def run(session: Session, draining: asyncio.Event) -> None:
    """Work until the run has ended, waits for somebody, or `draining` is set at a step border. Raises StoreError."""
    while not draining.is_set() and not isinstance(action := _next(session), Rest):
        match action:
            case Speak():
                await speak(session)
            case Settle(open_call):
                await settle(session, open_call)
            case Answer(looking):
                await answer(session, looking)
            case Wait(seconds=seconds):
                await session.edges.clock.sleep(seconds)
                await speak(session)
            case Park(until, why, causes):
                await session.record(Parked(at=session.edges.clock.now(), until=until, why=why, causes=causes))
            case Hand(cause):
                await hand(session, cause)
            case Drop():
                await drop(session)
            case Finish(end, reason, causes):
                await finish(session, Ended(at=session.edges.clock.now(), end=end, reason=reason, causes=causes))


def _next(session: Session) -> Action:
    return next_action(session.todo, session.edges.limits, session.standing)


async def speak(session: Session) -> None:
    """Ask the model once and record what came of it."""
    edges = session.edges
    await offer(session)
    async with edges.slots.one(lambda ahead: session.on_delta(session.id, Delta(ahead=ahead))):
        request = session.history.request()
        edges.reach("K4")
        async with aclosing(edges.speaker(session.todo.led).reply(request.messages, request.tools)) as reply:
            async for part in reply:
                match part:
                    case Delta():
                        edges.reach("K5")
                        session.on_delta(session.id, part)
                    case Said():
                        edges.reach("K6")
                        await written(session, replace(part, upto=request.upto, text=edges.screen.text(part.text)))
                    case Failed():
                        session.on_delta(session.id, Delta(restart=True))
                        await session.record(with_plan(session.todo, part))


async def finish(session: Session, ended: Ended) -> None:
    """End the run, its open calls cancelled in the same append, unless something was said meanwhile."""
    heard = session.todo.heard

    def still(todo: Todo) -> bool:
        return todo.running and todo.heard == heard

    kept = [left_behind(session, ended.at, fresh=False)] if ended.end in LEAVES_A_CHECKPOINT else []
    await session.record(*cancelled(session.todo, ended.at), *kept, ended, when=still)
