"""The poll loop of the Telegram channel: what is confirmed, and when; what it survives."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

import httpx
import pytest

from agent import StoreError, TokenRefused
from bot.channel import Received
from bot.channels._telegram_poll import Backoff, Pace
from tests.fakes.bot_line import Line, over
from tests.fakes.bot_request import Answer, Breaks, Hangs, Says, refused
from tests.fakes.bot_updates import update


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


async def test_nothing_is_polled_while_the_store_takes_its_time() -> None:
    line = Line()
    begun, done = asyncio.Event(), asyncio.Event()

    async def intake(batch: Sequence[Received]) -> None:
        begun.set()
        await done.wait()

    line.intake = intake  # type: ignore[method-assign]
    line.api.push(update(41))
    async with line.listening():
        await begun.wait()
        for _ in range(50):
            await asyncio.sleep(0)
        assert line.offsets == [None]
        assert line.reached == ["K0"]
        done.set()
        await line.api.until(lambda: 42 in line.offsets)


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
