"""When it is time to look at the whole again: after so many turns, so many writes, or a successful build of what was
written."""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.intent import Intent, intent
from agent.outcome import SUCCEEDING
from agent.steps import Asked, Call, Ended, Finished, Outcome, Proposed, Said, Step

_BUILDS = ("tsc", "vite build", "next build", "webpack", "rollup", "esbuild", "cargo build", "cargo check", "go build",
           "make", "cmake --build", "ninja", "mvn", "gradle", "./gradlew", "dotnet build", "npm run build",
           "yarn build", "yarn run build", "pnpm build", "pnpm run build", "bun run build", "docker build")  # fmt: skip


@dataclass(slots=True)
class Pace:
    """Fold each step; `due` says why it is time (turns | writes | build), "" while it isn't. `turn` counts the replies
    of the run; `whole`: each call of the newest reply has its result."""

    every: int
    writes: int
    turn: int = 0
    running: bool = False
    _at: int = 0  # the turn when it was last time
    _written: int = 0
    _built: bool = False
    _open: dict[str, Call] = field(default_factory=dict)

    def fold(self, step: Step) -> None:
        match step:
            case Said(calls=calls):
                self.turn += 1
                self._open = {call.id: call for call in calls}
            case Proposed(call=call) if call.id in self._open:
                self._open[call.id] = call
            case Finished(call_id=call_id) if call_id in self._open:
                self._finished(self._open.pop(call_id), step)
            case Asked() if not self.running:
                self.running, self.turn = True, 0
                self.again()
            case Ended():
                self.running = False
                self._open.clear()
            case _:
                pass

    @property
    def whole(self) -> bool:
        return not self._open

    @property
    def due(self) -> str:
        if self._open or not self.running:
            return ""
        if self._built and self._written:
            return "build"
        if self._written >= self.writes:
            return "writes"
        return "turns" if self.turn - self._at >= self.every else ""

    def again(self) -> None:
        """It was time; count anew."""
        self._at, self._written, self._built = self.turn, 0, False

    def _finished(self, call: Call, step: Finished) -> None:
        meant = intent(step.tool, call.arguments)
        if step.files:
            self._written += sum(change.before is None or change.before != change.after for change in step.files)
        elif step.files is None and meant.mutates and step.outcome in SUCCEEDING:
            self._written += 1
        self._built = self._built or (step.outcome is Outcome.OK and step.exit_code == 0 and _builds(meant))


def _builds(meant: Intent) -> bool:
    lines = (f"{part.stem} {' '.join(part.operands[:1])} " for part in meant.parts)
    return any(line.startswith(f"{program} ") for line in lines for program in _BUILDS)
