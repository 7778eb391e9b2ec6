"""The poll loop of the Telegram channel: what is confirmed, and when; what it survives."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import httpx
import pytest
from telegram.error import NetworkError, TimedOut

from agent import StoreError, TokenRefused
from bot.channel import Received
from bot.channels._telegram_poll import Backoff, Pace
from bot.channels.telegram import TelegramChannel
from tests.fakes.bot_request import Answer, Breaks, FakeBotApi, Hangs, Says, refused

TOKEN = "1000:SECRET-token"


class RushClock:
    """Sleeps take no time; `slept` has how long they were meant to be."""

    def __init__(self, api: FakeBotApi) -> None:
        self.slept: list[float] = []
        self._api = api

    def now(self) -> float:
        return 1_800_000_000.0 + sum(self.slept)

    def monotonic(self) -> float:
        return sum(self.slept)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._api.bell.ring()
        await asyncio.sleep(0)


class Line:
    """A channel on a fake API, with an inbox that can be broken."""

    def __init__(self, **settings: Any) -> None:
        self.api = FakeBotApi()
        self.clock = RushClock(self.api)
        self.reached: list[str] = []
        self.channel = TelegramChannel(
            TOKEN, "http://fake", self.clock, reach=self.reached.append, transport=self.api.request, **settings
        )
        self.batches: list[list[Received]] = []
        self.broken: list[Exception] = []
        self.confirmed_early: list[int | None] = []

    async def intake(self, batch: Sequence[Received]) -> None:
        self.confirmed_early += self.offsets[-1:]
        if self.broken:
            raise self.broken.pop(0)
        self.batches.append(list(batch))
        self.api.bell.ring()

    @property
    def received(self) -> list[Received]:
        return [one for batch in self.batches for one in batch]

    @property
    def ids(self) -> list[int]:
        return [one.row.update_id for one in self.received]

    @property
    def offsets(self) -> list[int | None]:
        return [poll.get("offset") for poll in self.api.made("getUpdates")]

    def polls(self, *answers: Answer) -> None:
        self.api.on("getUpdates", *answers)

    async def got(self, count: int) -> None:
        await self.api.until(lambda: len(self.received) >= count)

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator[asyncio.Task[None]]:
        await self.channel.connect()
        task = asyncio.create_task(self.channel.listen(self.intake))
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await self.channel.close()


def update(number: int, text: str = "hi", **message: object) -> dict[str, Any]:
    person = {"id": 7, "is_bot": False, "first_name": "Ada"}
    inner = {"message_id": number, "date": 1_800_000_000, "chat": {"id": 7, "type": "private"}, "from": person}
    return {"update_id": number, "message": {**inner, "text": text, **message}}


def over(cause: Exception) -> Breaks:
    """A network error as python-telegram-bot's httpx request raises it."""
    error = TimedOut() if isinstance(cause, httpx.TimeoutException) else NetworkError(f"httpx: {cause}")
    error.__cause__ = cause
    return Breaks(error)


async def test_the_offset_moves_only_after_the_updates_are_stored() -> None:
    line = Line()
    line.api.push(update(41), update(42))
    async with line.listening():
        await line.api.until(lambda: 43 in line.offsets)
    assert line.ids == [41, 42]
    assert line.offsets == [None, 43]
    assert line.reached == ["K0", "K1"]


async def test_nothing_is_confirmed_while_the_store_is_away() -> None:
    line = Line()
    line.broken = [StoreError("locked"), RuntimeError("a bug"), StoreError("locked")]
    line.api.push(update(41))
    async with line.listening():
        await line.api.until(lambda: 42 in line.offsets)
    assert line.confirmed_early == [None] * 4
    assert line.offsets == [None, 42]  # not asked again either: that would be a refetch storm
    assert line.reached == ["K0", "K1"]
    assert len(line.clock.slept) == 3
    assert line.channel.health.problem == ""


async def test_a_broken_store_shows_in_the_health() -> None:
    line = Line()
    seen: list[str] = []

    async def intake(batch: Sequence[Received]) -> None:
        seen.append(line.channel.health.problem)
        line.api.bell.ring()
        if len(seen) < 2:
            raise StoreError("locked")

    line.intake = intake  # type: ignore[method-assign]
    line.api.push(update(41))
    async with line.listening():
        await line.api.until(lambda: len(seen) == 2)
    assert seen[0] == ""
    assert "can't be stored" in seen[1]


async def test_an_update_that_comes_twice_in_a_batch_counts_once() -> None:
    line = Line()
    line.api.push(update(41, "first"), update(41, "again"), update(42))
    async with line.listening():
        await line.got(2)
    assert line.ids == [41, 42]
    assert line.received[0].arrival is not None
    assert line.received[0].arrival.text == "first"


DEEP = json.loads("[" * 300 + "]" * 300)
POISON: dict[str, Any] = {
    "chat is a string": update(41, chat="a string"),
    "no ids at all": {"update_id": 41, "message": {"text": "no ids at all"}},
    "message is a number": {"update_id": 41, "message": 5},
    "text is a list": update(41, text=["x"]),  # type: ignore[arg-type]
    "a megabyte, 300 lists deep, and a wrong type": update(41, deep=DEEP, pad="x" * 10**6, entities="no list"),
    "a megabyte in itself": update(41, pad="x" * 10**6),
    "only an id": {"update_id": 41},
}


