"""Mode: while there is no policy that can judge a call, modes sandbox and ask run no call that changes anything."""

from __future__ import annotations

from dataclasses import dataclass

from agent.ports import Nudge
from agent.steps import Level, Proposed, Step


@dataclass(slots=True)
class Mode:
    """`mode` is sandbox, ask or full."""

    mode: str = "sandbox"
    name: str = "mode"
    strict: bool = True

    def observe(self, step: Step) -> Nudge | None:
        if isinstance(step, Proposed) and step.effect != "read" and self.mode != "full":
            text = (
                f"Not run: Jarvis is in mode {self.mode}, and in this release only mode full runs calls that change "
                "something. Tell the user that the owner can set JARVIS_RUN__MODE=full; reading is possible."
            )
            return Nudge(Level.HOLD, text, event="tool.rejected")
        return None


guard = Mode
