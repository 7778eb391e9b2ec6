"""What the tests of the host share: a host with a workspace, and a look into the process table."""

from __future__ import annotations

import itertools
import os
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from agent.host import Bounds, LocalHost
from agent.ports import Command, Ran
from agent.redact import Redactor

SECRET = "known-secret-of-the-bench"
PATIENT = Bounds(cpu_s=5.0, wall_s=20.0, hash_s=20.0)  # the machine may be busy; the bounds have tests of their own


@dataclass
class Bench:
    host: LocalHost
    workspace: Path
    # An argument of no other process: `sleep 61.5` with a number of our own.
    marker: str = field(default_factory=lambda: f"61.{uuid.uuid4().int % 10**12}")
    cwd: str = ""
    box: bool = False
    network: bool = False
    _calls: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def command(self, text: str, timeout_s: float = 30.0, owner: str = "s1", cwd: str = "") -> Command:
        text = text.replace("MARKER", self.marker)
        where = cwd or self.cwd or str(self.workspace)
        return Command(
            text, where, str(self.workspace), timeout_s, owner, f"call{next(self._calls)}", self.box, self.network
        )

    async def run(self, text: str, timeout_s: float = 30.0, owner: str = "s1", cwd: str = "") -> Ran:
        """Run it where the last one ended, as a session does."""
        ran = await self.host.run(self.command(text, timeout_s, owner, cwd))
        self.cwd = ran.cwd
        return ran

    def left(self) -> list[str]:
        """Living processes with our marker among their arguments."""
        found = []
        for process in psutil.process_iter(["cmdline", "status", "pid"]):
            words = process.info["cmdline"] or []
            if process.info["status"] != psutil.STATUS_ZOMBIE and any(self.marker in word for word in words):
                found.append(f"{process.info['pid']} {words}")
        return found

    def wait_left(self, count: int, timeout_s: float = 10.0) -> list[str]:
        """Wait until exactly so many are left, return them either way."""
        deadline = time.monotonic() + timeout_s
        while len(left := self.left()) != count and time.monotonic() < deadline:
            time.sleep(0.02)
        return left


@asynccontextmanager
async def bench(tmp_path: Path, base: dict[str, str] | None = None, bounds: Bounds = PATIENT) -> AsyncIterator[Bench]:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    host = LocalHost(f"bench-{uuid.uuid4().hex}", base or {"HOME": str(tmp_path)}, Redactor([SECRET]), bounds)
    made = Bench(host, Path(os.path.realpath(workspace)))
    try:
        yield made
    finally:
        await host.close()
    assert not made.left()
