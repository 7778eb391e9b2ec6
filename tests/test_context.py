"""Whatever a session's journal holds, its requests are valid and fit into the context, and a leg never changes what it
has shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.messages import History
from agent.ports import Message
from agent.room import FREE, OMITTED, RATIO, budget, room_of, size_of, size_of_message
from agent.steps import Asked, Call, End, Ended, Finished, Handed, Offered, Opened, Outcome, Said, Step, ToolSpec, Usage
from tests.test_messages import check_valid

TOOLS = (ToolSpec("shell", "Run it.", '{"type":"object"}'),)
SIZES = st.sampled_from([0, 10, 300, 3_000, 30_000, 200_000])
LETTERS = st.sampled_from(["a", "ä", "字", "😀", "line of a log 12:00\n"])


def opened(context: int, tier: str = "mid", ratio: float = RATIO) -> Opened:
    return Opened(
        at=0, prompt="P" * 2_000, tools=TOOLS, model="m", panel="ours", day="d", cwd="/w", nonce="n0nce", tier=tier,
        context=context, ratio=ratio,
    )  # fmt: skip


def weight(messages: tuple[Message, ...]) -> int:
    return sum(size_of_message(message) for message in messages)


@dataclass
class Play:
    """Plays the engine's part over a history: hands on where it is full, asks where it isn't, checks each request."""

    opened: Opened = field(repr=False)
    view: History = field(default_factory=History, repr=False)
    steps: list[Step] = field(default_factory=list, repr=False)
    shown: list[Message] = field(default_factory=list, repr=False)  # of this leg, as the newest request had it
    handed: int = 0
    calls: int = 0

    def __post_init__(self) -> None:
        self.record(self.opened)

    def record(self, *steps: Step) -> None:
        for step in steps:
            self.steps.append(step)
            self.view.fold(len(self.steps), step)

    def ask(self, text: str) -> None:
        self.record(Asked(at=1, text=text or "x", author="t:7"))

    def speak(self, text: str, *arguments: str) -> tuple[Message, ...]:
        """One request, handed on before it where that is due, and a reply with calls of these arguments."""
        if self.view.full():
            self.hand()
        assert not self.view.full()  # a handoff is never followed by another one
        messages = self.view.request().messages
        self.check(messages)
        upto = len(self.steps)
        calls = tuple(Call(f"c{self.calls + i}", "shell", each) for i, each in enumerate(arguments))
        self.calls += len(calls)
        self.record(Said(at=2, text=text or ("" if calls else "x"), calls=calls, upto=upto))
        return messages

    def finish(self, call: Call, text: str) -> None:
        self.record(Finished(at=2, call_id=call.id, tool="shell", outcome=Outcome.OK, text=text))

    def hand(self) -> None:
        unread = self.view.unseen(2_000)
        self.record(Handed(at=3, checkpoint='{"talk": []}', text=f"CHECKPOINT {unread}" + "c" * 50_000), self.opened)
        self.shown = []
        self.handed += 1

    def check(self, messages: tuple[Message, ...]) -> None:
        check_valid(messages)
        room = room_of(self.opened)
        whole = weight(messages[1:]) + room.fixed
        assert whole <= max(budget(self.opened.context) * self.opened.ratio, room.fixed + FREE)
        settled = self.shown[:-1] if self.shown and self.shown[-1]["role"] == "user" else self.shown
        assert [dict(message) for message in messages[: len(settled)]] == settled
        if len(settled) < len(self.shown):
            assert str(messages[len(settled)]["content"]).startswith(str(self.shown[-1]["content"]))
        self.shown = [dict(message) for message in messages]


@st.composite
def plays(draw: st.DrawFn) -> Play:
    """A course of messages, replies and results of any size, in a context of any size."""
    context = draw(st.sampled_from([3_000, 4_096, 8_192, 16_384, 32_768]))
    play = Play(opened(context, draw(st.sampled_from(["small", "mid", "large"])), draw(st.sampled_from([1.5, RATIO]))))

    def text() -> str:
        letter = draw(LETTERS)
        return letter * (draw(SIZES) // size_of(letter))

    for _ in range(draw(st.integers(1, 6))):
        for _ in range(draw(st.integers(1, 4))):
            play.ask(text())
        for _ in range(draw(st.integers(0, 4))):
            arguments = ['{"command": "%s"}' % ("x" * draw(SIZES)) for _ in range(draw(st.integers(0, 3)))]
            play.speak(text(), *arguments)
            for call in play.steps[-1].calls:  # type: ignore[union-attr]
                play.finish(call, text())
        if draw(st.booleans()):
            play.record(Ended(at=4, end=draw(st.sampled_from(list(End)))))
    return play


@settings(max_examples=150, deadline=None)
@given(plays())
def test_every_request_is_valid_fits_and_keeps_what_it_has_shown(play: Play) -> None:
    play.ask("last")
    play.speak("answer")
    again = History()
    for seq, step in enumerate(play.steps, start=1):
        again.fold(seq, step)
    play.ask("and now?")
    again.fold(len(play.steps), play.steps[-1])
    assert again.request() == play.view.request()  # the cuts are a function of the facts alone


def test_a_message_of_200_kb_is_shown_with_its_head_and_its_tail() -> None:
    play = Play(opened(16_384))
    play.ask("BEGIN " + "x" * 200_000 + " END")
    [_, message] = play.speak("read")
    assert message["content"].startswith("BEGIN x")
    assert message["content"].endswith("x END")
    assert "bytes left out" in message["content"]


def test_a_long_result_is_cut_and_the_journal_keeps_it() -> None:
    play = Play(opened(16_384))
    play.ask("go")
    play.speak("", "{}")
    play.finish(Call("c0", "shell", "{}"), "r" * 100_000)
    result = play.speak("done")[-1]
    assert size_of(result["content"]) <= 10_000
    assert any(isinstance(step, Finished) and len(step.text) == 100_000 for step in play.steps)


def test_many_messages_at_once_leave_room_for_each_other() -> None:
    play = Play(opened(16_384))
    for number in range(200):
        play.ask(f"message {number} " + "x" * 5_000)
    [_, message] = play.speak("read")
    assert [f"message {number} x" in message["content"] for number in (0, 3, 5)] == [True] * 3
    assert message["content"].count(OMITTED) == 1


def test_short_messages_are_not_cut_for_each_other() -> None:
    play = Play(opened(16_384))
    for number in range(20):
        play.ask(f"message {number} " + "x" * 500)
    [_, message] = play.speak("read")
    assert message["content"].count("x" * 500) == 20


def test_a_message_that_would_be_cut_for_lack_of_room_comes_after_a_handoff_instead() -> None:
    play = Play(opened(16_384, "large"))
    play.ask("go")
    play.speak("a" * 32_000)
    play.ask("BEGIN " + "x" * 8_000)
    messages = play.speak("read")
    assert play.handed == 1
    assert "x" * 8_000 in str(messages[-1]["content"])


def test_tools_that_come_later_take_of_the_room() -> None:
    view, _ = grown(12_000)
    before = view.size()
    view.fold(4, Offered(at=3, added=(ToolSpec("t", "d" * 1_000, "{}"),)))
    assert view.size() - before > 1_000


def grown(context: int, tier: str = "large") -> tuple[History, int]:
    """A history after one reply, and the bytes of a message that just fits beside it."""
    view = History()
    steps: list[Step] = [opened(context, tier), Asked(at=1, text="go", author="t:7"), Said(at=2, text="yes", upto=2)]
    for seq, step in enumerate(steps, start=1):
        view.fold(seq, step)
    return view, int(budget(context) * RATIO * {"small": 0.85, "mid": 0.9, "large": 0.95}[tier])


@pytest.mark.parametrize("tier", ["small", "mid", "large"])
@pytest.mark.parametrize(("more", "full"), [(-200, False), (200, True)])
def test_a_leg_is_handed_on_at_its_tiers_share(tier: str, more: int, full: bool) -> None:
    view, limit = grown(12_000, tier)
    part = 0
    while view.size() + 2_100 < limit + more:
        part += 1
        view.fold(3 + part, Said(at=2, text="a" * 1_000, upto=2 + part))
    view.fold(4 + part, Said(at=2, text="a" * max(0, limit + more - view.size() - 24), upto=3 + part))
    assert view.full() is full


@pytest.mark.parametrize(("tokens", "full"), [(9_000, False), (9_400, True)])
def test_what_a_reply_says_of_its_request_counts(tokens: int, full: bool) -> None:
    """A quarter of the bytes that we'd take for so many tokens: digits, say."""
    view = History()
    steps: list[Step] = [opened(12_000, "large"), Asked(at=1, text="1" * 12_000, author="t:7")]
    steps.append(Said(at=2, text="yes", upto=2, usage=Usage(prompt=tokens)))
    for seq, step in enumerate(steps, start=1):
        view.fold(seq, step)
    assert view.full() is full


