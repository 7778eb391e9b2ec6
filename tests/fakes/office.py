"""The whole service over fakes: chat in memory, store in memory, a scripted model, a clock moved by hand."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from agent.models.scripted import Line, ScriptedModel
from agent.ports import Guard
from agent.settings import load
from agent.store.memory import MemoryStore
from bot.access import Access
from bot.channel import Letter
from bot.parts import Parts
from bot.service import Service
from tests.fakes.channel import FakeChannel
from tests.fakes.clock import HandClock
from tests.fakes.edges import OpenScreen
from tests.fakes.host import FakeHost
from tests.fakes.tools import Mark, Peek

OWNER, ADMIN, OPERATOR, VIEWER = 7, 5, 8, 9
GROUP = "-100"


@dataclass
class Office:
    """A running service. `letters` are what a chat shows, with their buttons."""

    clock: HandClock
    store: MemoryStore
    channel: FakeChannel
    model: ScriptedModel
    mark: Mark
    service: Service
    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Until the past is picked up, for which files are read in threads."""
        self.task = asyncio.create_task(self.service.serve(self.stopped))
        async with asyncio.timeout(30):
            while not hasattr(self.service, "door") and not self.task.done():
                await asyncio.sleep(0.001)
        await self.clock.settle()

    async def pass_time(self, seconds: float = 1.0) -> None:
        await self.clock.advance(seconds)

    def letters(self, chat: str = str(OWNER)) -> list[Letter]:
        return [letter for place, letter in self.channel.messages.values() if place.chat == chat]

    def button(self, text: str, chat: str = str(OWNER)) -> str:
        """The data of the newest button with this text. Raises LookupError."""
        rows = [row for letter in reversed(self.letters(chat)) for row in letter.buttons]
        found = [button.data for row in rows for button in row if text.lower() in button.text.lower()]
        if not found:
            raise LookupError(f"no button {text!r} in {[b.text for row in rows for b in row]}")
        return found[0]

    def showing(self, text: str) -> int:
        """The id of the newest message with this text. Raises LookupError."""
        found = [number for number, (_, letter) in self.channel.messages.items() if text in letter.text]
        if not found:
            raise LookupError(f"nothing shows {text!r}")
        return max(found)

    def toasts(self) -> list[str]:
        return [call.detail for call in self.channel.made("answer_press")]


@contextlib.asynccontextmanager
async def office(
    lines: Sequence[Line],
    tmp_path: Path,
    guards: Sequence[Guard] = (),
    store: MemoryStore | None = None,
    env: dict[str, str] | None = None,
    nobody: bool = False,
    **access: Any,
) -> AsyncIterator[Office]:
    """A service that serves until the block ends; then it dies without a farewell. `nobody`: the settings name none."""
    clock = HandClock()
    names = {"JARVIS_HOME": tmp_path / "home", "JARVIS_RUN__WORKSPACE": tmp_path / "ws", "JARVIS_RUN__MODE": "full"}
    settings = load(
        {**{name: str(value) for name, value in names.items()}, "HOME": str(tmp_path), **(env or {})}
    ).settings
    channel, model, mark = FakeChannel(clock), ScriptedModel(lines, clock), Mark()
    who = (
        Access()
        if nobody
        else Access(
            owner=OWNER,
            admins=frozenset({ADMIN}),
            operators=frozenset({OPERATOR}),
            viewers=frozenset({VIEWER}),
            chats=frozenset({GROUP}),
            **access,
        )
    )
    if store is not None:  # a service that was there before: it goes on counting
        channel._ids, channel._updates = count(10_001), count(10_001)
    store = store or MemoryStore()
    parts = Parts(channel, store, model, FakeHost(), who, clock, OpenScreen())  # type: ignore[arg-type]
    service = Service(settings, parts)
    service.hub.edges.tools, service.hub.edges.guards = [mark, Peek()], list(guards)
    service.hub.edges.registries = ()  # they look at the disk in threads, for which no clock of ours waits
    built = Office(clock, store, channel, model, mark, service)
    await built.start()
    try:
        yield built
    finally:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