@pytest.mark.parametrize("what", POISON)
async def test_poison_is_set_aside_and_the_next_update_comes_through(what: str) -> None:
    line = Line()
    line.api.push(update(40), POISON[what], update(42, "good"))
    async with line.listening():
        await line.api.until(lambda: 43 in line.offsets)
    assert line.ids == [40, 41, 42]
    bad = line.received[1]
    assert bad.arrival is None
    assert 0 < len(bad.row.poison) < 100
    assert len(bad.row.payload) <= 64 * 1024
    assert line.offsets == [None, 43]
    assert line.channel.parse(bad.row) is None
    good = line.received[2]
    assert line.channel.parse(good.row) == good.arrival


RAW_GOOD = json.dumps(update(42, 'a "quoted" [bracket] }'))
UNPARSABLE = {
    "10,000 lists deep": '{"update_id": 41, "message": {"deep": ' + "[" * 10_000 + "]" * 10_000 + "}}",
    "a number of 5,000 digits": '{"update_id": 41, "message": {"date": ' + "9" * 5000 + "}}",
}


@pytest.mark.parametrize("what", UNPARSABLE)
async def test_an_element_that_breaks_the_json_parser_costs_only_itself(what: str) -> None:
    line = Line()
    line.polls(Says(200, f'{{"ok": true, "result": [{UNPARSABLE[what]}, {RAW_GOOD}]}}'.encode()))
    async with line.listening():
        await line.api.until(lambda: 43 in line.offsets)
    assert line.ids == [41, 42]
    assert "too deep" in line.received[0].row.poison
    assert line.received[1].arrival is not None
    assert line.received[1].arrival.text == 'a "quoted" [bracket] }'


ODD_IDS: list[object] = [None, "41", True, -1, 0, 2**53, 10**30, 1.5, [41]]


@pytest.mark.parametrize("odd", ODD_IDS)
async def test_an_unusable_update_id_never_moves_the_offset(odd: object) -> None:
    line = Line()
    line.api.push({**update(1), "update_id": odd}, update(42))
    async with line.listening():
        await line.api.until(lambda: 43 in line.offsets)
    assert line.ids == [42]


async def test_updates_that_cannot_be_confirmed_are_not_fetched_in_a_storm() -> None:
    line = Line()
    nameless = {"ok": True, "result": [{"message": {}}]}
    line.polls(*[Says(200, nameless)] * 8)
    async with line.listening():
        await line.api.until(lambda: len(line.offsets) == 9)
    assert len(line.clock.slept) == 8
    assert line.clock.slept[-1] > 20


@pytest.mark.parametrize("body", [b'{"ok": true, "result": []}', b'{"ok": true, "result": null}'])
async def test_a_server_that_does_not_hold_polls_is_not_hammered(body: bytes) -> None:
    line = Line()
    line.polls(*[Says(200, body)] * 3)
    async with line.listening():
        await line.api.until(lambda: len(line.offsets) == 4)
    assert line.clock.slept == [0.5] * 3


LOST: dict[str, Answer] = {
    "502 as HTML": Says(502, b"<html>Bad Gateway</html>"),
    "504 as HTML": Says(504, b"<html>Gateway Timeout</html>"),
    "500": refused(500, "Internal Server Error"),
    "a proxy's 404": Says(404, b"<html>nothing here</html>"),
    "a proxy's 401": Says(401, b"<html>log in</html>"),
    "half a batch": Says(200, b'{"ok":true,"result":[{"update_id":1,"mess'),
    "HTML with 200": Says(200, b"<html>Log in to the hotel's network</html>"),
    "no result": Says(200, b"{}"),
    "a list": Says(200, b"[]"),
    "a list with 500": Says(500, b"[1]"),
    "reset": over(httpx.ReadError("")),
    "refused": over(httpx.ConnectError("All connection attempts failed")),
    "read time-out": over(httpx.ReadTimeout("")),
    "a bug below": Breaks(ZeroDivisionError()),
}


@pytest.mark.parametrize("what", LOST)
async def test_a_failed_poll_is_repeated_from_the_same_offset(what: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="bot")
    line = Line()
    line.api.push(update(41))
    line.polls(LOST[what], LOST[what])
    async with line.listening():
        await line.api.until(lambda: 42 in line.offsets)
    assert line.offsets == [None, None, None, 42]
    assert line.ids == [41]
    assert len(line.clock.slept) == 2
    assert sum(line.clock.slept) <= 1.5
    assert line.channel.health.problem == ""
    warnings = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(warnings) == 1
    assert "SECRET" not in caplog.text


