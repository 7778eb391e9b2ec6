"""The machine that we run on, as the engine sees it: runs commands in bash, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from agent.errors import ToolError
from agent.host.attempt import Attempt
from agent.host.boxing import Boxing, credentials
from agent.host.environment import MARK, built
from agent.host.jobs import LocalJobs
from agent.host.launch import STOP_GRACE_S, Surroundings
from agent.host.link import Link
from agent.host.spill import Redacts
from agent.host.statdiff import Bounds, Hashes
from agent.host.survivors import Survivors, ended
from agent.host.talking import Children
from agent.host.trees import Trees
from agent.ports import Child, Command, Jobs, Ran, Sandbox

COMMANDS = 256  # at once; more wait
CLOSE_S = 8.0  # for commands to end: one whose workspace hangs (a dead network drive) never does
ENDINGS = 64  # at once; threads of their own, since a stop must not wait for whatever else keeps threads busy


class LocalHost:
    """agent.ports.Host on this machine. Close it in the end: then whatever still runs is ended."""

    def __init__(
        self,
        home: str,
        base: Mapping[str, str],
        redactor: Redacts,
        bounds: Bounds | None = None,
        sandbox: Sandbox | None = None,
        hidden: Sequence[str] = (),
    ) -> None:
        """`home` identifies this installation (commands see it), `base` is the environment that we were started in, of
        which commands get what agent/host/environment.py lets through. `sandbox` is for commands with `box`, which
        can see neither `home` nor the user's credentials nor what else is `hidden`."""
        environment = built(base, redactor)
        boxing = Boxing(sandbox, (home, *hidden, *credentials(environment["HOME"])))
        self._around = Surroundings(
            home, environment, redactor, bounds or Bounds(), Link(), Survivors(), Trees(), Hashes(), boxing
        )
        self._children = Children(self._around)
        self._jobs = LocalJobs(self._around)
        self.jobs: Jobs = self._jobs
        self._attempts: set[Attempt] = set()
        self._threads = ThreadPoolExecutor(COMMANDS, thread_name_prefix="command")
        self._endings = ThreadPoolExecutor(ENDINGS, thread_name_prefix="ending")

    async def run(self, command: Command) -> Ran:
        """See agent.ports.Host. Raises ToolError where the command can't be started."""
        attempt = Attempt(command, self._around)
        self._attempts.add(attempt)
        try:
            work = asyncio.get_running_loop().run_in_executor(self._threads, attempt.run)
        except RuntimeError as error:  # no room for a thread; an older one may still come upon the work
            attempt.stop()
            self._attempts.discard(attempt)
            raise ToolError(f"The command could not be started: {error}. Nothing ran.") from error
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            attempt.stop()
            await settled(work)
            await settled(asyncio.get_running_loop().run_in_executor(self._endings, attempt.clear))
            raise
        finally:
            self._attempts.discard(attempt)

    async def child(self, argv: Sequence[str], name: str, variables: Mapping[str, str]) -> Child:
        return await asyncio.to_thread(self._children.begin, argv, name, variables)

    async def reap(self, owner: str) -> int:
        end = self._around.survivors.end
        return await asyncio.get_running_loop().run_in_executor(self._endings, end, owner, STOP_GRACE_S)

    async def sweep(self) -> int:
        return await asyncio.to_thread(self._sweep)

    async def close(self) -> None:
        """End everything that still runs, and the process that watched it."""
        for attempt in self._attempts:
            attempt.stop()
        await asyncio.get_running_loop().run_in_executor(self._endings, self._close)

    def _close(self) -> None:
        ending = threading.Thread(target=self._threads.shutdown, name="commands end", daemon=True)
        ending.start()
        ending.join(CLOSE_S)
        self._jobs.close()
        self._children.close()
        self._around.survivors.end_all(STOP_GRACE_S)
        self._around.link.close()

    def _sweep(self) -> int:
        return ended(self._around.link.send([b"sweep", f"{MARK}={self._around.home}:".encode()], []))


async def settled(work: asyncio.Future[Any]) -> None:
    """Wait until it is done, however often we are cancelled meanwhile; what came of it doesn't matter."""
    while not work.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait([work])
    if not work.cancelled():
        work.exception()
