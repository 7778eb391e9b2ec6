"""bot.streams: what is shown of a reply while it comes in: its words, masked, no longer than they stand."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from agent import Delta, steps
from agent.redact import MASK
from bot.streams import FIRST_S, TAKEN_BACK, WINDOW, window
from tests.fakes.post import Post, opened
from tests.fakes.talk import SECRET, WORDS, Talk, talk_in


@pytest.fixture
async def post() -> AsyncIterator[Post]:
    async with opened() as post:
        yield post


@pytest.fixture
async def talk(post: Post) -> Talk:
    return await talk_in(post, post.channel.place())


@pytest.mark.parametrize(("pause", "shown"), [(FIRST_S / 4, 0), (FIRST_S / 2, 1)])
async def test_an_answer_that_is_written_soon_has_no_preview(talk: Talk, pause: float, shown: int) -> None:
    await talk.stream(*WORDS[:3], pause=pause)
    talk.said("".join(WORDS[:3]))
    await talk.post.clock.advance(10)
    assert len(talk.drafts) == shown


async def test_a_child_session_is_not_the_one_who_answers(talk: Talk) -> None:
    for word in WORDS[:10]:
        talk.streams.hear(f"{talk.session}/call1", Delta(word))
        await talk.post.clock.advance(0.5)
    assert talk.drafts == []


async def test_nothing_of_a_reply_is_shown_after_its_end(talk: Talk) -> None:
    await talk.stream(*WORDS[:5])
    talk.said("".join(WORDS[:5]))
    before = len(talk.drafts)
    await talk.post.clock.advance(10)
    assert len(talk.drafts) == before


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
    assert window("print(2)\n" * 300, text).count("```") == 1
    assert "```" not in window("and so on, \n" * 400, text + "```\n")


async def test_a_reply_that_was_not_streamed_is_not_held_against_the_one_before(talk: Talk) -> None:
    await talk.stream("First I ", "look at ", "the log. ", "Then I ")
    talk.said("First I look at the log. Then I")
    before = list(talk.drafts)
    talk.streams.hear(talk.session, Delta(restart=True))  # an attempt of which nothing came
    talk.said("look at")
    talk.watch(steps.Nudged(at=0.0, guard="gate", event="gate.refused", level=steps.Level.HOLD, text="no"))
    await talk.post.clock.advance(5)
    assert talk.drafts == before
    await talk.stream("Now the ", "answer ", "comes ", "here ")
    assert len(talk.drafts) > len(before)


async def test_a_key_that_is_longer_than_the_window_is_masked_to_its_end(talk: Talk) -> None:
    body = "\n".join(["MIIEabcdefgh0123456789ABCDEFGHabcdefgh0123456789ABCDEFGHabcdefgh"] * 80)
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"
    filler = "".join(f"line {n} of the log\n" for n in range(900))
    await talk.stream(
        filler, *[key[at : at + 700] for at in range(0, len(key), 700)], "\nThat was it. ", " ", pause=1.6
    )
    assert not [draft for draft in talk.drafts if "MIIE" in draft]
    assert talk.drafts[-1].endswith("That was it.")


async def test_a_preview_longer_than_a_message_still_fits_one(talk: Talk) -> None:
    await talk.stream(*["😀 **bold** `code`\n" * 40] * 40)
    assert all(len(draft.encode("utf-16-le")) // 2 <= 4096 for draft in talk.drafts)
    assert not [made.error for made in talk.post.channel.made("draft") if made.error]
