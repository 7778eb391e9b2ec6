"""An iteration as the seed rules know it: one reply of the model with all its calls finished."""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.steps import Call, Finished, Outcome, Proposed, Said, Step

SUCCEEDED = frozenset({Outcome.OK, Outcome.WARNED, Outcome.ANSWERED_NO})
THREW = frozenset(
    {Outcome.FAILED, Outcome.TIMED_OUT, Outcome.KILLED, Outcome.NOT_STARTED, Outcome.BAD_ARGUMENTS},
)


@dataclass(frozen=True, slots=True)
class Done:
    """A call with its result. `effect` is read or write, "" where it was refused before anybody judged it."""

    call: Call
    effect: str
    end: Finished

    @property
    def failed(self) -> bool:
        """It threw or left a non-zero exit code; by the letter a grep without a match has failed too."""
        return self.end.outcome in THREW or bool(self.end.exit_code)

    @property
    def succeeded(self) -> bool:
        """It ran and didn't fail; a call that was held or interrupted is neither."""
        return self.end.outcome in SUCCEEDED and not self.end.exit_code

    @property
    def stderr(self) -> str:
        """What a failed call complained, trimmed; of a tool without streams the text that it threw."""
        if self.end.stderr is not None:
            return self.end.stderr.head.strip()
        return self.end.text.strip() if self.failed and self.end.stdout is None else ""

    @property
    def error(self) -> str:
        """The first line of a failed call's stderr, trimmed: the seed's key of an error. "" if there is none."""
        return self.stderr.partition("\n")[0].strip() if self.failed else ""

    @property
    def identity(self) -> tuple[str, str, str]:
        """Tool, arguments as the model wrote them, result: streams go by the hash of the whole, what is kept is cut."""
        end = self.end
        if end.stdout is None and end.stderr is None:
            return self.call.name, self.call.arguments, f"{end.outcome} {end.text}"
        hashes = " ".join(stream.sha256 if stream else "" for stream in (end.stdout, end.stderr))
        return self.call.name, self.call.arguments, f"{end.outcome} {end.exit_code} {hashes}"


@dataclass(slots=True)
class Iterations:
    """Gathers the calls of a reply until the last of them has its result."""

    _open: dict[str, Call] = field(default_factory=dict)
    _effects: dict[str, str] = field(default_factory=dict)
    _done: list[Done] = field(default_factory=list)

    def ended(self, step: Step) -> tuple[Done, ...]:
        """The calls of the iteration that this step completed, in the order of their results; empty if it did not.

        One that a person or a limit cut off is none: its run is over, and nobody is left to be told.
        """
        match step:
            case Said(calls=calls):
                self._open = {call.id: call for call in calls}
                self._effects.clear()
                self._done.clear()
            case Proposed(call=call, effect=effect):
                self._effects[call.id] = effect
            case Finished(call_id=call_id) if call_id in self._open:
                self._done.append(Done(self._open.pop(call_id), self._effects.get(call_id, ""), step))
                if not self._open and all(done.end.outcome != Outcome.CANCELLED for done in self._done):
                    return tuple(self._done)
            case _:
                pass
        return ()
