"""Around a file tool's write, of which the path is known: the old content before, the signature after."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agent.undo.capture import Capture, chain
from agent.undo.manifest import Kept, Left, Noticed
from agent.undo.runs import Runs
from agent.undo.spans import Spans
from agent.undo.states import ABSENT
from agent.undo.walk import look


@dataclass(frozen=True, slots=True)
class Keeping:
    runs: Runs
    spans: Spans
    capture: Capture

    def before(self, run: str, path: str) -> None:
        """Keep the file as it is, and which folders on the way to it are missing, unless the run has touched it
        before. Raises OSError; then it must not be written."""
        with self.runs.using(run) as held:
            expected = held.history.expected
            if path not in held.history.touched:
                states = [(each, self.capture.one(each, sync=True)[1]) for each in chain(path)]
                held.record(Kept(tuple(states)), sync=True)
            elif path in expected and expected[path] != (sig := look(path)):  # changed by somebody else meanwhile
                held.record(Noticed(((path, sig, ABSENT),)), sync=True)
            self.spans.claim(run, [path])

    def after(self, run: str, path: str) -> None:
        """Note what the run left there. Raises OSError."""
        with self.runs.using(run) as held:
            made = [str(above) for above in Path(path).parents if str(above) in held.history.pending]
            states = tuple((each, look(each)) for each in [*made, path])
            held.record(Left(states), sync=False)
            self.spans.claim(run, [each for each, _ in states])
