"""What an undo of a run would do: what it touched, compared with what stands there now."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from agent.undo.blobs import Blobs
from agent.undo.capture import READ, same
from agent.undo.history import History
from agent.undo.plan import UndoPlan
from agent.undo.states import ABSENT, File, Folder, Sig, State, Unkept, Why, is_folder
from agent.undo.walk import CACHES, REBUILT, folder, look


def planned(run: str, history: History, blobs: Blobs) -> UndoPlan:
    """Blocking: reads what the run touched. Raises nothing for single paths."""
    draft = _Draft(history, blobs)
    for path in history.touched:
        try:
            draft.judge(path)
        except OSError:
            draft.cannot[path] = Why.UNREADABLE
    draft.spare_full_folders()
    general = [(root, Why.BLIND) for root in sorted(history.blind)]
    general += [(path, Why.UNLISTED) for path in sorted(history.unlisted)]
    general += [(root, Why.DAMAGED) for root in sorted(history.based)[:1] or [""] if history.damaged]
    return UndoPlan(
        run=run,
        restore=tuple(sorted(draft.restore)),
        delete=tuple(sorted(draft.delete)),
        cannot=tuple((path, why.value) for path, why in [*general, *sorted(draft.cannot.items())]),
        changed_since=tuple(sorted(draft.changed_since)),
        workspaces=tuple(sorted({*history.based, *history.blind})),
    )


@dataclass(slots=True)
class _Draft:
    history: History
    blobs: Blobs
    restore: set[str] = field(default_factory=set)
    delete: set[str] = field(default_factory=set)
    cannot: dict[str, Why] = field(default_factory=dict)
    changed_since: set[str] = field(default_factory=set)

    def judge(self, path: str) -> None:
        """Put the path where it belongs; nowhere if it is as it was. Raises OSError."""
        history, was = self.history, self.history.was(path)
        if self._unchanged(path, was):
            return
        if isinstance(was, Unkept):
            self.cannot[path] = was.why
        elif path in history.shared:
            self.cannot[path] = Why.SHARED
        elif path in history.foreign or look(path) != history.expected.get(path, look(path)):
            self.changed_since.add(path)
        elif was == ABSENT:
            self.delete.add(path)
        elif isinstance(was, File) and not self.blobs.has(was.sha256):
            self.cannot[path] = Why.DAMAGED
        else:
            self.restore.add(path)

    def _unchanged(self, path: str, was: State) -> bool:
        if not isinstance(was, Unkept):
            return same(path, was)
        now = look(path)
        trees = [tree for tree in self.history.based.values() if tree is not None]
        return any(now is not None and tree.listing.found.get(path) == now for tree in trees)

    def spare_full_folders(self) -> None:
        """A folder that holds what won't go can't go either, the innermost first."""
        for path in sorted(self.delete | self.restore, key=lambda each: -each.count("/")):
            if is_folder(look_safely(path)) and not isinstance(self.history.was(path), Folder) and not self._goes(path):
                self.delete.discard(path)
                self.restore.discard(path)
                self.cannot[path] = Why.NOT_EMPTY

    def _goes(self, path: str) -> bool:
        return whole(path) or all(f"{path}/{name}" in self.delete for name in names(path))


def whole(path: str) -> bool:
    """Whether the folder's contents are never listed, so that it goes with all it holds."""
    return Path(path).name in CACHES | REBUILT


def names(path: str) -> list[str]:
    """What is in a folder; an entry that is never there if that can't be seen."""
    parent, name = os.path.split(path)
    try:
        with folder(parent) as at:
            fd = os.open(name, READ | os.O_DIRECTORY, dir_fd=at)
            try:
                with os.scandir(fd) as entries:
                    return [entry.name for entry in entries]
            finally:
                os.close(fd)
    except OSError:
        return [""]


def look_safely(path: str) -> Sig | None:
    """As `look`; None also for what we may not see."""
    try:
        return look(path)
    except OSError:
        return None
