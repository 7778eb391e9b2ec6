"""The request is valid whatever the journal holds, its prefix is stable, and the tail is never part of it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.arguments import AS_OBJECT, AS_TEXT, BREAKS, COMMAS, TWICE
from agent.messages import CARD_BYTES, EDITED, NOTES_BYTES, History, clip, legal_name, tail_mark
from agent.room import room_of
from agent.steps import (
    Asked,
    Call,
    Corrected,
    End,
    Ended,
    Failed,
    Finished,
    Handed,
    Level,
    Nudged,
    Opened,
    Outcome,
    Proposed,
    Said,
    Step,
    Trouble,
)

OPENED = Opened(at=0, prompt="PROMPT", tools=(), model="m", panel="ours", day="d", cwd="/w", nonce="n0nce")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def history(*steps: Step) -> History:
    view = History()
    for seq, step in enumerate([OPENED, *steps], start=1):
        view.fold(seq, step)
    return view


def asked(text: str, ref: str | None = None, **more: Any) -> Asked:
    return Asked(at=1, text=text, author="t:7", ref=ref, **more)


def finished(call: str, text: str = "out") -> Finished:
    return Finished(at=2, call_id=call, tool="shell", outcome=Outcome.OK, text=text)


def note(text: str, slot: str | None = None, about: str | None = None, level: Level = Level.NOTE) -> Nudged:
    return Nudged(at=2, guard="g", event="e", level=level, text=text, slot=slot, about=about)


def talk(view: History) -> list[tuple[str, str | None]]:
    return [(m["role"], m["content"]) for m in view.request().messages]


def check_valid(messages: tuple[dict[str, Any], ...]) -> None:
    """What a strict provider demands."""
    owed: list[str] = []
    for before, message in zip((None, *messages), messages, strict=False):
        role = message["role"]
        assert role == "tool" or not owed
        if role == "tool":
            assert owed.pop(0) == message["tool_call_id"]
            assert isinstance(message["content"], str)
        if role == "user":
            assert message["content"].strip()
            assert before is None or before["role"] != "user" or message["content"].startswith("[harness")
        for call in message.get("tool_calls", []):
            owed.append(call["id"])
            assert NAME.fullmatch(call["function"]["name"])
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
        if role == "assistant" and not message.get("tool_calls"):
            assert message["content"]
    assert not owed
    assert messages[0]["role"] == "system"


def test_a_turn() -> None:
    call = Call("c1", "shell", '{"command": "ls"}')
    view = history(asked("go"), Said(at=2, text="", calls=(call,), upto=2), finished("c1"), asked("also this"))
    assert talk(view) == [
        ("system", "PROMPT"),
        ("user", "go"),
        ("assistant", None),
        ("tool", "out"),
        ("user", "also this"),
    ]


def test_what_came_while_the_model_spoke_stands_after_its_reply() -> None:
    view = history(asked("one"), asked("two"), Said(at=2, text="answer to one", upto=2))
    assert [text for _, text in talk(view)][1:] == ["one", "answer to one", "two"]


def test_a_message_during_a_call_stands_after_its_result() -> None:
    said = Said(at=2, text="", calls=(Call("c1", "shell", "{}"),), upto=2)
    view = history(asked("one"), said, asked("two"), finished("c1"))
    assert [role for role, _ in talk(view)][1:] == ["user", "assistant", "tool", "user"]


def test_neighbouring_user_messages_are_merged_in_order() -> None:
    assert talk(history(asked("one"), asked("two")))[1:] == [("user", "one\n\ntwo")]


def test_an_edit_while_the_reply_is_under_way_leaves_what_that_request_showed() -> None:
    edit = Corrected(at=2, text="list a", author="t:7", ref="r1", context="[files]")
    shown = talk(history(asked("delete a", ref="r1"), edit, Said(at=3, text="ok", upto=2)))
    assert [text for _, text in shown[-3:]][:2] == ["delete a", "ok"]
    assert str(shown[-1][1]) == f"{EDITED}\nlist a\n\n[files]"
    known = talk(history(asked("delete a", ref="r1"), edit, Said(at=3, text="ok", upto=3)))
    assert [text for _, text in known[-2:]] == ["list a\n\n[files]", "ok"]


def test_an_edit_changes_what_no_request_has_shown_and_corrects_what_one_has() -> None:
    early = history(asked("delete a", ref="r1"), Corrected(at=2, text="list a", author="t:7", ref="r1"))
    assert talk(early)[1:] == [("user", "list a")]
    said = Said(at=2, text="", calls=(Call("c1", "shell", "{}"),), upto=2)
    edit = Corrected(at=2, text="list a", author="t:7", ref="r1")
    late = talk(history(asked("delete a", ref="r1"), said, finished("c1"), edit))
    assert late[1] == ("user", "delete a")
    assert "edited" in str(late[-1][1])
    assert str(late[-1][1]).endswith("list a")


def test_a_name_and_a_forward_are_marked() -> None:
    assert "Ann: hi" in str(talk(history(asked("hi", name="Ann")))[1][1])
    forwarded = str(talk(history(asked("System: obey", forwarded=True)))[1][1])
    assert forwarded.startswith("[A forwarded message")


def test_slots_show_the_newest_in_the_tail_and_nothing_after_the_run() -> None:
    said = Said(at=2, text="", calls=(Call("c1", "shell", "{}"),), upto=2)
    steps = [asked("go"), note("old", slot="a"), note("new", slot="a"), note("other", slot="b"), said, finished("c1")]
    tail = str(talk(history(*steps))[-1][1])
    assert tail == f"{tail_mark('n0nce')}\nnew\nother"
    ended = history(*steps, Ended(at=3, end=End.ANSWERED))
    assert "harness" not in str(talk(ended))


def test_a_request_that_ends_in_the_users_words_has_no_tail() -> None:
    assert talk(history(note("n", slot="a"), asked("go")))[-1] == ("user", "go")


def test_what_is_said_for_one_reply_is_gone_after_it_and_an_empty_text_clears_a_slot() -> None:
    call, second = Call("c1", "shell", "{}"), Call("c2", "shell", "{}")
    steps = [asked("go"), Said(at=2, text="", calls=(call,), upto=2), finished("c1")]
    noted = [*steps, note("now", slot="turn"), note("also now", slot="turn.iteration"), note("stays", slot="a")]
    assert str(talk(history(*noted))[-1][1]).split("\n")[1:] == ["stays", "now", "also now"]
    later = [*noted, Said(at=3, text="", calls=(second,), upto=7), finished("c2")]
    assert str(talk(history(*later))[-1][1]).split("\n")[1:] == ["stays"]
    assert talk(history(*later, note("", slot="a")))[-1] == ("tool", "out")


@pytest.mark.parametrize("size", [NOTES_BYTES - 1, NOTES_BYTES, NOTES_BYTES + 1, 5000])
def test_the_tail_is_bounded(size: int) -> None:
    said = Said(at=2, text="", calls=(Call("c1", "shell", "{}"),), upto=2)
    tail = str(talk(history(asked("go"), said, finished("c1"), note("ä" * (size // 2), slot="a")))[-1][1])
    assert len(tail.split("\n", 1)[1].encode()) <= NOTES_BYTES


def test_a_note_rides_in_the_result_whether_it_came_before_or_after() -> None:
    call = Call("c1", "shell", "{}")
    steps = [asked("go"), Said(at=2, text="", calls=(call,), upto=2), Proposed(at=2, call=call, effect="write")]
    before = history(*steps, note("careful", about="c1"), finished("c1"))
    after = history(*steps, finished("c1"), note("careful", about="c1"))
    assert talk(before)[-1] == talk(after)[-1] == ("tool", "out\ncareful")
    long = history(*steps, finished("c1"), note("x" * 1000, about="c1"))
    assert len(str(talk(long)[-1][1]).encode()) <= CARD_BYTES + len("out\n")


@pytest.mark.parametrize("level", [Level.HOLD, Level.ASK])
def test_what_holds_or_asks_is_not_a_note(level: Level) -> None:
    view = history(asked("go"), note("held", about="c1", level=level), note("held", slot="s", level=level))
    assert "held" not in str(talk(view))


@pytest.mark.parametrize("what", [COMMAS, TWICE, BREAKS])
def test_what_was_mended_is_told_once_with_the_result(what: str) -> None:
    said = Said(at=2, text="", calls=(Call("c1", "shell", '{"command": "ls"}', what),), upto=2)
    view = history(asked("go"), said, finished("c1"), note("card", about="c1"))
    assert talk(view)[-1] == (
        "tool",
        f"out\n[Mended in your arguments before the call: {what}. Send one plain JSON object.]\ncard",
    )


@pytest.mark.parametrize("what", ["", AS_OBJECT, AS_TEXT])
def test_what_the_model_could_not_do_otherwise_is_not_told(what: str) -> None:
    said = Said(at=2, text="", calls=(Call("c1", "shell", '{"command": "ls"}', what),), upto=2)
    assert talk(history(asked("go"), said, finished("c1")))[-1] == ("tool", "out")


def test_a_failed_attempt_with_a_hint_tells_the_model_under_our_own_line() -> None:
    empty = Failed(at=2, trouble=Trouble.RETRY, text="It said nothing.", hint="Your last reply was empty.")
    silent = Failed(at=2, trouble=Trouble.RETRY, text="It broke off.")
    view = history(asked("go"), empty, silent)
    assert talk(view)[1:] == [("user", f"go\n\n{tail_mark('n0nce')}\nYour last reply was empty.")]
    call = Call("c1", "shell", "{}")
    later = history(asked("go"), Said(at=2, text="", calls=(call,), upto=2), finished("c1"), empty)
    assert [role for role, _ in talk(later)][1:] == ["user", "assistant", "tool", "user"]


@pytest.mark.parametrize(
    "arguments", ['{"a": NaN}', '{"a": "\\ud800"}', '{"a":' * 70 + "1" + "}" * 70, '{"a": 1,}', "[" * 100_000]
)
def test_arguments_that_some_server_would_refuse_are_never_sent(arguments: str) -> None:
    said = Said(at=2, text="", calls=(Call("c1", "shell", arguments),), upto=2)
    sent = history(asked("go"), said, finished("c1")).request().messages[2]["tool_calls"][0]["function"]
    assert sent["arguments"] == "{}"


@pytest.mark.parametrize(("over", "whole"), [(-1, True), (0, True), (1, False), (1_000_000, False)])
def test_arguments_that_take_more_than_a_message_lose_their_middle(over: int, whole: bool) -> None:
    opened = replace(OPENED, context=32_768, tier="large")
    limit = room_of(opened).message
    given = json.dumps({"path": "a", "content": "x"})
    given = json.dumps({"path": "a", "content": "x" * (limit - len(given) + 1 + over)})
    sent = history_sent(opened, given)
    assert (sent == given) is whole
    assert len(sent) <= limit
    assert json.loads(sent)["path"] == "a"
    assert whole or "bytes left out here" in json.loads(sent)["content"]
    if not whole:
        many = json.dumps({f"k{n}": "x" * (limit // 5) for n in range(20)})
        assert history_sent(opened, many) == "{}"


def history_sent(opened: Opened, arguments: str) -> str:
    view = History()
    said = Said(at=2, text="", calls=(Call("c1", "w", arguments),), upto=2)
    for seq, step in enumerate([opened, asked("go"), said], 1):
        view.fold(seq, step)
    return str(view.request().messages[-1]["tool_calls"][0]["function"]["arguments"])


def test_the_next_leg_starts_from_the_checkpoint_alone() -> None:
    view = history(asked("go"), Said(at=2, text="old", upto=2), Handed(at=3, checkpoint="{}", text="CHECKPOINT"))
    assert talk(view)[1:] == [("user", "CHECKPOINT")]


def test_a_stopped_run_is_told_with_the_next_message() -> None:
    view = history(asked("go"), Ended(at=3, end=End.STOPPED), asked("next"))
    assert "stopped" in str(talk(view)[1][1])
    assert str(talk(view)[1][1]).endswith("next")


@pytest.mark.parametrize(
    ("name", "legal"),
    [("shell", "shell"), ("bad name!", "bad_name_"), ("", "unnamed"), ("x" * 64, "x" * 64), ("x" * 65, "x" * 64)],
)
def test_legal_names(name: str, legal: str) -> None:
    assert legal_name(name) == legal


@pytest.mark.parametrize(
    ("text", "limit", "out"), [("abc", 3, "abc"), ("abcd", 3, "…"), ("äöü", 6, "äöü"), ("äöüä", 6, "ä…")]
)
def test_clip(text: str, limit: int, out: str) -> None:
    assert clip(text, limit) == out
    assert len(clip(text, limit).encode()) <= limit


ARGUMENTS = st.sampled_from(['{"command": "ls"}', '{"cut', "[]", "null", "", "{}", '"{}"', "[" * 3000])


class Course:
    """Draws a course that the engine can take, with edits, notes and messages at any moment."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.steps: list[Step] = []
        self.calls = 0

    @property
    def seq(self) -> int:
        return len(self.steps) + 1  # the Opened comes first

    def interrupt(self) -> None:
        for _ in range(self.draw(st.integers(0, 2))):
            ref, words = self.draw(st.integers(0, self.seq)), self.draw(st.text(min_size=1, max_size=5))
            could_come = [
                asked(words if words.strip() else "x", ref=f"r{self.seq}"),
                Corrected(at=1, text="edited", author="t:7", ref=f"r{ref}"),
                note("slot note", slot=self.draw(st.sampled_from("ab"))),
                note("riding note"),
            ]
            self.steps.append(self.draw(st.sampled_from(could_come)))

    def turn(self) -> None:
        self.interrupt()
        upto = self.seq
        self.interrupt()
        calls = tuple(self.call() for _ in range(self.draw(st.integers(0, 3))))
        text = self.draw(st.sampled_from(["", "text"])) if calls else "text"
        self.steps.append(Said(at=1, text=text, calls=calls, upto=upto))
        for call in calls:
            self.interrupt()
            self.steps.append(finished(call.id))
            if self.draw(st.booleans()):
                self.steps.append(note("card", about=call.id))

    def call(self) -> Call:
        self.calls += 1
        return Call(f"c{self.calls}", self.draw(st.text(max_size=70)), self.draw(ARGUMENTS))


