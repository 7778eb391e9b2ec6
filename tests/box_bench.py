"""What the tests of the sandboxes share: every way to confine that this machine has, behind the real host."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from agent.host import LocalHost
from agent.ports import Sandbox
from agent.redact import Redactor
from agent.sandbox import Bubblewrap, Landlock, Unconfined
from agent.sandbox.landlock import LEAST_ABI
from agent.sandbox.trial import tried, works
from tests.host_bench import PATIENT, Bench

CONFINING = ("bubblewrap", "landlock", "landlock of old")
ALL = (*CONFINING, "none")
SECRET = "the-secret-of-the-home"


def sandbox(kind: str, home: str) -> Sandbox:
    """Skips the test where this machine can't do it."""
    if kind == "none":
        return Unconfined()
    if kind == "bubblewrap":
        program = shutil.which("bwrap")
        made: Sandbox = Bubblewrap(program or "", home)
        if not program or not works(made):
            pytest.skip("bubblewrap is not installed or forbidden here")
        return made
    abi = Landlock.usable_abi()
    made = Landlock(home, LEAST_ABI if kind == "landlock of old" else abi)
    if not abi or not tried(made):
        pytest.skip("this kernel has no Landlock, or too old a one")
    return made


@dataclass
class Place:
    """Folders of a test: our home with a secret, the user's home with credentials, a workspace, and one outside."""

    root: Path
    kind: str

    def __post_init__(self) -> None:
        for path in (self.home, self.user / ".ssh", self.workspace, self.outside):
            path.mkdir(parents=True)
        for path in (self.home / "config.toml", self.user / ".ssh/id", self.user / ".netrc"):
            path.write_text(SECRET)
        (self.outside / "old").write_text("old")

    @property
    def home(self) -> Path:
        return self.root / "state/jarvis"

    @property
    def user(self) -> Path:
        return self.root / "user"

    @property
    def workspace(self) -> Path:
        return self.root / "workspace"

    @property
    def outside(self) -> Path:
        return self.root / "outside"

    @asynccontextmanager
    async def bench(self, workspace: Path | None = None, home: Path | None = None) -> AsyncIterator[Bench]:
        """A host whose commands run in the box; no process may be left in the end."""
        where = str(home or self.home)
        base = {"HOME": str(self.user)}
        host = LocalHost(where, base, Redactor([]), PATIENT, sandbox(self.kind, where))
        made = Bench(host, workspace or self.workspace, box=True)
        try:
            yield made
        finally:
            await host.close()
        assert not made.left()


@pytest.fixture(params=["/tmp", "/var/tmp"])
def parent(request: pytest.FixtureRequest) -> str:
    """The folder above all: boxes have a /tmp of their own."""
    return str(request.param)


def place(parent: str, kind: str) -> Iterator[Place]:
    root = Path(os.path.realpath(parent), f"box-{uuid.uuid4().hex}")
    root.mkdir()
    try:
        yield Place(root, kind)
    finally:
        shutil.rmtree(root)
