"""The undo store: what the tools tell it, what the chat asks of it, and its retention."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import time

from agent.errors import JarvisError, ToolError
from agent.undo.baseline import Baselines
from agent.undo.blobs import Blobs, Refused
from agent.undo.capture import Capture
from agent.undo.commands import Commands
from agent.undo.files import make_folder
from agent.undo.gate import Gate
from agent.undo.keeping import Keeping
from agent.undo.manifest import Kept, Left
from agent.undo.plan import Agreed, UndoPlan, UndoReport
from agent.undo.planning import planned
from agent.undo.purging import goes_on, needed
from agent.undo.restoring import Restoring
from agent.undo.runs import Run, Runs
from agent.undo.spans import Spans
from agent.undo.states import Absent, File, Limits, State, Unkept, Why
from agent.undo.walk import look

logger = logging.getLogger(__name__)

SHOWN = 2**20  # bytes of a file as it was


class UndoStore:
    """agent.ports.Undo over a folder of our own. One process uses it; its threads may at the same time."""

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        """`folder` is made where it is missing, its parent is the home; neither is ever looked into as part of a
        workspace. Raises OSError."""
        folder = make_folder(folder).resolve()
        limits = limits or Limits()
        self._gate, self._spans = Gate(), Spans()
        self._blobs = Blobs(make_folder(folder / "blobs"))
        skipped = frozenset({str(folder), str(folder.parent)})
        self._baselines = Baselines(make_folder(folder / "trees"), self._blobs, limits, skipped)
        self._runs = Runs(make_folder(folder / "runs"), self._baselines.load)
        self._capture = Capture(self._blobs, limits)
        self._keeping = Keeping(self._runs, self._spans, self._capture)
        self._commands = Commands(self._runs, self._spans, self._baselines, self._capture)

    # -- for tools --------------------------------------------------------------------------------------------------
    def keep(self, run: str, path: str) -> None:
        """See agent.ports.Undo. Blocking."""
        try:
            with self._gate.shared():
                self._keeping.before(run, path)
        except OSError as error:
            why = (error.strerror or type(error).__name__).lower()
            raise ToolError(
                f"Not written: what {path.encode(errors='backslashreplace').decode()!r} holds now can't be kept for "
                f"undo ({why}). Free some space on the agent's disk, then try again."
            ) from error

    def left(self, run: str, path: str) -> None:
        """See agent.ports.Undo. Blocking."""
        try:
            with self._gate.shared():
                self._keeping.after(run, path)
        except OSError as error:  # the file is written; an undo then takes whatever stands there for the run's work
            logger.warning("undo: what the run left can't be noted: %s", error.strerror)

    async def was(self, run: str, path: str) -> bytes | None:
        """See agent.ports.Undo."""
        return await asyncio.to_thread(self._was, run, path)

    async def before_command(self, run: str, workspace: str) -> str:
        """See agent.ports.Undo. A cancellation cuts the baseline short and is passed on once the thread is done."""
        stop = threading.Event()
        work = asyncio.ensure_future(asyncio.to_thread(self._before, run, workspace, stop.is_set))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            stop.set()
            while not work.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait([work])
            raise

    async def after_command(self, run: str, workspace: str) -> None:
        """See agent.ports.Undo."""
        await asyncio.to_thread(self._after, run, workspace)

    def _before(self, run: str, workspace: str, stopped: Callable[[], bool]) -> str:
        with self._gate.shared():
            return self._commands.before(run, workspace, stopped)

    def _was(self, run: str, path: str) -> bytes | None:
        with suppress(OSError), self._gate.shared(), self._runs.using(run) as held:
            match held.history.was(path):
                case Absent():
                    return b""
                case File(sha256=digest):
                    with os.fdopen(self._blobs.open(digest), "rb") as file:
                        return file.read(SHOWN)
        return None

    def _after(self, run: str, workspace: str) -> None:
        try:
            with self._gate.shared():
                self._commands.after(run, workspace)
        except OSError as error:  # the next look takes all that differs for the run's work
            logger.warning("undo: what a command changed can't be noted: %s", error.strerror)

    # -- for the chat -----------------------------------------------------------------------------------------------
    async def runs(self, session: str) -> list[str]:
        """The runs of a session that wrote something or ran a command, and their undoings, the newest first.
        Raises JarvisError."""
        return await asyncio.to_thread(self._listed, session)

    async def plan(self, run: str) -> UndoPlan:
        """What an undo of the run would do now. Raises JarvisError."""
        return await asyncio.to_thread(self._plan, run)

    async def restore(self, run: str, plan: Agreed) -> UndoReport:
        """Do what `plan` says as far as it still holds; again has no further effect. Raises JarvisError."""
        return await asyncio.to_thread(self._restore, run, plan)

    def _listed(self, session: str) -> list[str]:
        with readable(), self._gate.shared():
            return self._runs.of(session)

    def _plan(self, run: str) -> UndoPlan:
        with readable(), self._gate.shared(), self._runs.using(run) as held:
            return self._planned(held)

    def _planned(self, held: Run) -> UndoPlan:
        if not self._spans.live(held.name):
            self._commands.close(held)
        return planned(held.name, held.history, self._blobs)

    def _restore(self, run: str, plan: Agreed) -> UndoReport:
        with readable(), self._gate.shared(), self._runs.using(run) as held:
            now = self._planned(held)
            agreed = {*plan.restore, *plan.delete}
            paths = [path for path in (*now.restore, *now.delete) if path in agreed]
            redo = self._kept_for_redo(run, paths) if paths else ""
            work = Restoring(held.history, self._blobs)
            work.carry_out(paths)
            if redo:
                self._note_redo(redo, run, paths)
        return UndoReport(
            run=run,
            restored=tuple(path for path in now.restore if path in work.done),
            deleted=tuple(path for path in now.delete if path in work.done),
            failed=tuple(sorted(work.failed.items())),
            changed_since=tuple(path for path in now.changed_since if path in agreed),
            redo=redo,
        )

    def _kept_for_redo(self, run: str, paths: list[str]) -> str:
        """Keep all that goes now; what doesn't fit is lost to a redo, for an undo must also work on a full disk."""
        redo = self._runs.next_undo(run)
        states: list[tuple[str, State]] = []
        for path in paths:
            try:
                states.append((path, self._capture.one(path, sync=False)[1]))
            except Refused:
                states.append((path, Unkept(0, Why.DISK)))
        try:
            self._blobs.sync()
            with self._runs.using(redo, undoes=run) as held:
                held.record(Kept(tuple(states)), sync=True)
        except OSError as error:
            logger.warning("undo: this undo can't be undone: %s", error.strerror)
            return ""
        return redo

    def _note_redo(self, redo: str, run: str, paths: list[str]) -> None:
        with suppress(OSError), self._runs.using(redo, undoes=run) as held:
            held.record(Left(tuple((path, look(path)) for path in paths)), sync=True)

    # -- retention --------------------------------------------------------------------------------------------------
    async def purge(self, older_than_s: float, running: Collection[str] = ()) -> int:
        """Forget runs that were last written to over `older_than_s` seconds ago, except those in `running` (runs or
        whole sessions), and every content that no run needs. Returns how many runs. Raises JarvisError."""
        return await asyncio.to_thread(self._purge, time() - older_than_s, frozenset(running))

    def _purge(self, before: float, running: frozenset[str]) -> int:
        with readable(), self._gate.alone():
            stale = [
                path for path in self._runs.files() if path.stat().st_mtime < before and not goes_on(path, running)
            ]
            for path in stale:
                self._runs.forget(path)
            contents, trees = needed(self._runs.files(), self._baselines.load)
            self._blobs.sweep(contents)
            self._baselines.sweep(trees)
        return len(stale)


@contextmanager
def readable() -> Iterator[None]:
    """Turn an OSError inside into JarvisError."""
    try:
        yield
    except OSError as error:
        raise JarvisError(
            f"The undo store can't be used ({(error.strerror or type(error).__name__).lower()}: {error.filename}). "
            "Look at its folder and its disk on the server."
        ) from error
