"""Why a run's requests to the model fail and since when it waits: a fold, for the messages about it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from agent import steps as s

KEY_REFUSED = (401, 403)
HOPELESS = (s.Trouble.REFUSED, s.Trouble.BUG, s.Trouble.OVERFLOW)  # the same request would fail again


@dataclass(slots=True)
class ModelTrouble:
    """`newest` is the newest failure since the model spoke or a person did; `parked` the seq of the park that began the
    wait of a run that still waits, 0 = none."""

    newest: s.Failed | None = None
    parked: int = 0

    def fold(self, seq: int, step: s.Step) -> None:
        match step:
            case s.Asked() | s.Said():
                self.newest, self.parked = None, 0
            case s.Failed():
                self.newest = step
            case s.Parked() if step.until is not None and not self.parked:
                self.parked = seq
            case _:
                pass

    @property
    def worth_another_try(self) -> bool:
        """Whether a failed run may go better if it is begun again."""
        return self.newest is None or self.newest.trouble not in HOPELESS

    @property
    def owners(self) -> bool:
        """Whether what is wrong is for the owner alone to know: our key."""
        failed = self.newest
        return failed is not None and failed.trouble is s.Trouble.USER and failed.status in KEY_REFUSED