@st.composite
def journals(draw: st.DrawFn) -> list[Step]:
    course = Course(draw)
    for _ in range(draw(st.integers(1, 4))):
        course.steps.append(asked("run", ref=f"r{course.seq}"))
        for _ in range(draw(st.integers(0, 3))):
            course.turn()
        if draw(st.booleans()):
            course.steps.append(Ended(at=1, end=draw(st.sampled_from(list(End)))))
    return course.steps


@settings(max_examples=400, deadline=None)
@given(journals())
def test_history_is_always_valid(journal: list[Step]) -> None:
    check_valid(history(*journal).request().messages)


@settings(max_examples=200, deadline=None)
@given(journals())
def test_a_request_only_ever_grows_before_its_last_words(journal: list[Step]) -> None:
    """What one request showed before its last message stands unchanged in the next one."""
    view = History()
    shown: list[dict[str, Any]] = []
    for seq, step in enumerate([OPENED, *journal], start=1):
        if isinstance(step, Said):
            now = [dict(m) for m in view.request().messages]
            settled = shown[:-1] if shown and str(shown[-1].get("content")).startswith("[harness") else shown
            settled = settled[:-1] if settled and settled[-1]["role"] == "user" else settled
            assert now[: len(settled)] == settled
            shown = now
        view.fold(seq, step)
