"""What replies cost, a row each: written with the step it belongs to, so that no kill can lose or double it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from agent.lineage import SPAWNS
from agent.steps import Failed, Finished, Said, Seen, Step, Usage
from agent.store import statements as sql
from agent.store.codec import plain
from agent.store.heads import Head
from agent.store.transaction import Transaction
from agent.tables import Spent


class UsageRow(NamedTuple):
    """One reply, or a failed attempt that cost something. `at` is wall time, `run` the step that began the run."""

    session: str
    seq: int
    at: float
    person: str
    run: int
    model: str
    prompt: int
    completion: int
    cached: int
    money: float | None
    estimated: int


def row_of(session: str, head: Head, step: Step) -> UsageRow | None:
    """The row of a step, `head` being the session's after it; None if the step cost nothing that we know of. No figure
    is negative, whatever the step says. What a tool or a probe asked a model stands under its own name."""
    match step:
        case Said(usage=usage, model=model):
            pass
        case Seen(usage=Usage() as usage, probe=model):
            pass
        case Finished(usage=Usage() as usage, tool=model) if model != SPAWNS:  # a child has rows of its own
            pass
        case Failed(usage=usage, model=model) if usage.tokens > 0 or usage.money:
            pass
        case _:
            return None
    prompt, completion = max(0, usage.prompt), max(0, usage.completion)
    cached = min(max(0, usage.cached), prompt)
    money = max(0.0, usage.money) if usage.money is not None and math.isfinite(usage.money) else None
    return UsageRow(
        session, head.seq, step.at, head.person, head.run, plain(model), prompt, completion, cached, money,
        int(usage.estimated),
    )  # fmt: skip


def summed(place: str, person: str, model: str, rows: Sequence[UsageRow]) -> Spent:
    """What the statement's sums come to, without a database."""
    return Spent(
        place,
        person,
        model,
        calls=len(rows),
        prompt=sum(row.prompt for row in rows),
        completion=sum(row.completion for row in rows),
        cached=sum(row.cached for row in rows),
        money=math.fsum(row.money or 0.0 for row in rows),
        priced=sum(row.money is not None for row in rows),
        estimated=sum(row.estimated for row in rows),
    )


def spent(since: float, until: float) -> Transaction[list[Spent]]:
    rows = yield sql.SPENT, (since, until)
    return [Spent(*row) for row in rows]