@pytest.mark.parametrize(("more", "full"), [(4_000, False), (9_000, True)])
def test_what_came_since_is_counted_as_dense_as_what_was_measured(more: int, full: bool) -> None:
    view = History()
    steps: list[Step] = [opened(12_000, "large"), Asked(at=1, text="1" * 6_000, author="t:7")]
    steps.append(Said(at=2, text="1" * more, upto=2, usage=Usage(prompt=4_000)))  # 2 bytes a token
    for seq, step in enumerate(steps, start=1):
        view.fold(seq, step)
    assert view.tokens() == pytest.approx(4_000 + more / 2, abs=100)
    view.fold(4, Said(at=2, text="1" * more, upto=3))
    assert view.full() is full


def test_a_smaller_context_that_was_learnt_counts_at_once() -> None:
    view, _ = grown(128_000)
    view.fold(4, Said(at=2, text="a" * 30_000, upto=3))
    assert not view.full()
    assert view.full(8_192)


def test_a_leg_of_nothing_but_a_checkpoint_is_never_handed_on() -> None:
    view = History()
    view.fold(1, opened(3_000))
    view.fold(2, Handed(at=1, checkpoint="{}", text="c" * 100_000))
    view.fold(3, Asked(at=1, text="a" * 100_000, author="t:7"))
    assert not view.full()
    assert not view.full(500)


def test_a_new_opening_with_less_room_cuts_what_was_shown() -> None:
    view: Any = History()
    view.fold(1, opened(128_000, "large"))
    view.fold(2, Asked(at=1, text="a" * 60_000, author="t:7"))
    view.fold(3, Said(at=2, text="yes", upto=2))
    assert view.size() > 60_000
    view.fold(4, opened(8_192, "large"))
    assert view.size() < 12_000
