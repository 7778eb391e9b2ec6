"""What an undo would do and what it did, as plain values for the chat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class Agreed(Protocol):
    """What a person has seen and tapped on."""

    @property
    def restore(self) -> Sequence[str]: ...
    @property
    def delete(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """What stands in the way of having the files back as they were before `run`, and what doesn't. Absolute paths,
    bytes that are no UTF-8 as os.fsdecode gives them; reasons are values of agent.undo.states.Why."""

    run: str
    restore: tuple[str, ...] = ()  # changed or removed by the run
    delete: tuple[str, ...] = ()  # made by the run
    cannot: tuple[tuple[str, str], ...] = ()  # path, reason
    changed_since: tuple[str, ...] = ()  # by somebody else, during the run or after it; left as they are
    workspaces: tuple[str, ...] = ()  # where commands ran: what they changed elsewhere is not known

    @property
    def empty(self) -> bool:
        return not self.restore and not self.delete


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What was done. `redo` is the run to undo in order to have it all back, "" if nothing was done."""

    run: str
    restored: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()  # path, reason
    changed_since: tuple[str, ...] = ()  # between the plan and the deed
    redo: str = ""
