"""bot.previews and bot.streams: the answer while it is written is shown in the gaps, masked, and never outlives it."""

from __future__ import annotations

import itertools
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from agent import Delta, steps
from agent.redact import MASK, Redactor
from agent.store.memory import MemoryStore
from bot.channel import Ambiguous, Flooded, Letter, Passing, Place, Refused, Unreachable
from bot.lane import DRAFT_S, MEANT_S
from bot.routes import Routes
from bot.streams import FIRST_S, TAKEN_BACK, WINDOW, Streams, window
from tests.fakes.channel import Slow
from tests.fakes.post import Post, opened

SECRET = "hunter2 and the rest of it"
WORDS = [f"word{n:03d} " for n in range(1000)]


@dataclass
class Talk:
    """A session of a private chat, and what its model streams."""

    post: Post
    streams: Streams
    session: str

    async def stream(self, *pieces: str, pause: float = 0.5) -> None:
        for piece in pieces:
            self.streams.hear(self.session, Delta(piece))
            await self.post.clock.advance(pause)

    def watch(self, step: steps.Step) -> None:
        self.streams.watch(self.session, 1, step)

    def said(self, text: str) -> None:
        self.watch(steps.Said(at=0.0, text=text, model="m"))

    @property
    def drafts(self) -> list[str]:
        return [made.letter.text for made in self.post.channel.made("draft") if made.letter]


async def talk_in(post: Post, place: Place) -> Talk:
    routes = Routes(MemoryStore(), post.clock)
    streams = Streams(routes, post.sender, post.clock, Redactor([SECRET]).partial)
    return Talk(post, streams, await routes.session_of(place))


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


@pytest.mark.parametrize(("pause", "shown"), [(FIRST_S / 4, 0), (FIRST_S / 2, 1)])
async def test_an_answer_that_is_written_soon_has_no_preview(talk: Talk, pause: float, shown: int) -> None:
    await talk.stream(*WORDS[:3], pause=pause)
    talk.said("".join(WORDS[:3]))
    await talk.post.clock.advance(10)
    assert len(talk.drafts) == shown


async def test_groups_and_channels_without_drafts_get_none(post: Post) -> None:
    await (await talk_in(post, post.channel.place("-7"))).stream(*WORDS[:10])
    post.channel.drafts = False
    await (await talk_in(post, post.channel.place())).stream(*WORDS[:10])
    assert post.channel.calls == []


async def test_a_child_session_is_not_the_one_who_answers(talk: Talk) -> None:
    for word in WORDS[:10]:
        talk.streams.hear(f"{talk.session}/call1", Delta(word))
        await talk.post.clock.advance(0.5)
    assert talk.drafts == []


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


async def test_nothing_of_a_reply_is_shown_after_its_end(talk: Talk) -> None:
    await talk.stream(*WORDS[:5])
    talk.said("".join(WORDS[:5]))
    before = len(talk.drafts)
    await talk.post.clock.advance(10)
    assert len(talk.drafts) == before


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


@pytest.mark.parametrize("kind", ["restart", "held"])
async def test_what_is_taken_back_is_taken_off_the_screen(talk: Talk, kind: str) -> None:
    await talk.stream("All tests pass. ", "Every one ", "of them, ", "honestly. ")
    assert "All tests pass." in talk.drafts[-1]
    if kind == "restart":
        talk.streams.hear(talk.session, Delta(restart=True))
    else:
        talk.said("All tests pass. Every one of them, honestly.")
        talk.watch(steps.Nudged(at=0.0, guard="gate", event="gate.refused", level=steps.Level.HOLD, text="no"))
    await talk.post.clock.advance(3)
    assert talk.drafts[-1] == TAKEN_BACK
    await talk.stream("Two tests ", "fail, ", "in fact ", "they do ")
    assert talk.drafts[-1].startswith("Two tests")
    assert len({made.message_id for made in talk.post.channel.made("draft")}) == 2


async def test_what_nobody_has_seen_needs_no_taking_back(talk: Talk) -> None:
    await talk.stream("one ", "two ", pause=0.1)
    talk.streams.hear(talk.session, Delta(restart=True))
    await talk.post.clock.advance(10)
    assert talk.drafts == []