async def test_a_long_outage_is_shown_and_costs_one_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="bot")
    line = Line()
    line.polls(*[LOST["502 as HTML"]] * 20)
    async with line.listening():
        await line.api.until(lambda: len(line.clock.slept) == 20)
        assert "can't be reached" in line.channel.health.problem
        line.api.push(update(41))
        await line.got(1)
        assert line.channel.health.problem == ""
    assert max(line.clock.slept) <= 30
    assert len(caplog.records) == 2


async def test_a_poll_outlasts_its_hold_by_ten_seconds_at_most() -> None:
    line = Line()
    async with line.listening():
        await line.api.until(lambda: line.offsets)
    poll = next(call for call in line.api.calls if call.method == "getUpdates")
    assert poll.params["timeout"] == 50
    assert poll.read_timeout == 60
    assert poll.params["allowed_updates"] == ["message", "edited_message", "callback_query"]


async def test_a_poll_whose_answer_drips_for_ever_is_given_up() -> None:
    line = Line(pace=Pace(whole=0.02))
    line.polls(Hangs())
    line.api.push(update(41))
    async with line.listening():
        await line.got(1)
    assert line.offsets[:2] == [None, None]


CONFLICT = refused(409, "Conflict: terminated by other getUpdates request; make sure that only one bot runs")
HOOKED = refused(409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook first")


@pytest.mark.parametrize(("conflicts", "shown"), [(2, False), (3, True), (4, True)])
async def test_a_conflict_is_shown_from_the_third_in_a_row(conflicts: int, shown: bool) -> None:
    line = Line()
    line.polls(*[CONFLICT] * conflicts)
    async with line.listening():
        await line.api.until(lambda: len(line.clock.slept) == conflicts)
        assert ("same bot token" in line.channel.health.problem) is shown
        line.api.push(update(41))
        await line.got(1)
        assert line.channel.health.problem == ""


async def test_conflicts_wait_longer_each_time_up_to_half_a_minute() -> None:
    line = Line()
    line.polls(*[CONFLICT] * 9)
    async with line.listening():
        await line.api.until(lambda: len(line.clock.slept) == 9)
    for wait, full in zip(line.clock.slept, (1, 2, 4, 8, 16, 30, 30, 30, 30), strict=True):
        assert 0.75 * full <= wait <= full


async def test_a_webhook_in_the_way_is_removed_once_and_nothing_is_dropped() -> None:
    line = Line()
    line.polls(HOOKED, HOOKED)
    line.api.push(update(41))
    async with line.listening():
        await line.got(1)
    assert line.api.made("deleteWebhook") == [{"drop_pending_updates": False}]
    assert len(line.clock.slept) == 1


@pytest.mark.parametrize("answer", [refused(401, "Unauthorized"), refused(404, "Not Found")])
async def test_a_revoked_token_ends_the_listening(answer: Says) -> None:
    line = Line()
    line.polls(answer)
    async with line.listening() as task:
        with pytest.raises(TokenRefused, match="BotFather"):
            await asyncio.wait_for(task, 5)


async def test_a_flood_limit_on_polling_is_obeyed() -> None:
    line = Line()
    line.polls(refused(429, "Too Many Requests: retry after 7", retry_after=7))
    line.api.push(update(41))
    async with line.listening():
        await line.got(1)
    assert line.clock.slept == [7.0]


async def test_connecting_waits_for_the_network_with_few_words(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="bot")
    line = Line()
    line.api.on("getMe", *[over(httpx.ConnectError(f"no route to /bot{TOKEN}"))] * 12, Says(502, b"<html>"))
    await line.channel.connect()
    assert len(line.clock.slept) == 13
    assert max(line.clock.slept) <= 30
    assert len(caplog.records) == 2
    assert "SECRET" not in caplog.text + line.channel.health.problem
    assert line.channel.bot == "1000"
    assert line.channel.health.facts == {"username": "jarvis_test_bot", "can_read_all_group_messages": "no"}
    await line.channel.close()


@pytest.mark.parametrize("answer", [refused(401, "Unauthorized"), refused(404, "Not Found")])
async def test_connecting_with_a_wrong_token_says_what_to_do(answer: Says) -> None:
    line = Line()
    line.api.on("getMe", answer)
    with pytest.raises(TokenRefused, match="token") as refusal:
        await line.channel.connect()
    assert "SECRET" not in str(refusal.value)
    await line.channel.close()


async def test_cancelling_stops_the_listening_at_once() -> None:
    line = Line()
    async with line.listening() as task:
        await line.api.until(lambda: line.offsets)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


@pytest.mark.parametrize(("first", "top", "waits"), [(0.5, 30.0, [0.5, 1, 2, 4, 8, 16, 30, 30]), (1.0, 3.0, [1, 2, 3])])
def test_back_off_doubles_up_to_its_top(first: float, top: float, waits: list[float]) -> None:
    backoff = Backoff(first, top)
    for full in waits:
        assert 0.75 * full <= backoff.next() <= full
    backoff.reset()
    assert backoff.next() <= first


def test_back_off_survives_a_month_of_failures() -> None:
    backoff = Backoff(0.5, 30.0)
    longest: Callable[[], float] = lambda: max(backoff.next() for _ in range(100_000))  # noqa: E731
    assert longest() <= 30
