"""The bytes of a request, and the tokens that are counted for it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.models.request import body_of, call_ids
from agent.models.tokens import usage_of
from agent.models.unicode import Halves, mend
from agent.steps import ToolSpec, Usage
from tests.models_wire import ASK, SHELL


def test_a_request_has_the_fields_that_every_server_knows() -> None:
    body = json.loads(body_of("m", ASK, (SHELL,), usage=True))
    assert list(body) == ["model", "tools", "messages", "stream", "stream_options"]
    assert body["tools"][0]["function"]["parameters"]["type"] == "object"
    assert body["stream_options"] == {"include_usage": True}


def test_what_is_empty_is_left_out() -> None:
    assert list(json.loads(body_of("m", ASK, (), usage=False))) == ["model", "messages", "stream"]


def test_a_longer_conversation_keeps_the_bytes_of_the_shorter() -> None:
    shorter = body_of("m", ASK, (SHELL,), usage=True)
    longer = body_of("m", [*ASK, {"role": "assistant", "content": "hi"}], (SHELL,), usage=True)
    head = shorter.index(b'],"stream"')
    assert longer[:head] == shorter[:head]


def test_a_tool_without_a_schema_is_our_mistake() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        body_of("m", ASK, (ToolSpec("t", "", "no json"),), usage=True)


@given(st.text(st.characters(codec=None, categories=("L", "N", "S", "Cs"))))
def test_any_text_is_sent_as_valid_unicode(text: str) -> None:
    sent = json.loads(body_of("m", [{"role": "user", "content": text}], (), usage=False))["messages"][0]["content"]
    assert sent == mend(text)
    sent.encode()
    if not any("\ud800" <= c <= "\udfff" for c in text):
        assert sent == text


@pytest.mark.parametrize(
    ("text", "expected"), [("\ud83d\ude00", "😀"), ("a\ud83d", "a\ufffd"), ("\ude00\ud83d", "\ufffd\ufffd"), ("é", "é")]
)
def test_halves_are_joined_where_they_make_a_pair(text: str, expected: str) -> None:
    halves = Halves()
    assert mend(text) == expected
    assert "".join([*map(halves.feed, text), halves.close()]) == expected


def test_ids_of_calls_are_found() -> None:
    messages: list[dict[str, Any]] = [
        *ASK,
        {"role": "assistant", "content": None, "tool_calls": [{"id": "a"}, {"id": "b"}]},
        {"role": "assistant", "content": "x", "tool_calls": None},
    ]
    assert call_ids(messages) == {"a", "b"}


GUESS = Usage(prompt=100, completion=10, estimated=True)


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        ({"prompt_tokens": 7, "completion_tokens": 3}, Usage(7, 3)),
        ({"prompt_tokens": 7, "completion_tokens": 0}, Usage(7, 0)),
        (
            {"prompt_tokens": 7.0, "completion_tokens": 3.0, "prompt_tokens_details": {"cached_tokens": 5}},
            Usage(7, 3, 5),
        ),
        ({"prompt_tokens": 7, "completion_tokens": 3, "prompt_cache_hit_tokens": 5}, Usage(7, 3, 5)),
        ({"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 50}}, Usage(7, 3, 7)),
        ({"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": -5}}, Usage(7, 3)),
        ({"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": None}, Usage(7, 3)),
        ({"prompt_tokens": 7}, Usage(7, 10, estimated=True)),
        ({"prompt_tokens": -1, "completion_tokens": -1}, GUESS),
        ({"prompt_tokens": float("nan"), "completion_tokens": float("inf")}, GUESS),
        ({"prompt_tokens": 10**30, "completion_tokens": "3"}, GUESS),
        ({"prompt_tokens": True, "completion_tokens": None}, GUESS),
        ({}, GUESS),
        (None, GUESS),
        ("7", GUESS),
        ([], GUESS),
    ],
)
def test_absurd_usage_is_estimated(report: object, expected: Usage) -> None:
    assert usage_of(report, sent=400, received=40) == expected