async def test_a_message_takes_it_off_by_itself(talk: Talk) -> None:
    await talk.stream(*WORDS[:4])
    await talk.post.write("the model failed")
    talk.streams.hear(talk.session, Delta(restart=True))
    await talk.post.clock.advance(10)
    assert TAKEN_BACK not in talk.drafts


async def test_an_ended_run_leaves_nothing_behind(talk: Talk) -> None:
    await talk.stream(*WORDS[:4])
    before = len(talk.drafts)
    talk.watch(steps.Ended(at=0.0, end=steps.End.STOPPED))
    await talk.post.clock.advance(10)
    assert len(talk.drafts) == before


@pytest.mark.parametrize(
    ("streamed", "said", "again"),
    [
        (["The user wants a joke. ", "Let me think. ", "</think>\n", "Here it ", "is. "], "Here it is.", False),
        (["Here it ", "is, the ", "joke ", "that "], "Here it is, the joke that\n\n[The reply was cut here.]", True),
        (["Here it ", "is, the ", "joke ", "that "], "I can't help with that.", True),
        (["Here it ", "is, the ", "joke ", "that "], "", True),
    ],
    ids=["thinks aloud", "cut", "refused", "said nothing"],
)
async def test_a_model_that_thinks_aloud_is_shown_no_second_time(
    talk: Talk, streamed: list[str], said: str, again: bool
) -> None:
    await talk.stream(*streamed)
    talk.said(said)
    before = len(talk.drafts)
    assert before
    await talk.stream("Now the user ", "wants another ", "one. ", "So be ", "it. ")
    assert (len(talk.drafts) > before) == again


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
async def test_secrets_that_come_in_pieces_are_never_shown(post: Post, size: int) -> None:
    key = "sk-proj-" + "A1b2C3d4E5" * 5
    text = f"The password is {SECRET}, the key {key} and the link https://me:{'s3cret' * 3}@host/x. Done now."
    talk = await talk_in(post, post.channel.place())
    await talk.stream("Well. ", *[text[at : at + size] for at in range(0, len(text), size)], " ", "", pause=1.5)
    assert talk.drafts[-1].count(MASK) == 3
    assert talk.drafts[-1].endswith("Done now.")
    for draft in talk.drafts:
        assert "hunter2" not in draft
        assert "sk-proj" not in draft
        assert "s3cret" not in draft


async def test_words_of_other_scripts_do_not_wait_for_a_space(talk: Talk) -> None:
    await talk.stream(*["磁盘已满因为日志没有轮转"] * 6)
    assert talk.drafts[-1].count("磁盘") >= 3


@pytest.mark.parametrize("size", [WINDOW - 1, WINDOW, WINDOW + 1, 3 * WINDOW, 50_000])
@pytest.mark.parametrize("letter", ["a", "😀", "a b\n", "x\n\n"])
def test_a_long_text_is_shown_by_its_end(size: int, letter: str) -> None:
    text = (letter * size)[:size]
    shown = window(text)
    assert (shown == text) == (size <= WINDOW)
    assert len(shown) <= WINDOW + 10
    assert shown.endswith(text[-WINDOW // 4 :])


def test_a_window_stands_still_while_it_is_read() -> None:
    text = "".join(WORDS)
    firsts = [window(text[:end])[:40] for end in range(WINDOW, len(text), 50)]
    assert len(set(firsts)) <= len(text) // 1000


def test_a_code_block_goes_on_in_the_window() -> None:
    text = "Look:\n\n```python\n" + "print(1)\n" * 600
    assert window(text).count("```") == 1
    assert "```" not in window(text + "```\n" + "and so on, \n" * 400)


async def test_a_preview_longer_than_a_message_still_fits_one(talk: Talk) -> None:
    await talk.stream(*["😀 **bold** `code`\n" * 40] * 40)
    assert all(len(draft.encode("utf-16-le")) // 2 <= 4096 for draft in talk.drafts)
    assert not [made.error for made in talk.post.channel.made("draft") if made.error]
