"""The views of a journal that drive its run, kept together, and how they are made of a long one without holding up
the other sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from agent.messages import History
from agent.resume import Todo
from agent.steps import Said, Step

if TYPE_CHECKING:
    from agent.edges import Edges
    from agent.ledger import Ledger
    from agent.panel import Panel

SLICE = 10  # steps between two looks at what else there is to do: about 5 ms


class Folds:
    """What a session knows of its journal up to and including `seq`. `panel` is shown steps by whoever folds."""

    def __init__(self, edges: Edges, ledger: Ledger) -> None:
        self.seq = 0
        self.todo, self.history, self.ledger = Todo(), History(), ledger
        self._edges = edges

    @cached_property
    def panel(self) -> Panel:
        """Made when it is first needed: a session that is about to read its journal has no use for an empty one."""
        return self._edges.fresh_panel()

    def fold(self, seq: int, step: Step) -> None:
        self.seq = seq
        self.todo.fold(seq, step)
        self.history.fold(seq, step)
        self.ledger.fold(seq, step)
        if isinstance(step, Said) and self.history.measured:
            self._edges.window.heard(step.model, *self.history.measured)


def nothing(edges: Edges) -> Folds:
    """Those of an empty journal."""
    from agent.ledger import Ledger  # its rules take a while to load, and the start of the bot needs none of them

    return Folds(edges, Ledger())


async def folded(edges: Edges, rows: Sequence[tuple[int, Step]]) -> Folds:
    """Those of these steps. A year's conversation takes seconds, in which everybody else gets their turn."""
    from agent.ledger import recalled

    folds = Folds(edges, recalled(rows))
    for number, (seq, step) in enumerate(rows, start=1):
        folds.fold(seq, step)
        folds.panel.replay((step,))
        if not number % SLICE:
            await asyncio.sleep(0)
    return folds
