"""Retention: every hour what is old goes, a piece at a time, so that a year of use makes nothing slow (SPEC 6).

Bulk (contents for undo, full outputs, the boxes' private folders) goes after hours, conversations and what was spent
after days. Nothing goes of a run that goes on.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Collection
from pathlib import Path
from typing import Protocol

from agent import Clock, Hub, JarvisError, Store, StoreBroken
from agent.host.outputs import forgotten
from agent.sandbox.scratch import emptied
from agent.settings import Settings
from bot.routes import Routes

logger = logging.getLogger(__name__)

FIRST_S, EVERY_S = 600.0, 3600.0
HOUR_S, DAY_S = 3600.0, 86_400.0
# Telegram serves an update that nobody has fetched for 24 hours at most, and one that was confirmed never again
# (https://core.telegram.org/bots/api#getting-updates). The newest stay whatever their age (agent.tables.Pruning).
UPDATES_S = 3 * DAY_S
BUTTONS_S = 30 * DAY_S  # after they expired: until then a tap is told so
TODAY_D = 2  # days of usage that a budget of today may still ask for
JUMP_S = 300.0  # that the wall clock may gain or lose in an hour


class Undoes(Protocol):
    """The undo store as retention sees it (agent.undo.UndoStore)."""

    async def purge(self, older_than_s: float, running: Collection[str] = ()) -> int: ...


class Retention:
    """`undo` is None where nothing is kept for it (the demo)."""

    def __init__(
        self, settings: Settings, store: Store, hub: Hub, routes: Routes, clock: Clock, undo: Undoes | None
    ) -> None:
        self._home, self._run = settings.home, settings.run
        self._bulk_s = settings.retention.bulk_h * HOUR_S or math.inf
        self._days = settings.retention.conversation_d or math.inf
        self._store, self._hub, self._routes, self._clock, self._undo = store, hub, routes, clock, undo
        self._ahead = self._lead()

    async def run(self) -> None:
        """Until cancelled."""
        await self._clock.sleep(FIRST_S)
        while True:
            await self.round()
            await self._clock.sleep(EVERY_S)

    async def round(self) -> None:
        """Once. What fails is said in the log, and keeps nothing else from being done."""
        if not self._steady():
            logger.warning("the clock was set since the last look: nothing is deleted for its age this time")
            return
        works: tuple[tuple[str, Callable[[], Awaitable[int]]], ...] = (
            ("undo contents", self._contents),
            ("files in the boxes", self._boxes),
            ("full outputs", self._outputs),
            ("updates", self._updates),
            ("messages", self._letters),
            ("replies' costs", self._usage),
            ("conversations", self._conversations),
            ("buttons", self._buttons),
        )
        for name, work in works:
            try:
                if gone := await work():
                    logger.info("retention: %d %s were old and are gone", gone, name)
            except JarvisError as error:
                logger.warning("retention: %s stay for now: %s", name, error)
            except Exception:
                logger.exception("retention: %s stay for now", name)

    def _lead(self) -> float:
        return self._clock.now() - self._clock.monotonic()

    def _steady(self) -> bool:
        """Whether wall time has passed as time does: a clock that jumps ahead makes everything look old."""
        before, self._ahead = self._ahead, self._lead()
        return abs(self._ahead - before) <= JUMP_S

    def _before(self, days: float) -> float:
        return self._clock.now() - days * DAY_S

    # -- bulk -------------------------------------------------------------------------------------------------------
    async def _contents(self) -> int:
        if self._undo is None or self._bulk_s == math.inf:
            return 0
        return await self._undo.purge(self._bulk_s, set(await self._store.unfinished()))

    async def _boxes(self) -> int:
        if self._bulk_s == math.inf:
            return 0
        return await asyncio.to_thread(emptied, str(self._home), self._bulk_s)

    async def _outputs(self) -> int:
        """Those that a run which goes on may have been told of stay."""
        since = await self._store.running_since()
        before = min(self._clock.now() - self._bulk_s, math.inf if since is None else since)
        return await asyncio.to_thread(lambda: forgotten(self._workspaces(), before))

    def _workspaces(self) -> list[str]:
        top: Path = self._run.workspace
        below = top.iterdir() if self._run.workspace_per_chat and top.is_dir() else ()
        return [str(top), *[str(path) for path in below if path.is_dir() and not path.is_symlink()]]

    # -- conversations ----------------------------------------------------------------------------------------------
    async def _updates(self) -> int:
        return await _all(lambda: self._store.prune_updates(self._clock.now() - UPDATES_S))

    async def _letters(self) -> int:
        return await _all(lambda: self._store.prune_letters(self._before(self._days)))

    async def _usage(self) -> int:
        return await _all(lambda: self._store.prune_usage(self._before(max(self._days, TODAY_D))))

    async def _conversations(self) -> int:
        """Whole sessions that have rested for long, and the oldest runs of those in use. One in memory has its turn
        when it sleeps: it knows its own steps."""
        before, gone = self._before(self._days), 0
        for session in await self._store.resting(before):
            if self._hub.session(session) is None:
                self._routes.forget(session)
                while await self._store.retire(session, before):
                    gone += 1
        for session in await self._store.growing(before):
            try:
                gone += await self._shortened(session, before)
            except StoreBroken as error:
                logger.warning("retention: session %s is left as it is: %s", session, error)
        return gone

    async def _shortened(self, session: str, before: float) -> int:
        gone = 0
        while self._hub.session(session) is None and await self._store.shorten(session, before, self._clock.now()):
            gone += 1
        return gone

    async def _buttons(self) -> int:
        await self._store.forget_refs(self._clock.now() - BUTTONS_S)
        return 0


async def _all(piece: Callable[[], Awaitable[int]]) -> int:
    """A piece at a time, until nothing more goes."""
    gone = 0
    while taken := await piece():
        gone += taken
    return gone
