"""Tables of odd and bad replies (FAULTS.md, rows M; DEMAND.md, rows D) and what comes of each, over loopback."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent.steps import Failed, Said, Trouble
from tests.models_wire import (
    DONE,
    KEY,
    Answer,
    Cut,
    Play,
    Reply,
    Reset,
    call_chunks,
    chunk,
    collect,
    entry,
    serving,
    sse,
    text_chunks,
)

ARGS = '{"command": "ls"}'
CALL = entry(0, "c1", "shell", ARGS)
HELLO = Play(text_chunks("Hel", "lo"))
PARTS: Any = [{"type": "text", "text": "Hello"}, {"type": "thinking", "thinking": []}]
THOUGHT = chunk({"reasoning_content": "hm", "reasoning": "hm"})
UNSTREAMED = {"message": {"content": "Hello"}, "finish_reason": "stop"}


def json_body(value: object, status: int = 200, headers: dict[str, str] | None = None) -> Reply:
    return Reply(status, json.dumps(value).encode(), headers=headers or {})


REPLIES: list[tuple[str, Answer, str, str]] = [
    ("M23 comments", Play([b": working\n\n", *text_chunks("Hello")]), "Hello", "stop"),
    ("M23 no [DONE]", Play([chunk({"content": "Hello"}, "stop")]), "Hello", "stop"),
    ("M23 no [DONE], cut", Play([chunk({"content": "Hello"}, "stop"), Cut]), "Hello", "stop"),
    ("M23 garbage after the end", Play([chunk({"content": "Hello"}, "stop"), b"data: {\n\n"]), "Hello", "stop"),
    ("M24 unknown fields", Play([chunk({"content": "Hello", "x": [1]}, "weird", y=2)]), "Hello", "stop"),
    (
        "M24 reasoning",
        Play([THOUGHT, *text_chunks("Hello")]),
        "Hello",
        "stop",
    ),
    ("M24 parts", Play(text_chunks(PARTS)), "Hello", "stop"),
    ("D24", Play(text_chunks("Use the <think> tag, then answer.")), "Use the <think> tag, then answer.", "stop"),
    ("D25", Play(text_chunks("<", "thought", ">x</thought>42")), "42", "stop"),
    ("a thought that is only closed", Play(text_chunks("hm\n</think>\n", "Hello")), "Hello", "stop"),
    ("little is not nothing", Play(text_chunks("0")), "0", "stop"),
    ("a sign is not nothing", Play(text_chunks("👍")), "👍", "stop"),
    ("dots are not nothing", Play(text_chunks("…")), "…", "stop"),
    ("split emoji", Play(text_chunks("a\ud83d", "\ude00")), "a😀", "stop"),
    ("empty finish", Play([chunk({"content": "Hel"}, ""), *text_chunks("lo")]), "Hello", "stop"),
    ("M25 on text", Play(text_chunks("Hello", finish="length")), "Hello", "length"),
    ("M25 other word", Play(text_chunks("Hello", finish="MAX_TOKENS")), "Hello", "length"),
    (
        "M27",
        Play([chunk({"refusal": "I can't "}), chunk({"refusal": "do that."}, "stop"), DONE]),
        "I can't do that.",
        "refusal",
    ),
    (
        "not streamed",
        json_body({"choices": [UNSTREAMED]}),
        "Hello",
        "stop",
    ),
]


@pytest.mark.parametrize(("row", "answer", "text", "finish"), REPLIES, ids=[row for row, *_ in REPLIES])
async def test_odd_replies_are_still_replies(row: str, answer: Answer, text: str, finish: str) -> None:
    async with serving(answer) as (model, _):
        _, said = await collect(model)
    assert isinstance(said, Said)
    assert (said.text, said.finish, said.calls) == (text, finish, ())


CUT = [chunk({"content": "Hel"}), chunk({"tool_calls": [CALL]})]
FAILURES: list[tuple[str, Answer, Trouble, str]] = [
    ("M01", json_body({"error": {"message": f"Incorrect key {KEY}"}}, 401), Trouble.USER, "key"),
    ("M02 402", json_body({}, 402), Trouble.USER, "credit"),
    ("M02 429", json_body({"error": {"code": "insufficient_quota"}}, 429), Trouble.USER, "credit"),
    ("M03", json_body({"error": {"message": "no such model"}}, 404), Trouble.USER, "m-1"),
    ("M04 408", json_body({}, 408), Trouble.RETRY, "408"),
    ("M05", json_body({}, 429, {"Retry-After": "7"}), Trouble.WAIT, "7 s"),
    ("M06", json_body({}, 429), Trouble.WAIT, "later"),
    ("M08 500", json_body({"error": {"message": "oops"}}, 500), Trouble.RETRY, "500"),
    ("M08 502", Reply(502, b"<html>bad gateway</html>", "text/html"), Trouble.RETRY, "502"),
    ("M08 529", json_body({}, 529), Trouble.RETRY, "529"),
    ("M11 status", json_body({"error": {"code": "content_filter"}}, 400), Trouble.REFUSED, "content policy"),
    ("M11 finish", Play(text_chunks("Hel", finish="content_filter")), Trouble.REFUSED, "content policy"),
    ("M12 {}", json_body({}), Trouble.RETRY, "no chat reply"),
    ("M12 null", json_body({"choices": None}), Trouble.RETRY, "no chat reply"),
    ("M12 []", json_body({"choices": []}), Trouble.RETRY, "no chat reply"),
    ("M12 cut JSON", Reply(200, b'{"choices": ['), Trouble.RETRY, "corrupt"),
    ("M12 a list", json_body([1]), Trouble.RETRY, "no chat reply"),
    ("M12 streamed {}", Play([sse({}), DONE]), Trouble.RETRY, "broke off"),
    ("M12 streamed null", Play([sse({"choices": None}), sse({"choices": [None]}), DONE]), Trouble.RETRY, "broke off"),
    ("M12 streamed list", Play([sse([1])]), Trouble.RETRY, "no chat reply"),
    ("M12 error", json_body({"error": {"message": "oops", "code": 502}}), Trouble.RETRY, "502"),
    ("M12 error text", json_body({"error": "oops"}), Trouble.RETRY, "error"),
    ("M12 HTML", Reply(200, b"<!doctype html><html>", "text/html"), Trouble.RETRY, "a web page"),
    ("M12 HTML as JSON", Reply(200, b"<html>"), Trouble.RETRY, "a web page"),
    ("M12 nothing", Reply(200, b"", "text/event-stream"), Trouble.RETRY, "broke off"),
    ("M13 null", Play([chunk({"content": None}), chunk({}, "stop"), DONE]), Trouble.RETRY, "nothing"),
    ("D27 empty", Play(text_chunks("")), Trouble.RETRY, "nothing"),
    ("D27 blank", Play(text_chunks(" \n", " ")), Trouble.RETRY, "nothing"),
    ("D27 reasoning", Play([THOUGHT, chunk({}, "stop"), DONE]), Trouble.RETRY, "nothing"),
    ("D27 invisible", Play(text_chunks("\u200b\ufeff\u3164", "\u2060 ")), Trouble.RETRY, "nothing"),
    ("D27 hollow", Play(text_chunks("{}")), Trouble.RETRY, "nothing"),
    ("D27 quotes", Play(text_chunks('""')), Trouble.RETRY, "nothing"),
    ("D27 refusal without words", Play([chunk({"refusal": " "}), chunk({}, "stop"), DONE]), Trouble.RETRY, "nothing"),
    ("D27 thought", Play(text_chunks("<think>hm</think>", "\n")), Trouble.RETRY, "nothing"),
    ("D27 open thought", Play(text_chunks("<think>hm", finish="length")), Trouble.RETRY, "output limit"),
    ("M20", Play(CUT), Trouble.RETRY, "broke off"),
    ("M20 with [DONE]", Play([*CUT, DONE]), Trouble.RETRY, "broke off"),
    ("M20 no last chunk", Play([*CUT, Cut]), Trouble.RETRY, "broke off"),
    ("M21", Play([*CUT, Reset]), Trouble.RETRY, "broke off"),
    ("M21 at once", Play([Reset]), Trouble.RETRY, "broke off"),
    ("M23 corrupt chunk", Play([*CUT, b'data: {"choices": [\n\n', *call_chunks(CALL)]), Trouble.RETRY, "corrupt"),
    ("M23 garbage line", Play([*CUT, b'\x00"}]}\n\n', *call_chunks(CALL)]), Trouble.RETRY, "corrupt"),
    ("M23 error event", Play([*CUT, b'event: error\ndata: {"message": "overloaded"}\n\n']), Trouble.RETRY, "error"),
    ("M23 error event, no JSON", Play([*CUT, b"event: error\ndata: oops\n\n"]), Trouble.RETRY, "error"),
    ("M23 error chunk", Play([*CUT, sse({"error": {"message": "x", "code": 429}})]), Trouble.WAIT, "later"),
    ("M23 finish error", Play([*CUT, chunk({}, "error"), DONE]), Trouble.RETRY, "gave up"),
    ("M09", json_body({"error": {"code": "context_length_exceeded"}}, 400), Trouble.OVERFLOW, "shortened"),
    ("M10", json_body({"error": {"message": "Invalid schema for function 'shell'"}}, 400), Trouble.TOOLS, "'shell'"),
    ("redirect", Reply(307, b"", headers={"Location": "http://127.0.0.1:9/v1"}), Trouble.USER, "address"),
]


@pytest.mark.parametrize(("row", "answer", "trouble", "words"), FAILURES, ids=[row for row, *_ in FAILURES])
async def test_failures_have_a_class_and_a_sentence(row: str, answer: Answer, trouble: Trouble, words: str) -> None:
    async with serving(answer) as (model, endpoint):
        _, failed = await collect(model)
    assert isinstance(failed, Failed)
    assert (failed.trouble, failed.model) == (trouble, "m-1")
    assert words in failed.text
    assert KEY not in repr(failed)
    assert not set("{}<>") & set(failed.text)
    assert len(endpoint.requests) == 1
    assert failed.retry_after == (7.0 if row == "M05" else None)
    says_nothing = row.startswith(("M13", "D27"))
    assert bool(failed.hint) is says_nothing
    assert failed.status == 200 or not says_nothing
