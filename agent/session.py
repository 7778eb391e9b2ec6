"""A session: the journal's one writer, and the folds that everybody reads."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from agent.edges import Edges
from agent.folds import folded, nothing
from agent.messages import History
from agent.ports import Delta, Watcher
from agent.relay import Standing
from agent.resume import Todo
from agent.steps import Ended, Nudged, Step

if TYPE_CHECKING:
    from agent.ledger import Ledger

logger = logging.getLogger(__name__)
_writers = itertools.count(1)


class Session:
    """One conversation. `record` is the only way in; `todo` and `history` are views of what was recorded."""

    def __init__(self, session_id: str, edges: Edges, boot: str, watchers: Sequence[Watcher]) -> None:
        """`boot` names this process, so that a batch id of ours is never one of another process."""
        self.id = session_id
        self.within: tuple[str, str] | None = None  # of a child: its parent, and the run for whose undo it writes
        self.edges = edges
        self.on_delta: Callable[[str, Delta], None] = lambda session, delta: None
        self._watchers = watchers
        self._writer = f"{boot}.{next(_writers)}"
        self._batches = itertools.count(1)
        self._lock = asyncio.Lock()
        self._stale = True
        self._folds = nothing(edges)

    @property
    def todo(self) -> Todo:
        return self._folds.todo

    @property
    def history(self) -> History:
        return self._folds.history

    @property
    def ledger(self) -> Ledger:
        return self._folds.ledger

    @property
    def standing(self) -> Standing:
        """How the run stands, by ledger and history."""
        errors = tuple(error.line for error in self.ledger.errors_open())
        opened, window = self.todo.opened, self.edges.window
        full = self.history.full(window.context(opened.model, 0) if opened else 0)
        stuck = self.ledger.stuck(self.edges.limits.turns)
        return Standing(errors, bool(self.ledger.new_in_leg()), full, stuck)

    async def open(self) -> None:
        """Read the journal and fold it, unless that was done. Raises StoreError."""
        async with self._lock:
            await self._refresh()

    async def record(self, *steps: Step, when: Callable[[Todo], bool] | None = None, then: Step | None = None) -> bool:
        """Judge, write, fold and show `steps` with what the guards say to them, as one append.

        With `when`, nothing is written and False comes back if it no longer holds under the lock. `then` joins them if
        no guard has anything to say and the run is `free`. A cancelled caller doesn't interrupt an append. Raises
        StoreError; the folds are then thrown away and read again on the next use.
        """
        return await asyncio.shield(asyncio.ensure_future(self._record(steps, when, then)))

    async def _record(self, steps: tuple[Step, ...], when: Callable[[Todo], bool] | None, then: Step | None) -> bool:
        async with self._lock:
            await self._refresh()
            if when is not None and not when(self.todo):
                return False
            batch: list[Step] = []
            for step in steps:
                batch += [step, *self._folds.panel.observe(step)]
            if then is not None and len(batch) == len(steps) and self.todo.free:
                batch += [then, *self._folds.panel.observe(then)]
            first, name = self._folds.seq + 1, f"{self._writer}.{next(self._batches)}"
            self._stale = True  # until the append is known to have succeeded, our folds are not to be trusted
            await self.edges.journal.append(self.id, first, name, *batch)
            self._stale = False
            for seq, step in enumerate(batch, start=first):
                self._folds.fold(seq, step)
            self._show(first, batch)
            return True

    async def _refresh(self) -> None:
        if self._stale:
            self._folds = await folded(self.edges, await self.edges.journal.read(self.id))
            self._stale = False

    def _show(self, first: int, batch: Sequence[Step]) -> None:
        for fault in self._folds.panel.faults:
            logger.error("guard %s raised on %s", fault.guard, fault.step, exc_info=fault.error)
        self._folds.panel.faults.clear()
        for seq, step in enumerate(batch, start=first):
            match step:
                case Nudged():
                    logger.info(step.event, extra={"session": self.id, "guard": step.guard, "level": step.level.name})
                case Ended():
                    logger.info("run.end", extra={"session": self.id, "outcome": step.end.value})
                case _:
                    pass
            for watcher in self._watchers:
                watcher(self.id, seq, step)
