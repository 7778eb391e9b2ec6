"""What passes the queues: a stop, a pause and a status act once an update, whatever is served again or held up."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agent import StoreError
from agent.models.scripted import Slow, call
from bot import modelwords, words
from bot.channel import Arrival, Attached, Flooded, Letter, Place, Quote, Received, Unreachable
from bot.express import EARLY_S
from tests.fakes.office import GROUP, OPERATOR, OWNER, VIEWER, Office, office
from tests.fakes.tools import Mark
from tests.test_approvals import MARK, Asks

LONG = Slow(60, "late")
PDF = Attached("document", "d1", "plan.pdf", 5, "application/pdf")


async def again(desk: Office, arrival: Arrival, number: int) -> None:
    """The service hands out the update of this number once more, as it was."""
    row = desk.channel.row(arrival)
    row = type(row)(row.bot, number, row.chat, row.payload, row.received)
    assert desk.channel._intake is not None
    await desk.channel._intake([Received(row, arrival)])
    await desk.pass_time()


def ends(desk: Office) -> list[str]:
    return [text for text in desk.channel.screen() if text.startswith((words.STOPPED, words.NOTHING_RUNS))]


async def test_a_stop_that_is_served_again_stops_nothing_that_began_since(tmp_path: Path) -> None:
    async with office([LONG, LONG], tmp_path) as desk:
        await desk.channel.say("one")
        await desk.pass_time()
        stop = await desk.channel.say("/stop")  # the second update
        await desk.pass_time()
        await desk.channel.say("two")
        await desk.pass_time()
        await again(desk, stop, 2)
        assert desk.service.hub.busy() == 1
        assert ends(desk) == [words.STOPPED]
        await desk.pass_time(70)
        assert "late" in desk.channel.screen()[-1]


@pytest.mark.parametrize("text", ["/stop", "/status"])
async def test_a_batch_that_cannot_be_stored_yet_acts_once(tmp_path: Path, text: str) -> None:
    async with office([LONG, LONG], tmp_path) as desk:
        receive = desk.store.receive

        async def locked(rows: object) -> None:
            raise StoreError("database is locked")

        await desk.channel.say("one")
        await desk.pass_time()
        row = desk.channel.row(arrival := Arrival(
            "message", desk.channel.place(), sender=OWNER, private=True, message_id=99, date=desk.clock.now(),
            text=text, addressed=True, command=text[1:],
        ))  # fmt: skip
        assert desk.channel._intake is not None
        desk.store.receive = locked  # type: ignore[assignment]
        for _ in range(3):
            with pytest.raises(StoreError):
                await desk.channel._intake([Received(row, arrival)])
            await desk.pass_time()
        assert desk.service.hub.busy() == (text == "/status"), "the store held up a stop"
        desk.store.receive = receive  # type: ignore[method-assign]
        await desk.channel._intake([Received(row, arrival)])
        await desk.pass_time()
        assert len([text for text in desk.channel.screen() if "Up " in text or words.STOPPED in text]) == 1


async def test_a_file_on_its_way_holds_up_neither_stop_nor_button_nor_another_topic(tmp_path: Path) -> None:
    async with office([[MARK], "done"], tmp_path) as desk:
        arrived = asyncio.Event()

        async def slow(file: Attached) -> bytes:
            await arrived.wait()
            return b"bytes"

        desk.channel.fetch = slow  # type: ignore[method-assign]
        desk.mark.gate = asyncio.Event()
        await desk.channel.say("work", chat=GROUP)
        await desk.pass_time()
        await desk.channel.say("look", chat=GROUP, sender=OPERATOR, attached=(PDF,))
        elsewhere = desk.channel.place(GROUP, "31")
        await desk.channel.say("/help", chat=GROUP, sender=OPERATOR, place=elsewhere)
        await desk.pass_time()
        assert "/stop" in desk.channel.screen(GROUP)[-1], "another topic waits for the file"

        await desk.channel.press(desk.button("Stop", GROUP), chat=GROUP)
        await desk.pass_time()
        assert (desk.toasts(), desk.service.hub.busy()) == ([words.STOPPED], 0)
        await desk.channel.say("/stop", chat=GROUP)
        await asyncio.sleep(EARLY_S + 0.1)
        await desk.pass_time()
        assert ends(desk) == [words.NOTHING_RUNS], "the answer waits for the file"
        arrived.set()
        for _ in range(40):
            await asyncio.sleep(0.01)
            await desk.pass_time(0.1)
        assert desk.service.hub.busy() == 0, "what was queued before the stop goes on after it"
        assert len(desk.toasts()) == 1


async def test_a_status_that_cannot_be_sent_at_once_is_sent_later(tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        desk.channel.fail("send", Flooded(5))
        await desk.channel.say("/status")
        await desk.pass_time(1)
        assert desk.channel.screen() == []
        await desk.channel.say("/status")  # nothing is sent in a flood
        await desk.pass_time(1)
        assert len(desk.channel.made("send")) == 1
        await desk.pass_time(10)
        assert ["Up " in text for text in desk.channel.screen()] == [True, True]


async def test_a_status_counts_among_what_the_service_allows_a_chat(tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        for _ in range(3):
            await desk.channel.say("/status")
        await desk.channel.say("/help")
        await desk.pass_time(10)
        *statuses, other = [call.at for call in desk.channel.made("send")]
        assert len(statuses) == 3 and max(statuses) < 1
        assert other - statuses[0] >= 3, "four messages within three seconds"


async def test_a_status_that_a_crash_kept_from_its_answer_is_answered(tmp_path: Path) -> None:
    async with office([], tmp_path) as first:
        first.channel.fail("send", *[Flooded(3600)] * 3)
        receive = first.store.receive

        async def stored_and_dead(rows: object) -> list[object]:
            await receive(rows)  # type: ignore[arg-type]
            raise StoreError("killed")

        first.store.receive = stored_and_dead  # type: ignore[assignment]
        with pytest.raises(StoreError):
            await first.channel.say("/status")
        first.store.receive = receive  # type: ignore[method-assign]
        store = first.store
    async with office([], tmp_path, store=store) as second:
        await second.pass_time(5)
        assert len([text for text in second.channel.screen() if "Up " in text]) == 1


@pytest.mark.parametrize("text", ["/start", "/help", "hello", "/status"])
async def test_whoever_comes_back_is_answered_whatever_they_write_first(tmp_path: Path, text: str) -> None:
    async with office(["hi", "hi"], tmp_path) as desk:
        desk.channel.fail("send", *[Unreachable("bot was blocked by the user")])
        await desk.channel.say("/help")
        await desk.pass_time(5)
        assert desk.channel.screen() == []
        await desk.channel.say(text)
        await desk.pass_time(5)
        assert "/stop" in desk.channel.screen()[0], "what was kept is lost"
        assert len(desk.channel.screen()) == 2


async def test_continue_leads_no_place_away_from_a_run_that_goes_on(tmp_path: Path) -> None:
    async with office(["one", Slow(60, "two")], tmp_path) as desk:
        await desk.channel.say("first")
        await desk.pass_time()
        await desk.channel.say("/checkpoint")
        await desk.pass_time()
        old = desk.button("Continue")
        await desk.channel.say("/new")
        await desk.channel.say("second")
        await desk.pass_time()
        await desk.channel.press(old)
        await desk.pass_time()
        assert desk.toasts() == [modelwords.RUN_GOES_ON]
        await desk.channel.say("/stop")
        await desk.pass_time()
        assert ends(desk)[-1] == words.STOPPED and desk.service.hub.busy() == 0


async def test_a_button_that_breaks_something_spins_no_longer(tmp_path: Path) -> None:
    async with office([LONG], tmp_path) as desk:

        async def broken(*_: object) -> str:
            raise ZeroDivisionError

        desk.service.desk._approvals.press = broken  # type: ignore[method-assign]
        await desk.channel.press("ok:anything")
        await desk.channel.press(f"stop:{'x' * 40}")
        await desk.pass_time()
        assert sorted(desk.toasts()) == sorted([words.EXPIRED, words.BROKEN])
        assert desk.channel.screen() == []


async def test_somebody_elses_yes_that_is_forwarded_approves_nothing(tmp_path: Path) -> None:
    async with office([[MARK], "done", "done"], tmp_path, [Asks()]) as desk:
        await desk.channel.say("install it")
        await desk.pass_time()
        quote = Quote(desk.showing("Needs your OK"), ours=True)
        await desk.channel.say("yes", quote=quote, forwarded=True)
        await desk.pass_time()
        assert desk.mark.lines == []


async def test_a_pause_by_button_acts_at_once_and_a_viewers_press_is_refused_in_words(tmp_path: Path) -> None:
    calls = [[call("mark", {"word": str(n)})] for n in range(3)]
    async with office([*calls, "done"], tmp_path) as desk:
        mark: Mark = desk.mark
        mark.gate = asyncio.Event()
        await desk.channel.say("work", chat=GROUP, sender=OPERATOR)
        await desk.pass_time()
        pause = desk.button("Pause", GROUP)
        for data in (pause, pause.replace("pause", "stop")):
            await desk.channel.press(data, chat=GROUP, sender=VIEWER)
        await desk.channel.press(pause, chat=GROUP, sender=OPERATOR)
        await desk.pass_time()
        mark.gate.set()
        await desk.pass_time(5)
        assert desk.toasts() == [words.VIEWERS_READ, words.NOT_YOURS, words.paused(True)]
        assert mark.lines == ["0"]
        await desk.channel.press(desk.button("Resume", GROUP), chat=GROUP, sender=OPERATOR)
        await desk.pass_time(5)
        assert mark.lines == ["0", "1", "2"]


async def test_an_answer_of_a_command_that_is_too_long_for_one_message_comes_whole(tmp_path: Path) -> None:
    items = [{"text": f"item {n} " + "x" * 190, "status": "pending"} for n in range(30)]
    async with office([[call("plan", {"items": items})], "done"], tmp_path) as desk:
        from agent.tools.plan import tool

        desk.service.hub.edges.tools = [*desk.service.hub.edges.tools, tool]
        await desk.channel.say("plan it")
        await desk.pass_time(3)
        before = len(desk.channel.screen())
        await desk.channel.say("/plan")
        await desk.pass_time(10)
        told = "\n".join(desk.channel.screen()[before:])
        assert [n for n in range(30) if f"item {n} " not in told] == []


async def test_the_owner_is_told_once_a_day_of_what_cannot_be_read(tmp_path: Path) -> None:
    async with office(["hi"], tmp_path) as desk:
        for _ in range(3):
            await desk.channel.arrive_poison("[]")
        await desk.pass_time()
        assert desk.channel.screen(str(OWNER)) == [words.UNREAD]
        await desk.pass_time(86_400)
        await desk.channel.arrive_poison("[]")
        await desk.pass_time()
        assert desk.channel.screen(str(OWNER)) == [words.UNREAD] * 2


async def test_an_input_that_ends_waits_for_what_passed_the_queues(tmp_path: Path) -> None:
    async with office([], tmp_path) as desk:
        send, gate = desk.channel.send, asyncio.Event()

        async def slow(place: Place, letter: Letter) -> int:
            await gate.wait()
            return await send(place, letter)

        desk.channel.send = slow  # type: ignore[method-assign]
        await desk.channel.say("/status")
        idle = asyncio.create_task(desk.service.desk.idle())
        await desk.pass_time()
        assert not idle.done()
        gate.set()
        await idle
        assert len(desk.channel.screen()) == 1


@pytest.mark.parametrize("number", ["²", "9" * 40, "-1", "1e3", ""])
async def test_a_number_that_is_none_on_a_continue_is_answered(tmp_path: Path, number: str) -> None:
    async with office(["one", "two"], tmp_path) as desk:
        await desk.channel.say("first")
        await desk.channel.say("/checkpoint")
        await desk.pass_time()
        verb, _, session = desk.button("Continue").split(":", 2)
        await desk.channel.press(f"{verb}:{number}:{session}")
        await desk.pass_time()
        assert (desk.toasts(), len(desk.model.requests)) == ([words.EXPIRED], 1)
        await desk.channel.press(desk.button("Continue"))
        await desk.pass_time()
        assert (desk.toasts()[1:], len(desk.model.requests)) == ([words.GOES_ON], 2)
