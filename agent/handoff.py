"""A handoff: the checkpoint that a leg leaves, and the next leg that starts from it with a fresh context."""

from __future__ import annotations

from agent.checkpoint import Checkpoint, for_model
from agent.edges import Place
from agent.session import Session
from agent.steps import Handed

DONE = 8  # commands that went well


async def hand(session: Session) -> None:
    """Write the checkpoint and open the next leg from it, as one append. Raises StoreError."""
    edges, todo = session.edges, session.todo
    now = edges.clock.now()
    workspace = todo.opened.workspace if todo.opened else todo.cwd
    opening = edges.leg(session.id, Place(workspace, todo.cwd or workspace), now, todo.chosen)
    await session.record(left_behind(session, now, fresh=True), opening)


def left_behind(session: Session, now: float, *, fresh: bool) -> Handed:
    """The checkpoint of the run as it stands. Not `fresh`: only kept, so that one can go on from it later."""
    todo, ledger = session.todo, session.ledger
    checkpoint = Checkpoint(
        number=todo.handoffs + 1,
        goal=todo.goal,
        turns=todo.turns,
        limit=session.edges.limits.turns,
        done=tuple(ran.line for ran in ledger.commands if ran.exit_code == 0)[-DONE:],
        failed=tuple(approach.line for approach in ledger.approaches()),
        facts=tuple(f"{name}: {value}" for name, value in ledger.facts.items()),
        errors=tuple(error.line for error in ledger.errors_open()),
        files=tuple(f"{path} {digest[:12]}".rstrip() for path, digest in ledger.files.items()),
        commands=tuple(ran.line for ran in ledger.commands),
        said=todo.spoke.text if todo.spoke else "",
        progress=bool(ledger.new_in_leg()),
    )
    state = ledger.snapshot()
    return Handed(at=now, checkpoint=checkpoint.to_json(), text=for_model(checkpoint), state=state, fresh=fresh)
