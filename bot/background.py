"""Background jobs: when one has ended by itself and no run goes on that is told of it, its chat is."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from agent import Hub, Job, StoreError, steps
from bot import words
from bot.channel import Letter
from bot.languages import Languages
from bot.notices import Notices
from bot.oneline import clip
from bot.routes import Routes

logger = logging.getLogger(__name__)

COMMAND = 120  # characters shown of one
TOLD = "job.ended"  # the event by which a model was told


@dataclass(slots=True)
class Background:
    """`mask` hides what is shaped like a key. `listen` once; `watch` is a watcher of the hub's."""

    hub: Hub
    routes: Routes
    notices: Notices
    languages: Languages
    mask: Callable[[str], str]
    _ended: dict[str, dict[str, Job]] = field(default_factory=dict)  # session -> jobs that its run isn't told of yet
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def listen(self) -> None:
        """From now on, in the loop that runs."""
        loop = asyncio.get_running_loop()

        def ended(session: str, job: Job) -> None:
            if not job.why:
                with contextlib.suppress(RuntimeError):  # we have ended, too
                    loop.call_soon_threadsafe(self._heard, session, job)

        self.hub.edges.host.jobs.ended = ended

    def watch(self, session: str, seq: int, step: steps.Step) -> None:
        """What the model was told needs no message; what it wasn't told of by the end of its run does."""
        waiting = self._ended.get(session)
        if not waiting:
            return
        match step:
            case steps.Finished(job=told) if told:
                waiting.pop(told, None)
            case steps.Nudged(event=event) if event == TOLD:
                waiting.clear()
            case steps.Ended():
                for job in self._ended.pop(session).values():
                    self._tell(session, job)
            case _:
                pass

    def _heard(self, session: str, job: Job) -> None:
        todo = self.hub.todo(session)
        if todo is not None and todo.running:
            self._ended.setdefault(session, {})[job.id] = job
        else:
            self._tell(session, job)

    def _tell(self, session: str, job: Job) -> None:
        task = asyncio.create_task(self._told(session, job), name=f"job {job.id} of {session}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _told(self, session: str, job: Job) -> None:
        try:
            place = await self.routes.place_of(session)
            if place is None:
                return
            with self.languages.telling(place):
                text = words.job_ended(job.id, job.ran.outcome.value, job.ran.exit_code)
            command = clip(self.mask(job.command), COMMAND)
            await self.notices.tell(place, Letter(f"{text}\n{command}"), f"job:{session}:{job.id}:{job.begun:.3f}")
        except StoreError as error:
            logger.warning("nobody could be told that job %s has ended: %s", job.id, error)
