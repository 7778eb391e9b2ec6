"""The model edge over loopback: deadlines, addresses, keys, calls, usage, leaving early."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from typing import Any

import pytest

from agent.models.chat import ModelSettings, OpenAIChat
from agent.steps import Call, Said, Trouble, Usage
from tests.fakes.clock import HandClock
from tests.models_wire import (
    ASK,
    DONE,
    KEY,
    Play,
    Reply,
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


def json_body(value: object, status: int = 200, headers: dict[str, str] | None = None) -> Reply:
    return Reply(status, json.dumps(value).encode(), headers=headers or {})


async def test_a_text_is_streamed_and_then_said() -> None:
    async with serving(HELLO) as (model, endpoint):
        shown, said = await collect(model)
    assert shown == "Hello"
    expected = Said(at=HandClock().now(), text="Hello", model="m-1", usage=said.usage, duration=0.0)
    assert said == expected
    assert endpoint.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert endpoint.requests[0].path == "/v1/chat/completions"


async def test_calls_are_said_whole() -> None:
    parts = [entry(0, "c1", "shell", ""), entry(0, None, None, ARGS[:5]), entry(0, None, None, ARGS[5:])]
    async with serving(Play(call_chunks(*parts))) as (model, _):
        _, said = await collect(model)
    assert (said.calls, said.finish, said.text) == ((Call("c1", "shell", ARGS),), "tool_calls", "")


@pytest.mark.parametrize("key", ["", KEY])
async def test_a_server_without_a_key_works(key: str) -> None:
    async with serving(HELLO, api_key=key) as (model, endpoint):
        assert isinstance((await collect(model))[1], Said)
        assert endpoint.requests[0].headers.get("authorization") == (f"Bearer {key}" if key else None)


async def test_a_key_that_the_provider_repeats_is_taken_out() -> None:
    body = json_body({"error": {"message": "bad header plain-secret"}}, 400)
    async with serving(body, api_key="plain-secret") as (model, _):
        _, failed = await collect(model)
    assert "plain-secret" not in failed.text
    assert failed.trouble is Trouble.BUG


@pytest.mark.parametrize(
    ("acts", "settings", "words"),
    [
        ([60.0], {"first_byte_timeout_s": 0.3}, "did not answer within 0.3 s"),
        ([chunk({"content": "Hel"}), 60.0], {"idle_timeout_s": 0.1}, "sent nothing for 0.1 s"),
        ([b": alive\n\n", 0.04] * 50, {"idle_timeout_s": 0.5, "total_timeout_s": 0.2}, "within 0.2 s"),
    ],
)
async def test_silence_ends_at_a_deadline(acts: list[Any], settings: dict[str, float], words: str) -> None:
    async with serving(Play(acts), **settings) as (model, endpoint):
        _, failed = await collect(model)
        await asyncio.wait_for(endpoint.left.wait(), 5)
    assert failed.trouble is Trouble.RETRY
    assert words in failed.text


async def test_silence_before_the_head_ends_at_the_first_deadline() -> None:
    left = asyncio.Event()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()
        await writer.wait_closed()
        left.set()

    async with await asyncio.start_server(accept, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        model = OpenAIChat(ModelSettings(url, "m-1", first_byte_timeout_s=0.2), HandClock())
        _, failed = await collect(model)
        await asyncio.wait_for(left.wait(), 5)
        await model.close()
    assert failed.trouble is Trouble.RETRY


async def test_a_slow_consumer_is_not_taken_for_silence() -> None:
    acts = [chunk({"content": "Hel"}), 0.1, *text_chunks("lo")]
    async with serving(Play(acts), idle_timeout_s=0.3) as (model, _):
        items = []
        async for item in model.reply(ASK, ()):
            items.append(item)
            await asyncio.sleep(0.5)
    assert isinstance(items[-1], Said)


async def test_a_socket_left_open_after_the_end_costs_little() -> None:
    async with serving(Play([chunk({"content": "Hello"}, "stop"), DONE, 60.0])) as (model, _):
        async with asyncio.timeout(5):
            _, said = await collect(model)
    assert said.text == "Hello"


@pytest.mark.parametrize(
    ("url", "trouble", "words"),
    [
        ("http://127.0.0.1:1/v1", Trouble.RETRY, "can't be reached"),
        ("http://no-such-host.invalid/v1", Trouble.RETRY, "can't be reached"),
        ("ftp://127.0.0.1/v1", Trouble.USER, "address"),
        ("127.0.0.1/v1", Trouble.USER, "address"),
        ("http://host:bad/v1", Trouble.USER, "address"),
    ],
)
async def test_an_endpoint_that_is_not_there_is_told(url: str, trouble: Trouble, words: str) -> None:
    model = OpenAIChat(ModelSettings(url, "m-1"), HandClock())
    _, failed = await collect(model)
    await model.close()
    assert (failed.trouble, words in failed.text) == (trouble, True), failed.text
    assert failed.usage == Usage()


@pytest.mark.parametrize("key", ["clé", "two\nlines", "\ud800"])
async def test_a_key_that_cannot_be_sent_is_told_but_not_shown(key: str) -> None:
    async with serving(HELLO, api_key=key) as (model, endpoint):
        _, failed = await collect(model)
    assert failed.trouble is Trouble.USER
    assert key not in failed.text
    assert not endpoint.requests


@pytest.mark.parametrize("arguments", ['{"path": "a", "content": "x', '{"path": "a"}'])
async def test_a_call_cut_at_the_output_limit_says_so(arguments: str) -> None:
    """M25, D64: whole or not, the loop must not run it."""
    async with serving(Play(call_chunks(entry(0, "c1", "write_file", arguments), finish="length"))) as (model, _):
        _, said = await collect(model)
    assert (said.finish, said.calls) == ("length", (Call("c1", "write_file", arguments),))


@pytest.mark.parametrize(
    ("given", "expected"),
    [('{"path": "a', '{"path": "a'), ('"{\\"a\\": 1}"', '{"a": 1}'), ({"a": 1}, '{"a": 1}'), (None, "{}")],
)
async def test_arguments_come_as_text(given: object, expected: str) -> None:
    """M14, M18."""
    async with serving(Play(call_chunks(entry(0, "c1", "shell", given)))) as (model, _):
        _, said = await collect(model)
    assert said.calls[0].arguments == expected


async def test_ids_are_unique_in_the_reply_and_the_request() -> None:
    """M15."""
    earlier = [{"role": "assistant", "content": None, "tool_calls": [{"id": "a", "function": {}}]}]
    calls = [entry(index, call_id, "shell", ARGS) for index, call_id in enumerate(["a", "b", "b", None])]
    async with serving(Play(call_chunks(*calls))) as (model, _):
        _, said = await collect(model, [*ASK, *earlier])
    ids = [call.id for call in said.calls]
    assert len({*ids, "a"}) == 5
    assert ids[1] == "b"


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": -1}, {"prompt_tokens": float("nan")}])
async def test_usage_is_estimated_where_it_makes_no_sense(usage: object) -> None:
    """M29."""
    last = [sse({"choices": [], "usage": usage})]
    async with serving(Play([*text_chunks("x" * 400)[:2], *last, DONE])) as (model, endpoint):
        _, said = await collect(model)
    assert said.usage == Usage(len(endpoint.requests[0].body) // 4, 100, estimated=True)


async def test_usage_is_taken_from_the_last_chunk() -> None:
    last = sse({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}})
    async with serving(Play([*text_chunks("Hello")[:2], 0.05, last, DONE])) as (model, _):
        _, said = await collect(model)
    assert said.usage == Usage(9, 2)


async def test_a_server_that_knows_no_stream_options_is_asked_without_from_then_on() -> None:
    refusal = json_body({"error": {"message": "Unrecognized request argument: stream_options"}}, 400)
    async with serving(refusal, HELLO) as (model, endpoint):
        for _ in range(2):
            assert (await collect(model))[1].text == "Hello"
    assert ["stream_options" in body for body in endpoint.bodies()] == [True, False, False]


async def test_a_lone_surrogate_is_sent_as_a_replacement() -> None:
    async with serving(HELLO) as (model, endpoint):
        await collect(model, [{"role": "user", "content": "a\ud800b"}])
    assert endpoint.bodies()[0]["messages"][0]["content"] == "a\ufffdb"


async def test_our_own_mistake_is_a_failure_too(caplog: pytest.LogCaptureFixture) -> None:
    async with serving(HELLO) as (model, endpoint):
        _, failed = await collect(model, [{"role": "user", "content": {"secret words"}}])
    assert failed.trouble is Trouble.BUG
    assert not endpoint.requests
    assert "TypeError" in caplog.text
    assert "secret words" not in caplog.text


async def test_nothing_secret_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "agent")
    async with serving(json_body({"error": {"message": f"secret words {KEY}"}}, 400)) as (model, _):
        await collect(model, [{"role": "user", "content": "secret words"}])
    ours = "".join(record.getMessage() for record in caplog.records if record.name.startswith("agent"))
    assert "secret" not in ours
    assert KEY not in ours


async def test_a_client_that_cannot_be_built_only_warns() -> None:
    model = OpenAIChat(ModelSettings("http://host:bad/v1", "m-1"), HandClock())
    await asyncio.to_thread(model.warm)
    assert (await collect(model))[1].trouble is Trouble.USER


def test_the_key_is_not_in_a_repr() -> None:
    assert KEY not in repr(ModelSettings("http://m/v1", "m-1", KEY))


def test_the_client_library_is_loaded_late() -> None:
    code = "import sys, agent.models.chat; sys.exit('httpx2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
