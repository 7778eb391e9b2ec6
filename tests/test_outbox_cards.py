"""bot.live: a status card is one message, kept up to date in the gaps, and right in the end."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator

import pytest

from agent import Outgoing
from bot.channel import Ambiguous, Button, Flooded, Letter, Passing, Refused, Unreachable
from bot.outbox import encode
from tests.fakes.channel import Fault, Landed, Slow
from tests.fakes.post import Post, opened

KEY = "s:1:card"


@pytest.fixture
async def post() -> AsyncIterator[Post]:
    async with opened() as post:
        yield post


def show(post: Post, text: str, chat: str = "7", final: bool = False, key: str = KEY) -> None:
    post.sender.card(post.channel.place(chat), key, Letter(text, silent=True), final)


def texts(post: Post) -> list[str]:
    """What each edit that the service took showed."""
    return [made.letter.text for made in post.channel.made("edit") if made.letter and not made.error]


async def test_a_card_is_sent_once_and_then_edited(post: Post) -> None:
    show(post, "one")
    await post.clock.settle()
    assert post.channel.screen() == ["one"]
    assert post.store.marks == [(KEY, "sent")]
    show(post, "two")
    await post.clock.advance(2)
    assert post.channel.screen() == ["two"]
    assert [made.method for made in post.channel.calls] == ["send", "edit"]
    assert post.store.marks == [(KEY, "sent")]  # an edit costs the store nothing


@pytest.mark.parametrize(("chat", "pause"), [("7", 1.5), ("-7", 4.0)])
async def test_edits_are_paced_and_the_newest_state_wins(post: Post, chat: str, pause: float) -> None:
    for n in range(100):
        show(post, str(n), chat)
        await post.clock.advance(0.1)
    await post.clock.advance(pause)
    at = [made.at for made in post.channel.calls]
    assert all(later - earlier >= pause - 1e-6 for earlier, later in itertools.pairwise(at))
    assert len(at) >= 10 / pause
    assert post.channel.screen() == ["99"]


async def test_what_the_screen_already_says_is_not_sent_again(post: Post) -> None:
    for _ in range(3):
        show(post, "same")
        await post.clock.advance(5)
    assert len(post.channel.calls) == 1


async def test_messages_go_before_progress(post: Post) -> None:
    show(post, "card")
    await post.clock.settle()
    post.channel.fail("send", Slow(5))
    await post.write("answer")
    show(post, "done", final=True)
    await post.clock.advance(4)
    assert texts(post) == []
    await post.clock.advance(4)
    assert post.channel.screen() == ["done", "answer"]


async def test_a_flood_of_an_edit_makes_no_new_message_and_one_edit_after_it(post: Post) -> None:
    show(post, "1")
    await post.clock.settle()
    post.channel.fail("edit", Flooded(50))
    for n in range(2, 12):
        show(post, str(n))
        await post.clock.advance(2)
    await post.write("answer")
    show(post, "final", final=True)
    await post.clock.advance(29)
    assert [made.method for made in post.channel.calls] == ["send", "edit"]
    await post.clock.advance(10)
    assert [made.method for made in post.channel.calls] == ["send", "edit", "send", "edit"]
    assert post.channel.screen() == ["final", "answer"]


async def test_one_call_a_window_however_many_windows(post: Post) -> None:
    show(post, "0")
    await post.clock.settle()
    post.channel.fail("edit", *[Flooded(10)] * 6)
    for n in range(1, 60):
        show(post, str(n))
        await post.clock.advance(1)
    assert 5 <= len(post.channel.made("edit")) <= 6


@pytest.mark.parametrize(
    "faults", [[Flooded(5)], [Passing("reset")] * 3, [Ambiguous("cut")], [Landed(Ambiguous("cut"))]]
)
async def test_the_final_state_is_shown_in_the_end(post: Post, faults: list[Fault]) -> None:
    show(post, "working")
    await post.clock.settle()
    post.channel.fail("edit", *faults)
    show(post, "done", final=True)
    await post.clock.advance(20)
    assert post.channel.screen() == ["done"]
    assert len(post.channel.made("edit")) == len(faults) + 1


@pytest.mark.parametrize("fault", [Passing("reset"), Ambiguous("cut")])
async def test_progress_that_does_not_get_through_is_dropped(post: Post, fault: Exception) -> None:
    show(post, "1")
    await post.clock.settle()
    post.channel.fail("edit", fault)
    show(post, "2")
    await post.clock.advance(60)
    assert len(post.channel.made("edit")) == 1
    show(post, "3")
    await post.clock.advance(2)
    assert post.channel.screen() == ["3"]


async def test_a_card_whose_message_is_gone_gets_another_one_once(post: Post) -> None:
    show(post, "1")
    await post.clock.settle()
    post.channel.messages.clear()
    show(post, "2")
    await post.clock.advance(10)
    assert post.channel.screen() == ["2"]
    show(post, "3")
    await post.clock.advance(10)
    assert post.channel.screen() == ["3"]
    post.channel.messages.clear()  # a person who deletes it again doesn't want it
    show(post, "4")
    await post.clock.advance(10)
    show(post, "5", final=True)
    await post.clock.advance(10)
    assert [made.method for made in post.channel.calls] == ["send", "edit", "send", "edit", "edit"]
    assert await post.sender.flush(1)


async def test_a_first_send_that_may_have_arrived_is_not_repeated(post: Post) -> None:
    post.channel.fail("send", Landed(Ambiguous("cut")))
    for text in ("1", "2"):
        show(post, text)
        await post.clock.advance(5)
    show(post, "3", final=True)
    await post.clock.advance(5)
    assert len(post.channel.calls) == 1


async def test_a_final_card_that_was_never_shown_is_sent(post: Post) -> None:
    post.channel.fail("send", Passing("reset"))
    show(post, "working")
    await post.clock.advance(1)
    show(post, "done", final=True)
    await post.clock.advance(5)
    assert post.channel.screen() == ["done"]


@pytest.mark.parametrize(
    ("first", "buttons", "sent"),
    [("working", (), False), ("working", ((Button("Details", "d"),),), True), ("", (), True)],
    ids=["nothing to press", "details", "it had one state only"],
)
async def test_a_card_that_came_too_late_is_sent_only_if_it_is_of_use(
    post: Post, first: str, buttons: tuple[tuple[Button, ...], ...], sent: bool
) -> None:
    post.channel.fail("send", Flooded(20))
    await post.write("answer")
    await post.clock.advance(1)
    if first:
        show(post, first)
        await post.clock.advance(5)
    post.sender.card(post.channel.place(), KEY, Letter("done", buttons=buttons), final=True)
    await post.clock.advance(30)
    assert post.channel.screen() == (["answer", "done"] if sent else ["answer"])
    assert await post.sender.flush(1)
    assert (await post.state(KEY))[0] == "sent"


async def test_a_card_that_is_too_late_uses_up_no_turn_of_others(post: Post) -> None:
    for n in range(60):
        show(post, "working", str(n), key=f"{n}:card")
        show(post, "done", str(n), final=True, key=f"{n}:card")
    await post.write("answer", chat="900")
    await post.clock.settle()
    assert post.channel.screen() == ["answer"]


async def test_after_a_restart_the_same_card_is_edited(post: Post) -> None:
    show(post, "before")
    await post.clock.settle()
    again = post.again()
    await again.resume()
    again.card(post.channel.place(), KEY, Letter("after"))
    await post.clock.advance(3)
    assert post.channel.screen() == ["after"]
    await again.close()


async def test_a_card_that_a_crash_left_in_doubt_is_not_sent_again(post: Post) -> None:
    body = encode(post.channel.place(), Letter("in doubt"))
    await post.store.project("cards", 0, [Outgoing(KEY, "7", body, role="card", state="sending")])
    await post.sender.resume()
    show(post, "after", final=True)
    await post.clock.advance(5)
    assert post.channel.calls == []


async def test_cards_of_a_chat_that_is_gone_rest_until_it_is_back(post: Post) -> None:
    show(post, "1")
    await post.clock.settle()
    post.channel.fail("edit", Unreachable("blocked"))
    show(post, "2")
    await post.clock.advance(5)
    show(post, "3")
    await post.clock.advance(5)
    assert len(post.channel.made("edit")) == 1
    assert post.told == [("7", "blocked", "")]
    post.sender.wake(post.channel.place())
    await post.clock.advance(5)
    assert post.channel.screen() == ["3"]


async def test_a_refused_first_send_gives_the_card_up(post: Post) -> None:
    post.channel.fail("send", Refused("no"))
    show(post, "1")
    await post.clock.advance(5)
    show(post, "2")
    await post.clock.advance(5)
    assert len(post.channel.calls) == 1


async def test_flush_waits_for_a_final_card_and_for_no_other(post: Post) -> None:
    show(post, "1")
    await post.clock.settle()
    show(post, "2")
    assert await post.sender.flush(1)
    show(post, "3", final=True)
    await post.clock.advance(0)
    flush = asyncio.create_task(post.sender.flush(10))
    await post.clock.advance(5)
    assert await flush
    assert post.channel.screen() == ["3"]


async def test_only_a_card_that_nothing_was_done_for_is_taken_back(post: Post) -> None:
    place = post.channel.place()
    for key in ("a", "b", "c"):
        post.sender.card(place, key, Letter(f"told {key}", silent=True), final=True)
    await post.clock.settle()
    post.channel.fail("send", Slow(5))
    post.sender.card(place, "d", Letter("on its way", silent=True), final=True)
    await post.clock.settle()
    post.sender.card(place, "e", Letter("waits", silent=True), final=True)
    taken = [post.sender.withdraw(place, key) for key in ("a", "d", "e", "e", "never")]
    assert [letter.text if letter else None for letter in taken] == [None, None, "waits", None, None]
    await post.clock.advance(20)
    assert post.channel.screen() == ["told a", "told b", "told c", "on its way"]
