"""What the peers' rules see: each finished call as a key of what was asked and a key of what came back."""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.ports import Nudge
from agent.steps import Call, Finished, Level, Outcome, Proposed, Step

NOT_FAILURES = frozenset({Outcome.OK, Outcome.WARNED, Outcome.ANSWERED_NO})

Key = tuple[str, str]  # tool, arguments as the model wrote them


@dataclass(frozen=True, slots=True)
class Done:
    """A finished call. Equal `asked`: the same tool with the same arguments; equal `result`: the same came back."""

    asked: Key
    result: str
    failed: bool
    reads: bool


@dataclass(slots=True)
class Calls:
    """Joins a call's proposal to its result."""

    _open: dict[str, tuple[Call, str]] = field(default_factory=dict, repr=False)

    def finished(self, step: Step) -> Done | None:
        """The call that this step finished, if it did."""
        match step:
            case Proposed(call=call, effect=effect):
                self._open[call.id] = (call, effect)
            case Finished(call_id=call_id) if call_id in self._open:
                call, effect = self._open.pop(call_id)
                failed = step.outcome not in NOT_FAILURES
                return Done((call.name, call.arguments), _result(step), failed, effect == "read")
            case _:
                pass
        return None


def note(rule: str, text: str, level: Level = Level.NOTE) -> Nudge:
    """What a baseline rule says. Without a slot, so that no rule hides another in the figures."""
    return Nudge(level, text, event=f"baseline.{rule}")


def _result(step: Finished) -> str:
    """Streams go by their hashes: what is kept of them is cut, and the text for the model may carry a duration."""
    if step.stdout is None and step.stderr is None:
        return f"{step.outcome} {step.text}"
    hashes = (stream.sha256 if stream else "" for stream in (step.stdout, step.stderr))
    return " ".join((step.outcome.value, str(step.exit_code), *hashes))
