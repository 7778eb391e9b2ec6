"""The bot as a real process between the two fakes: start, SIGTERM, kill -9, memory, log. Linux only."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from tests.fakes.telegram import FakeTelegram

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def jarvis(*arguments: str) -> list[str]:
    """The console script of the running environment, or the module if the script isn't installed."""
    script = Path(sys.executable).with_name("jarvis")
    return [str(script), *arguments] if script.exists() else [sys.executable, "-m", "bot", *arguments]


class NotStarted(AssertionError):
    """The process ended, or never polled; the message holds the end of its log."""


class BotProcess:
    """One life after another of the same bot: same environment, same home, one log file."""

    def __init__(self, telegram: FakeTelegram, env: Mapping[str, str], work: Path, command: Sequence[str] = ()) -> None:
        self.env = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", "HOME": str(work), **env}
        self.log = work / "bot.log"
        self._telegram, self._work = telegram, work
        self._command = list(command) or jarvis("run")
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None, "not started yet"
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def launch(self) -> None:
        """Start without waiting for anything."""
        self._process = await _spawn(self._command, self.env, self._work, self.log)

    async def start(self, timeout: float = 20) -> float:
        """Start and wait for the first poll; returns how many seconds it took. Raises NotStarted."""
        polls, began = len(self._telegram.polls), time.monotonic()
        await self.launch()
        poll = asyncio.ensure_future(self._telegram.wait_poll(timeout, polls))
        end = asyncio.ensure_future(self.wait())
        await asyncio.wait({poll, end}, return_when=asyncio.FIRST_COMPLETED)
        try:
            if end.done() or poll.exception():
                why = f"exited with {end.result()}" if end.done() else f"no poll within {timeout:g} s"
                raise NotStarted(f"{' '.join(self._command)}: {why}\n{self.log_tail()}")
            return poll.result().at - began
        finally:
            poll.cancel()
            end.cancel()

    async def wait(self, timeout: float | None = None) -> int:
        """The exit code, negative for a signal. Raises TimeoutError."""
        assert self._process is not None, "not started yet"
        async with asyncio.timeout(timeout):
            return await self._process.wait()

    async def stop(self, grace: float = 10) -> int:
        """SIGTERM; the exit code. Kills and raises TimeoutError after `grace` seconds."""
        assert self._process is not None, "not started yet"
        self._process.send_signal(signal.SIGTERM)
        try:
            return await self.wait(grace)
        except TimeoutError:
            await self.kill()
            raise

    async def kill(self, tree: bool = True) -> None:
        """kill -9, as the kernel does when memory is short. tree=False leaves running tools alive."""
        if not self.alive:
            return
        for process in self.tree() if tree else self.tree()[:1]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        await self.wait()

    def tree(self) -> list[psutil.Process]:
        """The bot and everything below it, the bot first."""
        with contextlib.suppress(psutil.NoSuchProcess):
            bot = psutil.Process(self.pid)
            return [bot, *bot.children(recursive=True)]
        return []

    def memory_mb(self) -> float:
        """Proportional set size of the tree in MiB: what it really costs."""
        total = 0
        for process in self.tree():
            with contextlib.suppress(psutil.Error):
                total += process.memory_full_info().pss
        return total / 2**20

    def log_tail(self, chars: int = 3000) -> str:
        return self.log.read_text(errors="replace")[-chars:] if self.log.exists() else ""

    async def run(self, *arguments: str, timeout: float = 15) -> tuple[int, str]:
        """Run another `jarvis` command in the same environment; exit code and output. Raises TimeoutError."""
        out = self._work / f"cli-{time.monotonic_ns()}.txt"
        process = await _spawn(jarvis(*arguments), self.env, self._work, out)
        try:
            async with asyncio.timeout(timeout):
                code = await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return code, out.read_text(errors="replace")


async def _spawn(command: Sequence[str], env: Mapping[str, str], cwd: Path, out: Path) -> asyncio.subprocess.Process:
    with out.open("ab") as log:  # a file: no pipe can block it
        return await asyncio.create_subprocess_exec(
            *command,
            env=env,
            cwd=cwd,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=_die_with_parent,
        )
