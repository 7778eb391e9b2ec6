"""What commands left running, by the session that ran them, until somebody ends it."""

from __future__ import annotations

import threading

from agent.host.link import Control, Exited, Gone, Over

GIVE_UP_S = 6.0


class Survivors:
    """The watchers that still have something to watch."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: dict[str, list[Control]] = {}

    def add(self, owner: str, control: Control) -> None:
        with self._lock:
            self._forget_ended()
            self._watched.setdefault(owner, []).append(control)

    def end(self, owner: str, grace_s: float) -> int:
        """End all of an owner's; returns how many processes there were. Blocks for `grace_s` and a little more."""
        with self._lock:
            controls = self._watched.pop(owner, [])
        for control in controls:
            control.end(grace_s)
        return sum(map(ended, controls))

    def end_all(self, grace_s: float) -> None:
        with self._lock:
            owners = list(self._watched)
        for owner in owners:
            self.end(owner, grace_s)

    def remove(self, owner: str, control: Control) -> bool:
        """Take one out without ending it. False where it isn't there."""
        with self._lock:
            controls = self._watched.get(owner, [])
            if control in controls:
                controls.remove(control)
                return True
            return False

    def _forget_ended(self) -> None:
        for owner, controls in list(self._watched.items()):
            alive = [control for control in controls if control.read(0) is None]
            for control in controls:
                if control not in alive:
                    control.close()
            self._watched[owner] = alive
            if not alive:
                del self._watched[owner]


def ended(control: Control) -> int:
    """Wait for a tree that was told to end, close its control, and return how many processes it had."""
    report = control.read(GIVE_UP_S)
    while isinstance(report, Exited | Over):
        report = control.read(GIVE_UP_S)
    control.close()
    return report.count if isinstance(report, Gone) else 0
