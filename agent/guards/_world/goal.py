"""The goal of a run in the user's words, over handoffs and edits of the message."""

from __future__ import annotations

from dataclasses import dataclass

from agent.checkpoint import Checkpoint
from agent.steps import Asked, Corrected, Ended, Handed, Step


@dataclass(slots=True)
class Goal:
    text: str = ""
    _ref: str | None = None
    _running: bool = False
    _continuing: bool = False  # the next message goes on from a checkpoint

    def fold(self, step: Step) -> None:
        match step:
            case Asked() if not self._running:
                self._running = True
                if not (self._continuing or step.again):
                    self.text, self._ref = step.text, step.ref
                self._continuing = False
            case Corrected(ref=ref, text=text) if ref == self._ref:
                self.text = text
            case Handed(fresh=True):
                self._continuing = not self._running
                self.text = Checkpoint.from_json(step.checkpoint).goal or self.text
            case Ended():
                self._running = False
            case _:
                pass
