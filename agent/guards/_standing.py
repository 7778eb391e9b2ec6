"""What a run may do by itself, as far as its steps tell: the mode in force, the lowest role among its authors, and
whether somebody else's words are among those that the model acts on."""

from __future__ import annotations

from dataclasses import dataclass

from agent.policy.modes import MODES, lower
from agent.steps import Asked, Commanded, Ended, Finished, Opened, Step

FROM_THE_WEB = frozenset(("web_fetch", "web_search"))


@dataclass(slots=True)
class Standing:
    """`fold` each step. `role` is "viewer" while nobody has asked anything."""

    role: str = "viewer"
    tainted: bool = False
    _mode: str = "sandbox"
    _until: tuple[str, float | None] | None = None
    _running: bool = False

    def fold(self, step: Step) -> None:
        match step:
            case Opened():
                self._mode = step.mode
            case Commanded(command="mode", value=value, until=until) if value in MODES:
                self._until = (value, until)
            case Asked():
                self.role = lower(self.role, step.role) if self._running else step.role
                self.tainted |= step.forwarded or step.tainted
                self._running = True
            case Finished(tool=tool) if tool in FROM_THE_WEB or step.tainted:
                self.tainted = True
            case Ended():
                self._running = self.tainted = False
            case _:
                pass

    def mode(self, at: float) -> str:
        """The mode in force at wall time `at`."""
        if self._until is not None and (self._until[1] is None or at < self._until[1]):
            return self._until[0]
        return self._mode
