"""Thoughts are taken out where they open a reply, however the reply is cut into pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.models.thinking import FAMILIES, Thinking, after_thought


def shown(pieces: list[str]) -> str:
    thinking = Thinking()
    return "".join([*map(thinking.feed, pieces), thinking.close()])


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Use the <think> tag, then answer.", "Use the <think> tag, then answer."),
        ("A <think>b</think> c", "A <think>b</think> c"),
        ("<thought>x</thought>42", "42"),
        ("<think>x</think>\n\n42\n", "42\n"),
        ("\n <THINK>x</Think> 42", "42"),
        ("<think>a</think> <reasoning>b</reasoning> 42", "42"),
        ("<think></think>42", "42"),
        ("<think>a <b> </thought> c</think>42 <think>", "42 <think>"),
        ("[THINK]x[/THINK]42", "42"),
        ("<think>never closed, all of it is thought", ""),
        ("<think>closed by nothing</thin", ""),
        ("<thin", "<thin"),
        ("<thinner>x</thinner>", "<thinner>x</thinner>"),
        ("<think x>y</think>", "<think x>y</think>"),
        ("`<think>` is a tag", "`<think>` is a tag"),
        ("<div>hi</div>", "<div>hi</div>"),
        ("  plain", "plain"),
        ("  ", ""),
        ("", ""),
    ],
)
def test_only_an_opening_thought_is_hidden(reply: str, expected: str) -> None:
    assert shown([reply]) == expected
    assert shown(list(reply)) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("I should look.\n</think>\n\n42", "42"),
        ("I should look.</think>\n42", "42"),
        ("hm\n</THINK>", ""),
        ("[THINK closed only] hm[/THINK]\n42", "42"),
        ("Close it with </think> at the end.", "Close it with </think> at the end."),
        ("Write <think>\nhm\n</think>\nand go on.", "Write <think>\nhm\n</think>\nand go on."),
        ("plain", "plain"),
    ],
)
def test_a_thought_that_is_only_closed_is_hidden_too(reply: str, expected: str) -> None:
    assert after_thought(reply) == expected


def test_a_tag_split_over_deltas_is_seen() -> None:
    assert shown(["<", "thought", ">x</thought>42"]) == "42"


TOKENS = st.sampled_from([*FAMILIES, *FAMILIES.values(), "<", ">", "/", "think", " ", "\n", "İ", "ẞ", "a", "42"])


@given(st.lists(TOKENS, max_size=12).map("".join), st.data())
def test_any_cutting_gives_the_same(reply: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(reply)), max_size=8)))
    pieces = [reply[a:b] for a, b in zip([0, *cuts], [*cuts, len(reply)], strict=True)]
    assert shown(pieces) == shown([reply])


@given(st.text().filter(lambda text: not text.lstrip().startswith(("<", "[", "◁"))))
def test_a_reply_without_an_opening_tag_is_untouched(reply: str) -> None:
    assert shown(list(reply)) == reply.lstrip()


def test_a_long_thought_is_not_held() -> None:
    thinking = Thinking()
    thinking.feed("<think>")
    for _ in range(1000):
        thinking.feed("x" * 1000)
    assert len(thinking._held) < 50
