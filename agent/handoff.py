"""A handoff: the checkpoint that a leg leaves, and the next leg that starts from it with a fresh context."""

from __future__ import annotations

from dataclasses import replace

from agent.checkpoint import GOAL_KEPT, MOST, Checkpoint, for_model
from agent.edges import Place
from agent.messages import clip
from agent.room import UNBOUNDED, room_of, size_of
from agent.session import Session
from agent.shorter import SHORTER, too_long
from agent.steps import Handed, Opened
from agent.tiers import tier_for

DONE = 8  # commands that went well
ASKED_FOR = "person"
UNREAD = 12_000  # bytes of results that the next leg gets to read, at most


async def hand(session: Session, cause: str = "turns") -> None:
    """Write the checkpoint and open the next leg from it, as one append. cause: turns | context. Raises StoreError."""
    edges, todo = session.edges, session.todo
    now = edges.clock.now()
    workspace = todo.opened.workspace if todo.opened else todo.cwd
    place = Place(workspace, todo.cwd or workspace)
    opening = edges.leg(session.id, place, now, todo.chosen, _shorter(session))
    opening = replace(opening, goes_on=cause == "context")
    await session.record(left_behind(session, now, fresh=True, cause=cause, opening=opening), opening)


async def kept(session: Session) -> bool:
    """Keep a checkpoint because a person asked for one; False if nothing was asked yet. Raises StoreError."""
    if not session.todo.asked_seq:
        return False
    return await session.record(left_behind(session, session.edges.clock.now(), fresh=False, cause=ASKED_FOR))


def _shorter(session: Session) -> int:
    """The context in tokens for a leg after its model refused a request as too long, 0 = as known. The second time in
    a row nothing is put in that can be left out."""
    todo, window = session.todo, session.edges.window
    if not too_long(todo):
        return 0
    newest = todo.failures[-1]
    if newest.asked:
        window.heard(newest.model, session.history.size(), newest.asked)
    tokens = newest.asked or session.history.tokens()
    window.refused(newest.model, tokens, newest.limit)
    if todo.overflows >= SHORTER:
        return 1
    return newest.limit or max(tokens // 2, 1)


def left_behind(
    session: Session, now: float, *, fresh: bool, cause: str = "turns", opening: Opened | None = None
) -> Handed:
    """The checkpoint of the run as it stands, for a leg that begins with `opening`. Not `fresh`: only kept, so that one
    can go on from it later."""
    opened = opening or session.todo.opened
    checkpoint = _checkpoint(session, cause)
    if opened is None:
        limit, lines = UNBOUNDED, MOST
    else:
        limit, lines = room_of(opened).checkpoint, tier_for(opened.tier, opened.context).lines
    unread = session.history.unseen(min(limit // 2, UNREAD)) if fresh else ""
    text = for_model(checkpoint, limit - size_of(unread), lines)
    if unread:
        text = f"{text}\n\nYour newest calls and their results, not read yet:\n{unread}"
    state = session.ledger.snapshot()
    return Handed(at=now, checkpoint=checkpoint.to_json(), text=text, state=state, fresh=fresh, cause=cause)


def _checkpoint(session: Session, cause: str) -> Checkpoint:
    todo, ledger = session.todo, session.ledger
    return Checkpoint(
        number=todo.checkpoints + 1,
        goal=clip(todo.goal, GOAL_KEPT),
        turns=todo.turns,
        limit=session.edges.limits.turns,
        done=tuple(ran.line for ran in ledger.commands if ran.exit_code == 0)[-DONE:],
        remaining=ledger.remaining(),
        failed=tuple(approach.line for approach in ledger.approaches()),
        facts=tuple(f"{name}: {value}" for name, value in ledger.facts.items()),
        errors=tuple(error.line for error in ledger.errors_open()),
        files=tuple(f"{path} {digest[:12]}".rstrip() for path, digest in ledger.files.items()),
        commands=tuple(ran.line for ran in ledger.commands),
        talk=session.history.talk(),
        said=todo.spoke.text if todo.spoke else "",
        progress=bool(ledger.new_in_leg()),
        cause=cause,
    )
