"""The vote of a debate: which last lines count, which are the same, and what a tie or silence comes to."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.debating import Voice, counted, normal, voice
from agent.errors import ToolError
from agent.ports import CallContext, Message
from agent.steps import Failed, Said, Trouble
from agent.tools.debate import Debate, tool

FINALS = [
    ("I think.\nFINAL: use SQLite", "use SQLite"),
    ("**FINAL:** use SQLite", "use SQLite"),
    ("> Final: use SQLite  ", "use SQLite"),
    ("FINAL: a\nno, wait\nFINAL: b", "b"),
    ("FINAL: a\nFINAL:", "a"),
    ("<think>FINAL: a</think>\nFINAL: b", "b"),
    ("<think>FINAL: a", ""),
    ("the FINAL: thing", ""),
    ("FINAL: ...", ""),
    ("", ""),
    ("no last line", ""),
    ("FINAL: " + "x" * 1000, "x" * 300),
]


@pytest.mark.parametrize(("text", "final"), FINALS, ids=range(len(FINALS)))
def test_the_last_marked_line_counts(text: str, final: str) -> None:
    assert voice(text).final == final


SAME = [
    ("Use SQLite.", "use sqlite"),
    ("`use  SQLite`", "Use SQLite!"),
    ("The answer is 42", "42"),
    ("42.0", "+42"),
    ("1,024", "1024"),
    ("Thus, the final answer is: yes", "YES"),
]
OTHER = [("42", "43"), ("use SQLite", "don't use SQLite"), ("1.5", "15"), ("4.2", "42"), ("a, b", "ab"), ("-1", "1")]


@pytest.mark.parametrize(("one", "two"), SAME)
def test_the_same_answer_written_otherwise_is_the_same_vote(one: str, two: str) -> None:
    assert normal(one) == normal(two)


@pytest.mark.parametrize(("one", "two"), OTHER)
def test_another_answer_is_another_vote(one: str, two: str) -> None:
    assert normal(one) != normal(two)


@given(st.text(max_size=400))
def test_no_reply_breaks_the_count(text: str) -> None:
    found = counted([voice(text), voice(f"FINAL: {text}"), Voice()])
    assert found is None or 1 <= found.votes <= found.of <= 2


Answer = Callable[[Sequence[Message]], str | Failed | TimeoutError]


def context(answer: Answer, asked: list[Sequence[Message]]) -> CallContext:
    async def ask(messages: Sequence[Message], timeout_s: float, most: int, model: str = "") -> Said | Failed:
        asked.append(messages)
        said = answer(messages)
        if isinstance(said, TimeoutError):
            raise said
        return said if isinstance(said, Failed) else Said(at=1.0, text=said)

    return cast(CallContext, SimpleNamespace(ask=ask, timeout_s=100.0))


async def debated(answer: Answer, **more: Any) -> tuple[str, int]:
    asked: list[Sequence[Message]] = []
    result = await tool.run(context(answer, asked), Debate(question="which?", **more))
    return result.text, len(asked)


def by_number(*finals: str) -> Answer:
    """The voice of each number always says the same."""

    def answer(messages: Sequence[Message]) -> str:
        number = int(str(messages[1]["content"]).removeprefix("Voice ").partition(" ")[0])
        return f"because {number}\n{finals[number - 1]}"

    return answer


async def test_the_most_votes_win_and_all_last_lines_are_told() -> None:
    text, asked = await debated(by_number("FINAL: B", "FINAL: A.", "FINAL: a"))
    assert text.startswith("2 of 3 votes: A.\n1. B\n2. A.\n3. a\n") and "because 2" in text
    assert asked == 6


async def test_when_all_agree_there_is_no_further_round() -> None:
    assert (await debated(by_number("FINAL: x", "FINAL: X", "FINAL: x."), rounds=3))[1] == 3


async def test_a_tie_is_no_majority() -> None:
    text, _ = await debated(by_number("FINAL: a", "FINAL: b"), proposals=2)
    assert text.startswith("No majority: 2 answers have 1 of 2 votes each.")


async def test_a_voice_that_says_nothing_has_no_vote() -> None:
    text, _ = await debated(by_number("hm", "FINAL: b", "hm"))
    assert text.startswith("1 of 1 votes: b") and "1. (no answer)" in text


async def test_a_later_round_reads_the_others_and_what_was_said_stays_where_it_fails() -> None:
    seen: list[str] = []

    def answer(messages: Sequence[Message]) -> str | TimeoutError:
        body = str(messages[1]["content"])
        seen.append(body)
        return TimeoutError() if "said:" in body else by_number("FINAL: a", "FINAL: b", "FINAL: b")(messages)  # type: ignore[return-value]

    text, _ = await debated(answer)
    assert text.startswith("2 of 3 votes: b")
    assert "You said:\nbecause 1" in seen[3] and "Voice 2 said:\nbecause 2" in seen[3]


FAILED = Failed(at=1.0, trouble=Trouble.USER, text="The key was refused.")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (lambda messages: "", "no voice gave a line"),
        (lambda messages: "no idea", "no voice gave a line"),
        (lambda messages: TimeoutError(), "no answer in time"),
        (lambda messages: FAILED, "The key was refused"),
    ],
    ids=["empty", "no last line", "time", "model"],
)
async def test_if_nobody_answers_that_is_a_failure_in_words(answer: Answer, why: str) -> None:
    with pytest.raises(ToolError, match="came to nothing") as raised:
        await debated(answer)
    assert why in str(raised.value)


def test_its_schema_is_bounded() -> None:
    fields = Debate.model_json_schema()["properties"]
    assert (fields["proposals"]["maximum"], fields["rounds"]["maximum"]) == (5, 3), json.dumps(fields)
