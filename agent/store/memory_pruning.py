"""Retention in memory: the twin of agent/store/pruning.py over the tables as dicts."""

from __future__ import annotations

from collections.abc import Mapping

from agent.lineage import parent_of
from agent.steps import Commanded, Ended, Opened, Purged, Step
from agent.store.codec import Row, decode, encode
from agent.store.heads import Head
from agent.store.pruning import DAY_S, NEWEST, WHAT
from agent.tables import Inbound, Outgoing

Steps = list[tuple[str, Row] | None]  # None is a step that is gone


def old_updates(inbox: Mapping[tuple[int, str], Inbound], done: set[tuple[int, str]], before: float) -> list[
    tuple[int, str]
]:  # fmt: skip
    """The keys of those that may go."""
    found = []
    for bot in {bot for _, bot in inbox}:
        received = sorted((row.received for row in inbox.values() if row.bot == bot), reverse=True)
        until = min(before, received[NEWEST - 1]) if len(received) >= NEWEST else float("-inf")
        found += [key for key, row in inbox.items() if row.bot == bot and row.received < until and key in done]
    return found


def old_letters(
    outbox: Mapping[str, Outgoing], since: Mapping[str, float], heads: Mapping[str, Head], before: float
) -> list[str]:
    """The keys of those that may go."""
    running = tuple(f"{session}:" for session, head in heads.items() if head.asked is not None)
    over = [key for key, row in outbox.items() if row.state in ("sent", "dead") and since.get(key, 0.0) < before]
    return [key for key in over if not key.startswith(running)]


def resting(heads: Mapping[str, Head], waiting: set[str], before: float) -> list[str]:
    """`waiting`: the sessions with an undelivered message."""
    running = {session for session, head in heads.items() if head.asked is not None}
    found = [
        (head.updated, session)
        for session, head in heads.items()
        if head.asked is None and head.updated < before and session not in waiting and parent_of(session) not in running
    ]
    return [session for _, session in sorted(found)]


def growing(heads: Mapping[str, Head], before: float) -> list[str]:
    rests = (session for session, head in heads.items() if head.asked is None)
    return sorted(s for s in rests if heads[s].created < before - DAY_S and heads[s].updated >= before)


def shortened(rows: Steps, before: float, now: float) -> Steps | None:
    """The rows without their oldest runs, with a Purged step as the newest; None if none is old enough."""
    steps = [(seq, decode(*row[1])) for seq, row in enumerate(rows, 1) if row]
    ends = [(seq, step.at) for seq, step in steps if isinstance(step, Ended)]
    old = _old(ends, before)
    if not old:
        return None
    upto = old[-1]
    kept = {_newest(steps, upto, Opened), _newest(steps, upto, Commanded)}
    left: Steps = [row if row and (seq > upto or seq in kept) else None for seq, row in enumerate(rows, 1)]
    left = [None if row and row[1].kind == "purged" else row for row in left]
    name = f"purge.{len(left) + 1}"
    return [*left, (name, encode(Purged(at=now, upto=upto, what=WHAT)))]


def _old(ends: list[tuple[int, float]], before: float) -> list[int]:
    old: list[int] = []
    for seq, at in ends:
        if at >= before - (0.0 if old else DAY_S):
            break
        old.append(seq)
    return old


def _newest(steps: list[tuple[int, Step]], upto: int, kind: type[Step]) -> int:
    found = 0
    for seq, step in steps:
        if seq <= upto and isinstance(step, kind) and not (isinstance(step, Commanded) and step.command != "model"):
            found = seq
    return found
