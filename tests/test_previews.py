"""bot.previews: what is being written is shown in the gaps, before its answer and never in its place."""

from __future__ import annotations

import itertools
import logging
from collections.abc import AsyncIterator

import pytest

from bot.channel import Ambiguous, Flooded, Letter, Passing, Place, Refused, Unreachable
from bot.lane import DRAFT_S, MEANT_S
from tests.fakes.channel import Slow
from tests.fakes.post import Post, opened
from tests.fakes.talk import WORDS, Talk, talk_in


@pytest.fixture
async def post() -> AsyncIterator[Post]:
    async with opened() as post:
        yield post


@pytest.fixture
async def talk(post: Post) -> Talk:
    return await talk_in(post, post.channel.place())


async def test_a_slow_answer_grows_on_the_screen_under_one_id(talk: Talk) -> None:
    await talk.stream(*WORDS[:20])
    calls = talk.post.channel.made("draft")
    assert len(calls) >= 5
    assert len({made.message_id for made in calls}) == 1
    assert all(made.message_id for made in calls)
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(talk.drafts))
    assert all(later.at - earlier.at >= DRAFT_S - 1e-6 for earlier, later in itertools.pairwise(calls))


async def test_groups_and_channels_without_drafts_get_none(post: Post) -> None:
    await (await talk_in(post, post.channel.place("-7"))).stream(*WORDS[:10])
    post.channel.drafts = False
    await (await talk_in(post, post.channel.place())).stream(*WORDS[:10])
    assert post.channel.calls == []


async def test_it_goes_to_the_topic_of_its_session(post: Post) -> None:
    talk = await talk_in(post, post.channel.place("7", "55"))
    seen = []
    draft = post.channel.draft

    async def note(place: Place, draft_id: int, letter: Letter) -> None:
        seen.append(place)
        await draft(place, draft_id, letter)

    post.channel.draft = note  # type: ignore[method-assign]
    await talk.stream(*WORDS[:5])
    assert {place.topic for place in seen} == {"55"}


async def test_a_message_waits_for_the_preview_that_is_on_its_way(talk: Talk) -> None:
    talk.post.channel.fail("draft", Slow(1.5))
    await talk.stream(*WORDS[:3])
    talk.said("done")
    await talk.post.write("done")
    await talk.post.clock.advance(5)
    assert [made.method for made in talk.post.channel.calls] == ["draft", "send"]


async def test_messages_and_cards_go_first(talk: Talk) -> None:
    place, channel = talk.post.channel.place(), talk.post.channel
    channel.fail("send", Slow(4))
    await talk.post.write("a message")
    talk.post.sender.card(place, "s:1:card", Letter("card"))
    await talk.stream(*WORDS[:16])
    methods = [made.method for made in channel.calls]
    assert methods[:2] == ["send", "send"]
    assert "draft" in methods[2:]


async def test_a_preview_leaves_room_for_the_answer(talk: Talk) -> None:
    for n in range(60):
        talk.post.sender.card(talk.post.channel.place(), "s:1:card", Letter(f"card {n}"))
        await talk.stream(WORDS[n], pause=0.3)
    talk.said("done")
    before = talk.post.clock.monotonic()
    await talk.post.write("done")
    await talk.post.clock.advance(5)
    [answer] = [made for made in talk.post.channel.made("send") if made.letter == Letter("done")]
    assert answer.at - before <= 1.1
    moments = [made.at for made in talk.post.channel.calls]
    assert all(later - earlier >= 3.0 for earlier, later in zip(moments, moments[3:], strict=False))


@pytest.mark.parametrize("failure", [Passing("reset"), Ambiguous("cut"), Unreachable("blocked")])
async def test_a_preview_that_fails_is_the_last_of_its_answer_and_not_of_others(talk: Talk, failure: Exception) -> None:
    talk.post.channel.fail("draft", failure)
    await talk.stream(*WORDS[:20])
    assert len(talk.drafts) == 1
    talk.said("".join(WORDS[:20]))
    await talk.stream(*WORDS[:5])
    assert len(talk.drafts) > 1
    assert talk.post.told == []


async def test_a_refusal_ends_previews_in_this_process_with_one_line(
    talk: Talk, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "bot.previews")
    talk.post.channel.fail("draft", *[Refused("Not Found: method not found")] * 9)
    for _ in range(3):
        await talk.stream(*WORDS[:10])
        talk.said("".join(WORDS[:10]))
    assert len(talk.drafts) == 1
    assert len(caplog.records) == 1
    assert talk.post.channel.made("send") == []


@pytest.mark.parametrize(("seconds", "waits"), [(4, 4), (MEANT_S, MEANT_S), (3600, MEANT_S)])
async def test_a_flood_limit_on_previews_is_kept_and_holds_up_no_answer_for_long(
    talk: Talk, seconds: float, waits: float
) -> None:
    talk.post.channel.fail("draft", Flooded(seconds))
    await talk.stream(*WORDS[:3])
    talk.said("".join(WORDS[:3]))
    await talk.post.write("done")
    await talk.post.clock.advance(MEANT_S + 1)
    draft, answer = talk.post.channel.calls
    assert waits <= answer.at - draft.at <= waits + 2
    assert talk.post.channel.screen() == ["done"]
    while talk.post.clock.monotonic() < draft.at + seconds - 6:
        await talk.stream(*WORDS[:3], pause=2)
        talk.said("".join(WORDS[:3]))
        await talk.post.clock.advance(seconds / 20)
    assert len(talk.drafts) == 1
    await talk.post.clock.advance(seconds)
    await talk.stream(*WORDS[:3], pause=2)
    assert len(talk.drafts) > 1
