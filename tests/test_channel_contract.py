"""What every channel keeps of bot.channel.Channel, whatever is behind it: run on the fake and on the terminal."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass

import pytest

from agent import Inbound
from bot.channel import Arrival, Channel, Letter, Place, Received, Refused
from bot.channels.console import PLACE, ConsoleChannel
from tests.fakes.channel import FakeChannel
from tests.fakes.clock import HandClock


@dataclass
class Stage:
    """A channel, a place of it, and how a person writes there and what they see."""

    channel: Channel
    place: Place
    write: Callable[[str], Awaitable[object]]
    seen: Callable[[], str]


async def fake() -> AsyncIterator[Stage]:
    channel = FakeChannel(HandClock())
    yield Stage(channel, channel.place(), channel.say, lambda: "\n".join(channel.screen()))


async def console() -> AsyncIterator[Stage]:
    out, (reading, writing) = io.StringIO(), os.pipe()

    async def write(text: str) -> None:
        os.write(writing, text.encode() + b"\n")

    yield Stage(ConsoleChannel(HandClock(), reading, out), PLACE, write, out.getvalue)
    os.close(writing)
    await asyncio.sleep(0.05)  # the reader sees the end before its file descriptor goes
    os.close(reading)


@pytest.fixture(params=[fake, console], ids=["fake", "console"])
async def stage(request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    async for stage in request.param():
        yield stage


async def hear(stage: Stage, *texts: str) -> list[Received]:
    got: asyncio.Queue[Received] = asyncio.Queue()

    async def intake(received: Sequence[Received]) -> None:
        for each in received:
            got.put_nowait(each)

    listening = asyncio.create_task(stage.channel.listen(intake))
    async with asyncio.timeout(10):
        for text in texts:
            await stage.write(text)
        heard = [await got.get() for _ in texts]
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    return heard


async def test_it_knows_its_name_and_logs_in(stage: Stage) -> None:
    await stage.channel.connect()
    assert (stage.channel.name, stage.channel.bot) == (stage.place.channel, stage.place.bot)
    assert stage.channel.health.problem == ""


async def test_what_is_written_arrives_in_order_and_once(stage: Stage) -> None:
    heard = await hear(stage, "one", "/stop now", "日本 😀")
    arrivals = [r.arrival for r in heard]
    assert all(isinstance(a, Arrival) and a.place == stage.place and a.addressed and a.private for a in arrivals)
    assert [(a.text, a.command, a.args) for a in arrivals if a] == [
        ("one", "", ""),
        ("/stop now", "stop", "now"),
        ("日本 😀", "", ""),
    ]
    ids = [r.row.update_id for r in heard]
    assert ids == sorted(set(ids))
    assert len({a.ref for a in arrivals if a}) == 3


async def test_a_stored_row_means_the_same_as_when_it_arrived(stage: Stage) -> None:
    [received] = await hear(stage, "/new here")
    assert stage.channel.parse(received.row) == received.arrival
    assert received.row.bot == stage.channel.bot
    assert received.row.chat == stage.place.chat


async def test_a_row_that_cannot_be_read_is_none(stage: Stage) -> None:
    assert stage.channel.parse(Inbound(stage.channel.bot, 1, stage.place.chat, "nonsense", 0.0)) is None


async def test_letters_are_seen_and_numbered(stage: Stage) -> None:
    ids = [await stage.channel.send(stage.place, Letter(text)) for text in ("first", "second")]
    assert len(set(ids)) == 2
    assert stage.seen().index("first") < stage.seen().index("second")


async def test_a_card_shows_its_newest_state(stage: Stage) -> None:
    card = await stage.channel.send(stage.place, Letter("run\n… ls", silent=True))
    await stage.channel.edit(stage.place, card, Letter("run\n✓ ls", silent=True))
    await stage.channel.edit(stage.place, card, Letter("run\n✓ ls", silent=True))  # not modified: success
    assert "✓ ls" in stage.seen()


async def test_what_is_still_being_written_is_no_message_or_refused(stage: Stage) -> None:
    if stage.channel.drafts:
        await stage.channel.draft(stage.place, 5, Letter("half a sen"))
    else:
        with pytest.raises(Refused):
            await stage.channel.draft(stage.place, 5, Letter("half a sen"))
    assert "half" not in stage.seen()
    assert await stage.channel.send(stage.place, Letter("half a sentence."))
    assert stage.seen().count("half a sentence.") == 1


async def test_cosmetics_never_raise(stage: Stage) -> None:
    await stage.channel.typing(stage.place)
    await stage.channel.react(stage.place, 1, "👀")
    await stage.channel.signed()
    await stage.channel.answer_press("1", "done")
    await stage.channel.announce_commands([("help", "what I can do")])
    await stage.channel.close()
