"""Around a shell command, of which nobody knows beforehand what it will change: a baseline, and what differs after.

Both sides list the tree anew at every command, for about 4 microseconds an entry: only so is it known which changes
are the command's own and which were made by others between two commands of the run.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from agent.undo.baseline import Baselines
from agent.undo.capture import Capture
from agent.undo.history import History
from agent.undo.manifest import Based, Blinded, Entered, Left, Noticed
from agent.undo.runs import Run, Runs
from agent.undo.spans import Spans
from agent.undo.states import Sig
from agent.undo.walk import Listing

logger = logging.getLogger(__name__)

Changes = dict[str, Sig | None]


@dataclass(frozen=True, slots=True)
class Commands:
    runs: Runs
    spans: Spans
    baselines: Baselines
    capture: Capture

    def before(self, run: str, workspace: str, stopped: Callable[[], bool]) -> str:
        """Make the command's changes undoable; returns "", or why they aren't. `stopped` cuts it short: the command
        won't run then."""
        root = os.path.realpath(workspace)
        interrupted = not self.spans.live(run)
        self.spans.enter(run, root)
        try:
            with self.runs.using(run) as held:
                if interrupted:
                    self.close(held)
                self._look(held, root, stopped)
                held.record(Entered(root), sync=False)
        except OSError as error:
            self.spans.leave(run, root)
            return "" if stopped() else self._blind(run, root, error)
        return ""

    def after(self, run: str, workspace: str) -> None:
        """Note what the command changed. Raises OSError."""
        root = os.path.realpath(workspace)
        with self.runs.using(run) as held:
            now = self.baselines.listing(root)
            span = self.spans.leave(run, root)
            if span is None:
                return
            changes = differing(held.history, now)
            others = {path for path in changes if path in span.claimed}
            self._notice(held, others)
            own = tuple((path, sig) for path, sig in changes.items() if path not in others)
            held.record(Left(own, root, tuple(sorted(now.unlisted)), span.overlapped), sync=False)

    def close(self, held: Run) -> None:
        """A command that was cut off by our own end has changed whatever differs now. Raises OSError."""
        if root := held.history.open:
            now = self.baselines.listing(root)
            changes = tuple(differing(held.history, now).items())
            held.record(Left(changes, root, tuple(sorted(now.unlisted))), sync=True)

    def _look(self, held: Run, root: str, stopped: Callable[[], bool]) -> None:
        if root not in held.history.based:
            base = self.baselines.take(root, stopped)
            held.record(Based(root, base.name), sync=True)
        else:
            changes = differing(held.history, self.baselines.listing(root))
            if cut := tuple((path, sig) for path, sig in changes.items() if path in held.history.pending):
                held.record(Left(cut), sync=True)  # a file tool was cut off by our own end
            self._notice(held, changes.keys() - dict(cut).keys())

    def _notice(self, held: Run, paths: set[str]) -> None:
        if paths:
            states = tuple((path, *self.capture.one(path, sync=True)) for path in sorted(paths))
            held.record(Noticed(states), sync=True)

    def _blind(self, run: str, root: str, error: OSError) -> str:
        logger.warning("no baseline of %s for /undo: %s", root, error.strerror)
        with suppress(OSError), self.runs.using(run) as held:
            held.history.take(Blinded(root))  # known as long as we live, and longer if it can be written
            held.record(Blinded(root), sync=True)
        return f"what it changes can't be undone: the undo store says {(error.strerror or 'no').lower()}"


def differing(history: History, now: Listing) -> Changes:
    """What is not as it was last known in the listed tree."""
    known = history.known(now.root)
    if known == now.found:
        return {}
    changes: Changes = {path: sig for path, sig in now.found.items() if known.get(path) != sig}
    changes = {path: sig for path, sig in changes.items() if path in known or not hidden(path, history.unlisted)}
    changes.update({path: None for path in known if path not in now.found and now.lacks(path)})
    return changes


def hidden(path: str, unlisted: set[str]) -> bool:
    """Whether it may have been there all the time, in a folder that was beyond the bounds."""
    if not unlisted:
        return False
    return any(str(above) in unlisted for above in Path(path).parents)
