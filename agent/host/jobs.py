"""All background jobs of this process, by session: bounded in number, ended one by one, by run, or together."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import wait

from agent.errors import ToolError
from agent.host.job import BackgroundJob
from agent.host.launch import MORE_TRIES, Launch, Surroundings
from agent.host.records import RESTARTED, Records, record_of
from agent.ports import Command, Job

A_SESSION = 8  # running at once
IN_ALL = 64
REMEMBERED = 100  # that have ended, with the ends of their output
LOOK_S = 1.0  # after the start: what fails at once is told at once
PATIENCE_S = 8.0  # for jobs that were told to end

STOPPED = "It was ended by a person's /stop."
KILLED = "It was ended by a call of jobs."
GIVEN_UP = "It was ended since the run was stopped while it began."


class LocalJobs:
    """agent.ports.Jobs on this machine."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._lock = threading.Lock()
        self._disk = threading.Lock()
        self._jobs: dict[tuple[str, str], BackgroundJob] = {}
        self._records: Records | None = None  # read when they are first needed
        self._closed = False
        self.ended: Callable[[str, Job], None] = lambda owner, job: None

    async def begin(self, command: Command) -> Job:
        """See agent.ports.Jobs."""
        work = asyncio.create_task(asyncio.to_thread(self._begin, Launch(command, self._around)))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            await asyncio.shield(asyncio.create_task(self._given_up(work, command.owner)))
            raise

    async def of(self, owner: str) -> tuple[Job, ...]:
        return await asyncio.to_thread(self._list, owner)

    async def wait(self, owner: str, job: str, timeout_s: float) -> Job:
        found = await asyncio.to_thread(self._found, owner, job)
        if isinstance(found, Job):
            return found
        await asyncio.wait([asyncio.wrap_future(found.over)], timeout=timeout_s)
        return found.now()

    async def kill(self, owner: str, job: str) -> Job:
        found = await asyncio.to_thread(self._found, owner, job)
        if isinstance(found, Job):
            return found
        await self._end([found], KILLED)
        return found.now()

    def running(self, owner: str) -> int:
        return sum(job.command.owner == owner for job in self._running())

    async def end(self, owner: str = "", run: str = "") -> int:
        jobs = [job for job in self._running() if owner in ("", job.command.owner) and run in ("", job.command.run)]
        await self._end(jobs, STOPPED)
        return len(jobs)

    def close(self) -> None:
        """End all of them, for a restart. Blocks until they are gone."""
        with self._lock:
            self._closed = True
        jobs = self._running()
        for job in jobs:
            job.end(RESTARTED)
        wait([job.over for job in jobs], PATIENCE_S)

    async def _end(self, jobs: Sequence[BackgroundJob], why: str) -> None:
        for job in jobs:
            job.end(why)
        if jobs:
            await asyncio.wait([asyncio.wrap_future(job.over) for job in jobs], timeout=PATIENCE_S)

    async def _given_up(self, work: asyncio.Task[Job], owner: str) -> None:
        """The run was stopped while its job began."""
        await asyncio.wait([work])
        if not work.cancelled() and work.exception() is None:
            await self._end([self._jobs[owner, work.result().id]], GIVEN_UP)

    # -- in worker threads ------------------------------------------------------------------------------------------
    def _begin(self, launch: Launch) -> Job:
        """Raises ToolError."""
        number = self._next(launch.command.owner)
        for _ in range(1 + MORE_TRIES):
            job = self._admitted(number, launch)
            try:
                job.start()
            except BaseException:
                self._forget(job)
                raise
            wait([job.over], LOOK_S)
            if not job.unboxed:
                break
            self._forget(job)
        if job.refusal is not None:
            self._forget(job)
            raise job.refusal
        self._write(job)
        return job.now()

    def _next(self, owner: str) -> int:
        return max((int(job.id.removeprefix("j")) for job in self._list(owner)), default=0) + 1

    def _admitted(self, number: int, launch: Launch) -> BackgroundJob:
        owner = launch.command.owner
        with self._lock:
            running = [job for job in self._jobs.values() if job.running]
            own = [job.id for job in running if job.command.owner == owner]
            if self._closed:
                raise ToolError("Jarvis is shutting down: no background job is begun any more. Nothing ran.")
            if len(own) >= A_SESSION:
                raise ToolError(
                    f"{A_SESSION} background jobs run here already ({', '.join(own)}), and more are not allowed. "
                    "Nothing ran. Wait for one or kill one with jobs."
                )
            if len(running) >= IN_ALL:
                raise ToolError(
                    f"{IN_ALL} background jobs run on this machine already, and more are not allowed. Nothing ran."
                )
            while len(self._jobs) - len(running) >= REMEMBERED:
                del self._jobs[next(key for key, job in self._jobs.items() if not job.running)]
            while (owner, f"j{number}") in self._jobs:  # begun since the list was looked at, or a try before this
                number += 1
            id = f"j{number}"
            job = self._jobs[owner, id] = BackgroundJob(id, launch, self._around.trees, self._over)
            return job

    def _forget(self, job: BackgroundJob) -> None:
        with self._lock:
            self._jobs.pop((job.command.owner, job.id), None)

    def _running(self) -> list[BackgroundJob]:
        with self._lock:
            return [job for job in self._jobs.values() if job.running]

    def _list(self, owner: str) -> tuple[Job, ...]:
        with self._lock:
            live = {job.id: job for (of, _), job in self._jobs.items() if of == owner}
        with self._disk:
            past = {record.id: record for record in self._known().of(owner)}
        ids = sorted({*past, *live}, key=lambda id: int(id.removeprefix("j")))
        return tuple(live[id].now() if id in live else past[id].job() for id in ids)

    def _found(self, owner: str, id: str) -> BackgroundJob | Job:
        with self._lock:
            live = self._jobs.get((owner, id))
        if live is not None:
            return live
        jobs = self._list(owner)
        for job in jobs:
            if job.id == id:
                return job
        there = ", ".join(job.id for job in jobs[-A_SESSION:])
        raise ToolError(
            f"There is no background job {id[:40]!r} here; " + (f"there are {there}." if jobs else "there are none.")
        )

    def _over(self, job: BackgroundJob) -> None:
        self._write(job)
        told = job.now()
        if told.ran.duration > LOOK_S and job.refusal is None:  # else the call that began it tells it
            self.ended(job.command.owner, told)

    def _write(self, job: BackgroundJob) -> None:
        record = record_of(job.command, job.now())
        with self._disk:
            if job.refusal is None and (job.running or record.outcome):  # what ended meanwhile has been written
                self._known().put(record)

    def _known(self) -> Records:
        if self._records is None:
            self._records = Records(self._around.home)
        return self._records
