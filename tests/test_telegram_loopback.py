"""The Telegram channel over real sockets, against a strict Bot API server on loopback."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence

import pytest

from agent import TokenRefused
from agent.clock import SystemClock
from bot.channel import Ambiguous, Button, Letter, Passing, Place, Received
from bot.channels._telegram_poll import Pace
from bot.channels.telegram import TelegramChannel
from tests.fakes.bell import Bell
from tests.fakes.telegram import OWNER, TOKEN, FakeTelegram, Fault

PRIVATE = Place("telegram", "1000", str(OWNER))
GROUP = -1001


class Inbox:
    def __init__(self) -> None:
        self.bell = Bell()
        self.texts: list[str] = []

    async def intake(self, batch: Sequence[Received]) -> None:
        self.texts += [one.arrival.text if one.arrival else one.row.poison for one in batch]
        self.bell.ring()

    async def has(self, *texts: str) -> None:
        await self.bell.until(lambda: self.texts == list(texts), 10)


@contextlib.asynccontextmanager
async def connected(service: FakeTelegram, pace: Pace | None = None) -> AsyncIterator[TelegramChannel]:
    channel = TelegramChannel(TOKEN, service.url, SystemClock(), pace=pace)
    try:
        await channel.connect()
        yield channel
    finally:
        await channel.close()


@contextlib.asynccontextmanager
async def listening(channel: TelegramChannel, inbox: Inbox) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(channel.listen(inbox.intake))
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_day_in_a_chat() -> None:
    inbox = Inbox()
    async with FakeTelegram() as service, connected(service) as channel, listening(channel, inbox):
        assert channel.bot == "1000"
        await service.wait_poll()
        asked = service.people.say("hello", GROUP, topic=55)
        await service.wait_confirmed(asked)
        assert inbox.texts == ["hello"]
        place = Place("telegram", "1000", str(GROUP), "55")
        await channel.react(place, service.chats.messages[GROUP].popitem()[0], "👀")
        letter = Letter("bold 😀", ({"type": "bold", "offset": 0, "length": 4},), ((Button("Stop", "stop"),),))
        sent = await channel.send(place, letter)
        await channel.edit(place, sent, letter)  # the server says "not modified"
        await channel.edit(place, sent, Letter("plain"))
        await channel.typing(place)
        press = service.people.press(GROUP, sent, "stop", user=OWNER)
        await inbox.has("hello", "")
        await channel.answer_press(press, "stopping")
        await service.wait_call(lambda call: call.method == "answerCallbackQuery")
        await service.wait_call(lambda call: call.method == "sendChatAction")
        assert service.screen(GROUP) == ["plain"]
        assert {call.params.get("message_thread_id") for call in service.calls if call.method[:4] == "send"} == {55}


async def test_resets_and_half_answers_lose_nothing() -> None:
    inbox = Inbox()
    async with FakeTelegram() as service, connected(service) as channel:
        service.faults.add(Fault(method="getUpdates", status=200, body='{"ok":true,"result":[{"update_id":1,"mess'))
        service.faults.add(Fault(method="getUpdates", reset=True))
        service.people.say("one")
        async with listening(channel, inbox):
            await inbox.has("one")
    assert len(service.polls) <= 5


async def test_a_poll_that_never_answers_is_given_up() -> None:
    inbox = Inbox()
    async with FakeTelegram() as service, connected(service, Pace(hold=1, grace=-0.8)) as channel:
        service.faults.add(Fault(method="getUpdates", hang=True))
        service.people.say("one")
        async with listening(channel, inbox):
            await inbox.has("one")


async def test_a_send_whose_answer_is_lost_is_ambiguous_and_one_that_met_nobody_is_not() -> None:
    async with FakeTelegram() as service, connected(service) as channel:
        service.chats.chat(OWNER)
        service.faults.add(Fault(method="sendMessage", apply=True, reset=True))
        with pytest.raises(Ambiguous):
            await channel.send(PRIVATE, Letter("once"))
        assert service.screen(OWNER) == ["once"]
        await service.server.stop()
        with pytest.raises(Passing):
            await channel.send(PRIVATE, Letter("never"))


async def test_a_slow_send_holds_up_neither_polling_nor_another_chat() -> None:
    inbox = Inbox()
    async with FakeTelegram() as service, connected(service) as channel, listening(channel, inbox):
        service.chats.chat(8)
        service.faults.add(Fault(method="sendMessage", match=lambda call: call.chat == OWNER, delay=1.0))
        slow = asyncio.create_task(channel.send(PRIVATE, Letter("slow")))
        await service.bell.until(lambda: any(call.chat == OWNER for call in service.calls), 5)
        service.people.say("meanwhile")
        await inbox.has("meanwhile")
        await channel.send(Place("telegram", "1000", "8"), Letter("other"))
        assert not slow.done()
        await slow


async def test_a_webhook_in_the_way_is_removed_and_the_updates_come() -> None:
    inbox = Inbox()
    async with FakeTelegram() as service, connected(service) as channel:
        service.people.say("waiting")
        service.updates.webhook = "https://example.org/hook"
        async with listening(channel, inbox):
            await inbox.has("waiting")
    assert service.updates.webhook == ""


async def test_a_token_revoked_while_listening_ends_it() -> None:
    async with FakeTelegram() as service, connected(service) as channel, listening(channel, Inbox()) as task:
        await service.wait_poll()
        service.token = "1000:another"
        service.people.say("wakes the poll")
        with pytest.raises(TokenRefused):
            await asyncio.wait_for(task, 10)
