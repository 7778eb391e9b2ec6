"""A sender over a fake channel, a store in memory and a clock moved by hand."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from agent import Outgoing
from agent.store.memory import MemoryStore
from bot.channel import Letter, Place
from bot.outbox import Sender, encode
from tests.fakes.channel import FakeChannel
from tests.fakes.clock import HandClock


class CountingStore(MemoryStore):
    def __init__(self) -> None:
        super().__init__()
        self.marks: list[tuple[str, str]] = []

    async def mark(self, key: str, state: str, message_id: int | None = None) -> None:
        self.marks.append((key, state))
        await super().mark(key, state, message_id)


@dataclass
class Post:
    """A sender over fakes, and the two calls that a desk makes."""

    clock: HandClock
    channel: FakeChannel
    store: CountingStore
    sender: Sender
    reached: list[str]
    told: list[tuple[str, str, str]]

    async def write(self, *texts: str, chat: str = "7", role: str = "answer", letter: Letter | None = None) -> None:
        place = self.channel.place(chat)
        rows = [Outgoing(f"{chat}:{text}", chat, encode(place, letter or Letter(text)), role=role) for text in texts]
        self.sender.deliver(await self.store.project("s", 0, rows))

    def again(self) -> Sender:
        """A new process on the same store."""
        return Sender(self.store, self.channel, self.clock)

    async def state(self, key: str) -> tuple[str, int | None]:
        row = await self.store.find(key)
        assert row is not None
        return row.state, row.message_id


@asynccontextmanager
async def opened() -> AsyncIterator[Post]:
    clock, store = HandClock(), CountingStore()
    channel = FakeChannel(clock)
    reached: list[str] = []
    told: list[tuple[str, str, str]] = []

    async def tell(place: Place, why: str, moved_to: str) -> None:
        told.append((place.chat, why, moved_to))

    sender = Sender(store, channel, clock, reached.append, tell)
    yield Post(clock, channel, store, sender, reached, told)
    await sender.close()
