"""Fixtures shared by all tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.lab import Lab
from tests.fakes.model import FakeModel
from tests.fakes.telegram import OWNER, FakeTelegram


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "lab(chats, env, command): settings of the `lab` fixture")


@pytest.fixture
def tmp_home(tmp_path: Path) -> Path:
    """A JARVIS_HOME of the test's own."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    return home


@pytest.fixture
async def telegram() -> AsyncIterator[FakeTelegram]:
    """The Bot API fake, with the owner's private chat."""
    async with FakeTelegram() as server:
        server.chats.chat(OWNER)
        yield server
    assert not server.server.crashes


@pytest.fixture
async def model() -> AsyncIterator[FakeModel]:
    """The model fake."""
    async with FakeModel() as server:
        yield server
    assert not server.server.crashes


@pytest.fixture
async def lab(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Lab]:
    """The real `jarvis run`, not started yet. Settings by `@pytest.mark.lab(chats=[8, -100], env={...})`.

    A test that passed fails all the same if the bot sent the model a request that a strict provider refuses.
    """
    mark = request.node.get_closest_marker("lab")
    given = mark.kwargs if mark else {}
    async with Lab(tmp_path, given.get("chats", ()), given.get("env"), given.get("command", ())) as bench:
        yield bench
        assert not bench.faults()
