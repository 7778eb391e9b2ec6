"""Signs of life: one a place, the useful ones first, none that comes too late, none that the service doesn't want."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from bot.channel import Letter, Place
from bot.channels._telegram_signs import AT_ONCE, FEW, RECEIPT_S, RECEIPTS, RUSH_S, SHOWN_S, TYPING_S, Signs
from tests.fakes.bot_line import Line
from tests.fakes.bot_request import Hangs, refused
from tests.fakes.clock import HandClock

HERE, THERE = Place("telegram", "1", "7"), Place("telegram", "1", "8")


class Service:
    """Calls that take `takes` seconds each; `made` names them in order."""

    def __init__(self, takes: float = 0.0, silence: float | None = None) -> None:
        self.clock, self.takes, self.silence = HandClock(), takes, silence
        self.made: list[str] = []
        self.most = self._now = 0
        self.signs = Signs(self.clock, self._make)

    async def _make(self, call: Callable[[], Awaitable[object]]) -> float | None:
        self._now += 1
        self.most = max(self.most, self._now)
        await call()
        await self.clock.sleep(self.takes)
        self._now -= 1
        return self.silence

    def call(self, name: str) -> Callable[[], Awaitable[object]]:
        async def call() -> None:
            self.made.append(name)

        return call

    def receipt(self, place: Place, name: str) -> None:
        self.signs.receipt(place, self.call(name))

    def type(self, place: Place, name: str) -> None:
        self.signs.typing(place, self.call(name))


async def test_many_go_one_after_the_other_and_none_is_lost() -> None:
    service = Service(takes=0.1)
    for n in range(100):
        service.type(Place("telegram", "1", str(n)), str(n))
    await service.clock.advance(2)
    assert service.made == [str(n) for n in range(100)]
    assert service.most == AT_ONCE


async def test_typing_goes_before_receipts_which_take_few_at_once() -> None:
    service = Service(takes=0.5)
    for n in range(20):
        service.receipt(Place("telegram", "1", str(n)), f"receipt {n}")
    await service.clock.settle()
    assert service.most == RECEIPTS
    service.type(HERE, "typing")
    await service.clock.advance(5)
    assert service.made.index("typing") == RECEIPTS
    assert len(service.made) == 21


@pytest.mark.parametrize(("before", "made"), [(FEW - 3, [0, 1, 2]), (FEW, [2])])
async def test_each_message_gets_its_receipt_and_in_a_rush_each_chats_newest(before: int, made: list[int]) -> None:
    service = Service(takes=1.0)
    for n in range(RECEIPTS):
        service.receipt(Place("telegram", "1", str(n)), "busy")
    await service.clock.settle()
    for n in range(before):
        service.receipt(Place("telegram", "1", str(100 + n)), "others")
    for n in range(3):
        service.receipt(HERE, f"message {n}")
    await service.clock.advance(9)
    assert [each for each in service.made if "message" in each] == [f"message {n}" for n in made]
    assert service.made.count("others") == before


@pytest.mark.parametrize(("kind", "worth"), [("typing", TYPING_S), ("receipt", RECEIPT_S)])
@pytest.mark.parametrize("late", [-0.1, 0.0])
async def test_what_comes_too_late_is_not_made(kind: str, worth: float, late: float) -> None:
    service = Service(takes=worth + late)
    for n in range(AT_ONCE):
        service.type(Place("telegram", "1", str(100 + n)), "busy")
    await service.clock.settle()
    if kind == "typing":
        service.type(HERE, "sign")
    else:
        service.receipt(HERE, "sign")
    await service.clock.advance(3 * worth)
    assert ("sign" in service.made) == (late < 0)


async def test_typing_that_stands_is_not_shown_again_until_a_message_came_or_it_is_over() -> None:
    service = Service()
    for wait in (0.0, SHOWN_S - 0.1, 0.1):
        await service.clock.advance(wait)
        service.type(HERE, f"after {wait}")
        await service.clock.settle()
    service.type(THERE, "elsewhere")
    service.signs.overtaken(HERE)
    service.type(HERE, "after a message")
    await service.clock.settle()
    assert service.made == ["after 0.0", "after 0.1", "elsewhere", "after a message"]


async def test_typing_that_a_message_overtakes_is_dropped() -> None:
    service = Service(takes=1.0)
    for n in range(AT_ONCE):
        service.type(Place("telegram", "1", str(100 + n)), "busy")
    await service.clock.settle()
    service.type(THERE, "late")
    service.signs.overtaken(THERE)
    await service.clock.advance(5)
    assert "late" not in service.made


async def test_a_service_that_wants_none_gets_none_for_so_long() -> None:
    service = Service(silence=30.0)
    service.type(HERE, "first")
    await service.clock.settle()
    service.silence = None
    service.type(THERE, "refused")
    service.receipt(THERE, "refused too")
    await service.clock.advance(30)
    service.type(HERE, "again")
    await service.clock.settle()
    assert service.made == ["first", "again"]


async def test_the_channel_types_once_a_place_and_again_after_a_message() -> None:
    line = Line()
    for place in (HERE, HERE, THERE, Place("telegram", "1", "7", "5")):
        await line.channel.typing(place)
    await line.api.until(lambda: len(line.api.made("sendChatAction")) == 3)
    await line.channel.send(HERE, Letter("hello"))
    await line.channel.typing(HERE)
    await line.api.until(lambda: len(line.api.made("sendChatAction")) == 4)
    await line.channel.close()


async def test_a_flood_limit_on_signs_silences_signs_alone() -> None:
    line = Line()
    line.api.on("sendChatAction", refused(429, "Too Many Requests: retry after 9", retry_after=9))
    await line.channel.typing(HERE)
    await line.api.until(lambda: line.api.made("sendChatAction"))
    await asyncio.sleep(0.01)
    await line.channel.typing(THERE)
    await line.channel.react(HERE, 4, "👀")
    assert await line.channel.send(HERE, Letter("hello"))
    await line.channel.close()
    assert [call.method for call in line.api.calls] == ["sendChatAction", "sendMessage"]


@pytest.mark.parametrize(("signs", "waits"), [(0, False), (FEW, False), (FEW + 1, True), (100, True)])
async def test_after_a_rush_the_signs_are_made_before_the_work_begins(signs: int, waits: bool) -> None:
    line = Line()
    asked = [asyncio.create_task(line.channel.typing(Place("telegram", "1", str(n + 1)))) for n in range(signs)]
    await line.channel.signed()
    assert (len(line.api.made("sendChatAction")) == signs) or not waits
    await asyncio.gather(*asked)
    await line.channel.close()


async def test_a_rush_of_signs_that_hang_is_not_waited_for() -> None:
    line = Line()
    line.api.on("sendChatAction", *[Hangs()] * 100)
    for n in range(100):
        await line.channel.typing(Place("telegram", "1", str(n + 1)))
    async with asyncio.timeout(10 * RUSH_S):
        await line.channel.signed()
    await line.channel.close()


async def test_hanging_signs_end_with_the_channel() -> None:
    line = Line()
    line.api.on("sendChatAction", *[Hangs()] * 40)
    for n in range(40):
        await line.channel.typing(Place("telegram", "1", str(n + 1)))
    await line.api.until(lambda: len(line.api.made("sendChatAction")) == AT_ONCE)
    async with asyncio.timeout(1):
        await line.channel.close()
