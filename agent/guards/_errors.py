"""The errors of a run that are still open, by the ledger, which is only kept up when it is asked: most runs need none
of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agent.steps import Asked, Ended, Finished, Proposed, Said, Step

if TYPE_CHECKING:
    from agent.ledger import Ledger
    from agent.openerrors import OpenError

PENDING = 400  # steps of a run that wait to be folded: a hundred calls


@dataclass(slots=True)
class Errors:
    _ledger: Ledger | None = field(default=None, repr=False)
    _pending: list[Step] = field(default_factory=list, repr=False)
    _running: bool = False
    _count: int = 0

    def fold(self, step: Step) -> None:
        match step:
            case Asked() if not self._running:  # the ledger, too, drops what an earlier run left open
                self._running, self._ledger = True, None
                self._pending[:] = [step]
            case Said() | Proposed() | Finished() | Ended():
                self._running = self._running and not isinstance(step, Ended)
                self._pending.append(step)
                if len(self._pending) > PENDING:
                    self.open()
            case _:
                pass

    def open(self) -> tuple[OpenError, ...]:
        """The newest last."""
        if self._ledger is None:
            from agent.ledger import Ledger  # its rules take a while to load, and the start of the bot needs none

            self._ledger = Ledger()
        for step in self._pending:
            self._count += 1
            self._ledger.fold(self._count, step)
        self._pending.clear()
        return self._ledger.errors_open()
