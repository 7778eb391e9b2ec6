"""What the block has run of the plan's own checks: those of items that are said to be done, where an input changed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from agent.guards._standing import Standing
from agent.guards._world.checks import PROBE, Checks
from agent.plan import Item
from agent.ports import Look
from agent.steps import Finished, Opened, Step

MOST = 3  # commands of a look
WITHIN_S = 20.0  # for all of them: the run waits


@dataclass(slots=True)
class Verifying:
    """Fold each step. Only what the model itself gave as a check is run, and only what stays in the workspace: nobody
    has claimed anything yet. Not where somebody else's words are in play, nor where a person is asked about each
    change."""

    _standing: Standing = field(default_factory=Standing)
    _cwd: str = ""

    def fold(self, step: Step) -> None:
        self._standing.fold(step)
        match step:
            case Opened(cwd=cwd):
                self._cwd = self._cwd or cwd
            case Finished(cwd=str(cwd)) if cwd:
                self._cwd = cwd
            case _:
                pass

    def look(self, items: Iterable[Item], checks: Checks, at: float) -> Look | None:
        """The question, at wall time `at`; the same isn't put twice for the same inputs."""
        mode = self._standing.mode(at)
        if self._standing.tainted or mode == "ask":
            return None
        done = [item.verify for item in items if item.status == "completed" and "verify" not in item.guessed]
        wanted = [command for command in dict.fromkeys(done) if command and checks.open(command)][:MOST]
        if not wanted:
            return None
        checks.asked(wanted)
        told = {
            "commands": [(command, self._cwd) for command in wanted], "paths": [], "within_s": WITHIN_S,
            "mode": mode, "role": self._standing.role, "tainted": False, "inside": True,
        }  # fmt: skip
        return Look(PROBE, json.dumps(told, ensure_ascii=False))
