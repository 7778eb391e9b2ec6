"""bot.outbox: every durable letter reaches its reader once and in order, whatever the service does meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise

import pytest

from agent import Outgoing
from bot.channel import Ambiguous, Button, Flooded, Letter, Passing, Place, Refused, Unreachable
from bot.outbox import decode, encode
from tests.fakes.channel import Fault, Landed, Slow
from tests.fakes.post import Post, opened


@pytest.fixture
async def post() -> AsyncIterator[Post]:
    async with opened() as post:
        yield post


async def test_an_answer_to_an_idle_chat_goes_at_once_with_two_writes(post: Post) -> None:
    await post.write("hello")
    await post.clock.settle()
    assert post.channel.screen() == ["hello"]
    assert post.store.marks == [("7:hello", "sending"), ("7:hello", "sent")]
    assert await post.state("7:hello") == ("sent", 1)
    assert post.clock.sleeping == 0
    assert post.sender.pending() == 0


async def test_letters_of_a_chat_go_in_the_order_they_were_written(post: Post) -> None:
    post.channel.fail("send", Slow(3), Passing("reset"), chat="7")
    await post.write("1", "2")
    await post.write("3", role="notice")
    await post.clock.advance(30)
    assert post.channel.screen("7") == ["1", "2", "3"]
    assert post.reached == ["K13", "K12", "K13", "K12", "K13"]


async def test_one_chat_that_hangs_holds_up_no_other(post: Post) -> None:
    post.channel.fail("send", Slow(60), chat="7")
    await post.write("slow")
    await post.write("quick", chat="8")
    await post.clock.settle()
    assert post.channel.screen() == ["quick"]


async def test_a_flooded_chat_is_left_alone_for_as_long_as_told(post: Post) -> None:
    post.channel.fail("send", Flooded(30), chat="7")
    await post.write("answer")
    await post.write("other", chat="8")
    await post.clock.advance(29.9)
    assert len(post.channel.made(chat="7")) == 1
    assert post.channel.screen("8") == ["other"]
    assert 0 < post.sender.flooded(post.channel.place("7")) < 0.11
    assert post.sender.flooded(post.channel.place("8")) == 0
    await post.clock.advance(0.2)
    assert post.channel.screen("7") == ["answer"]


async def test_a_ban_of_hours_is_sat_out(post: Post) -> None:
    post.channel.fail("send", Flooded(6 * 3600))
    await post.write("answer")
    await post.clock.advance(6 * 3600 + 1)
    assert post.channel.screen() == ["answer"]
    assert len(post.channel.made("send")) == 2


async def test_a_passing_failure_is_tried_again_ever_more_slowly(post: Post, caplog: pytest.LogCaptureFixture) -> None:
    post.channel.fail("send", *[Passing("no route")] * 40)
    await post.write("answer")
    await post.clock.advance(3600)
    assert post.channel.screen() == ["answer"]
    at = [made.at for made in post.channel.made("send")]
    gaps = [later - earlier for earlier, later in pairwise(at)]
    assert 0.3 < gaps[0] <= 0.5
    assert 20 < max(gaps) <= 30
    assert len(caplog.records) <= 3600 / 60
    assert await post.state("7:answer") == ("sent", post.channel.made("send")[-1].message_id)


@pytest.mark.parametrize(
    ("role", "faults", "copies"),
    [
        ("answer", [Landed(Ambiguous("cut"))], 2),
        ("answer", [Ambiguous("cut")], 1),
        ("approval", [Ambiguous("cut")], 1),
        ("answer", [Landed(Ambiguous("cut"))] * 9, 2),
        ("notice", [Landed(Ambiguous("cut"))], 1),
        ("notice", [Ambiguous("cut")], 0),
    ],
)
async def test_a_doubtful_send_is_repeated_once_and_only_where_silence_is_worse(
    post: Post, role: str, faults: list[Fault], copies: int
) -> None:
    post.channel.fail("send", *faults)
    await post.write("text", role=role)
    await post.clock.advance(1.9)
    assert len(post.channel.made("send")) == 1
    await post.clock.advance(60)
    assert post.channel.screen() == ["text"] * copies
    assert (await post.state("7:text"))[0] == "sent"


async def test_a_refused_letter_goes_once_more_as_plain_text(post: Post) -> None:
    fancy = Letter("**x**", ({"type": "bold", "offset": 0, "length": 5},), reply_to=99, silent=True)
    post.channel.fail("send", Refused("can't parse entities"))
    await post.write("k", letter=fancy)
    await post.clock.settle()
    assert [made.letter for made in post.channel.made("send")] == [fancy, Letter("**x**", silent=True)]
    assert (await post.state("7:k"))[0] == "sent"


@pytest.mark.parametrize(("letter", "calls"), [(Letter("a", reply_to=3), 2), (Letter("a"), 1)])
async def test_the_same_bytes_are_never_refused_twice(post: Post, letter: Letter, calls: int) -> None:
    post.channel.fail("send", *[Refused("no")] * 5)
    await post.write("k", letter=letter)
    await post.write("next")
    await post.clock.advance(5)
    assert len({made.letter for made in post.channel.made("send") if made.letter != Letter("next")}) == calls
    assert (await post.state("7:k"))[0] == "dead"


async def test_an_approval_sent_as_plain_text_keeps_its_buttons(post: Post) -> None:
    buttons = ((Button("Yes", "y"),),)
    post.channel.fail("send", Refused("no"))
    await post.write("k", role="approval", letter=Letter("Run it?", reply_to=3, buttons=buttons))
    await post.clock.settle()
    assert post.channel.messages[2][1] == Letter("Run it?", buttons=buttons)


async def test_letters_to_a_chat_that_is_gone_wait_for_it(post: Post) -> None:
    post.channel.fail("send", Unreachable("blocked by the user"))
    await post.write("1", "2")
    await post.write("3")
    await post.clock.advance(3600)
    assert len(post.channel.made("send")) == 1
    assert post.told == [("7", "blocked by the user", "")]
    assert await post.state("7:1") == ("queued", None)
    assert post.sender.pending() == 3
    assert await post.sender.flush(1)  # nothing that could be done
    post.sender.wake(post.channel.place("7"))
    await post.clock.advance(10)
    assert post.channel.screen("7") == ["1", "2", "3"]


async def test_letters_follow_a_group_to_its_new_address(post: Post) -> None:
    post.channel.fail("send", Unreachable("it is a supergroup now", moved_to="-1007"), chat="-7")
    await post.write("1", "2", chat="-7")
    await post.clock.advance(5)
    await post.write("3", chat="-7")
    await post.clock.advance(5)
    assert post.channel.screen("-1007") == ["1", "2", "3"]
    assert post.told == [("-7", "it is a supergroup now", "-1007")]
    assert await post.state("-7:3") == ("sent", post.channel.made("send")[-1].message_id)


async def test_what_waits_for_a_group_goes_to_its_new_id_in_order_and_a_second_move_changes_nothing(post: Post) -> None:
    post.channel.fail("send", Unreachable("kicked"), chat="-1")
    for text in ("one", "two"):
        await post.write(text, chat="-1")
    await post.clock.settle()
    for _ in range(2):
        post.sender.follow("-1", "-1001")
        await post.clock.advance(10)
    await post.write("three", chat="-1")
    await post.clock.advance(10)
    assert post.channel.screen("-1001") == ["one", "two", "three"]
    assert post.channel.screen("-1") == [] and post.sender.pending() == 0


async def test_a_channel_that_breaks_its_promise_does_not_stop_the_chat(post: Post) -> None:
    post.channel.fail("send", ZeroDivisionError("a bug"))
    await post.write("1", "2")
    await post.clock.advance(5)
    assert post.channel.screen() == ["1", "2"]


async def test_a_row_that_is_no_letter_is_dead_and_the_next_one_goes(post: Post) -> None:
    rows = [Outgoing("bad", "7", "{}"), Outgoing("good", "7", encode(post.channel.place(), Letter("good")))]
    post.sender.deliver(await post.store.project("s", 0, rows))
    await post.clock.settle()
    assert post.channel.screen() == ["good"]
    assert (await post.state("bad"))[0] == "dead"


async def test_a_row_is_queued_once_however_often_it_is_handed_over(post: Post) -> None:
    row = Outgoing("k", "7", encode(post.channel.place(), Letter("once")))
    await post.store.project("s", 0, [row])
    post.sender.deliver([row, row])
    post.sender.deliver([row])
    await post.clock.settle()
    assert post.channel.screen() == ["once"]


@pytest.mark.parametrize(
    ("role", "state", "sent"),
    [
        ("answer", "queued", True),
        ("notice", "queued", True),
        ("answer", "sending", True),
        ("approval", "sending", True),
        ("notice", "sending", False),
        ("card", "sending", False),
    ],
)
async def test_what_a_crash_left_is_taken_up(post: Post, role: str, state: str, sent: bool) -> None:
    body = encode(post.channel.place(), Letter("left"))
    await post.store.project("s", 0, [Outgoing("k", "7", body, role=role, state=state)])
    await post.again().resume()
    await post.clock.settle()
    assert post.channel.screen() == (["left"] if sent else [])
    assert (await post.state("k"))[0] == "sent"


async def test_rows_of_other_channels_are_left_to_their_senders(post: Post) -> None:
    body = encode(Place("slack", "1", "7"), Letter("not ours"))
    await post.store.project("s", 0, [Outgoing("k", "7", body)])
    await post.again().resume()
    await post.clock.settle()
    assert post.channel.screen() == []
    assert (await post.state("k"))[0] == "queued"


async def test_flush_waits_for_what_is_on_its_way(post: Post) -> None:
    post.channel.fail("send", Slow(2))
    await post.write("answer")
    flushed = []

    async def flush(timeout: float) -> None:
        flushed.append((await post.sender.flush(timeout), post.clock.monotonic()))

    tasks = [asyncio.create_task(flush(timeout)) for timeout in (1, 10)]
    await post.clock.advance(3)
    assert flushed == [(False, 1.0), (True, 2.0)]
    await asyncio.gather(*tasks)


async def test_five_hundred_letters_to_a_hundred_chats_break_no_limit_and_all_arrive(post: Post) -> None:
    for n in range(5):
        for chat in range(100):
            await post.write(f"{n}", chat=str(chat))
    await post.clock.advance(22)
    at = sorted(made.at for made in post.channel.made("send"))
    assert len(at) == 500
    assert all(at[i + 30] - at[i] >= 1 for i in range(len(at) - 30))
    for chat in range(100):
        assert post.channel.screen(str(chat)) == ["0", "1", "2", "3", "4"]
        own = [made.at for made in post.channel.made("send", str(chat))]
        assert own[3] - own[0] >= 3
    first = [post.channel.made("send", str(chat))[0].at for chat in range(100)]
    assert max(first) <= 4.5  # fair: nobody's first letter waits for somebody's fifth


def test_a_letter_survives_its_envelope() -> None:
    place = Place("telegram", "1", "-100", "5")
    letter = Letter("é😀", ({"type": "bold", "offset": 0, "length": 3},), ((Button("a", "b"),),), 4, True)
    assert decode(encode(place, letter)) == (place, letter)
    assert decode(encode(place, Letter("x"))) == (place, Letter("x"))


@pytest.mark.parametrize("body", ["", "{}", "[]", "null", '{"place":1,"text":"x"}', '{"place":"a:b","text":"x"}'])
def test_what_is_no_envelope_is_a_value_error(body: str) -> None:
    with pytest.raises(ValueError):
        decode(body)
