"""The model fake refuses what strict providers refuse, follows scripts, and openai's client works against it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI

from tests.fakes.model import (
    DONE,
    KEY,
    MODEL,
    End,
    FakeModel,
    Http,
    Say,
    Sse,
    Step,
    Turn,
    Use,
    call_chunk,
    chunk,
    sh,
    unstable,
)
from tests.fakes.model.validate import Invalid, validate

USER: dict[str, Any] = {"role": "user", "content": "u"}
SYSTEM: dict[str, Any] = {"role": "system", "content": "s"}
TOOL: dict[str, Any] = {"type": "function", "function": {"name": "shell", "parameters": {"type": "object"}}}


def called(*ids: str, name: str = "shell", arguments: str = "{}") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    calls = [{"id": each, "type": "function", "function": function} for each in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(call_id: str, content: str | None = "r") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def said(content: Any, role: str = "assistant") -> dict[str, Any]:
    return {"role": role, "content": content}


def tool(name: Any = "a", **schema: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", **schema}}}


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([], "too short"),
        ([USER, called("a")], "did not have response messages: a"),
        ([USER, called("a"), USER], "did not have response messages: a"),
        ([USER, called("a"), USER, result("a")], "did not have response messages: a"),
        ([USER, called("a", "b"), result("a"), USER], "did not have response messages: b"),
        ([USER, called("a"), result("a"), result("a")], "Duplicate tool response"),
        ([USER, result("x")], "must be a response"),
        ([USER, called("a"), result("a"), USER, result("a")], "Duplicate tool response"),
        ([USER, called("a", "a"), result("a")], "Duplicate tool call ids"),
        ([USER, called("a", name="bad name"), result("a")], "pattern"),
        ([USER, called("a", name="n" * 65), result("a")], "pattern"),
        ([USER, called("a", arguments={}), result("a")], "expected a string"),  # type: ignore[arg-type]
        ([USER, called(""), result("")], "Missing required parameter"),
        ([USER, {**said("x"), "tool_calls": []}], "empty array"),
        ([USER, called("a"), result("a", None)], "null"),
        ([said("x", "bot")], "Supported values"),
        ([said(5, "user")], "Invalid type"),
        ([said(None, "user")], "null"),
        ([USER, said(None)], "null"),
        ([said([], "user")], "empty array"),
        ([said([{"type": "image_url"}], "system")], "content part"),
        ([said([{"type": "text"}], "user")], "content part"),
    ],
)
def test_broken_histories_are_refused(messages: list[Any], words: str) -> None:
    with pytest.raises(Invalid, match=words):
        validate({"model": MODEL, "messages": messages})


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ({"messages": None}, "too short"),
        ({"model": ""}, "model parameter"),
        ({"tools": []}, "too short"),
        ({"tools": [tool(f"t{index}") for index in range(129)]}, "too long"),
        ({"tools": [{"type": "function"}]}, "Missing or invalid"),
        ({"tools": [tool("a b")]}, "pattern"),
        ({"tools": [tool(), tool()]}, "unique"),
        ({"tools": [tool(type="string")]}, 'type: "object"'),
        ({"tools": [tool(properties=[])]}, "'properties'"),
        ({"tools": [tool(required="x")]}, "'required'"),
        ({"tools": [tool(properties={"x": {"type": "array"}})]}, "items"),
        ({"tools": [tool(properties={"x": {"type": "array", "items": {"type": "array"}}})]}, "items"),
        ({"tool_choice": "auto"}, "tool_choice"),
        ({"stream_options": {"include_usage": True}}, "stream"),
        ({"temperature": 2.1}, "temperature"),
        ({"top_p": -0.1}, "top_p"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"messages": [said("x" * 101, "user")]}, "maximum context length"),
    ],
)
def test_broken_requests_are_refused(extra: dict[str, Any], words: str) -> None:
    with pytest.raises(Invalid, match=words):
        validate({"model": MODEL, "messages": [USER], **extra}, max_chars=100 if "messages" in extra else None)
    with pytest.raises(Invalid, match="could not parse"):
        validate([extra])


@pytest.mark.parametrize(
    ("messages", "remarks"),
    [
        ([SYSTEM, USER, called("a", "b"), result("b"), result("a"), said("x"), USER], []),
        ([USER, called("a", arguments="{"), result("a")], ["tool call arguments in history are not valid JSON"]),
        ([USER, called("a", arguments="[]"), result("a")], ["tool call arguments in history are not a JSON object"]),
        ([USER, said("x"), said("y"), USER], ["consecutive assistant messages"]),
        ([USER, said(" "), USER], ["empty assistant message"]),
        ([said("", "user")], ["empty user message"]),
        ([USER, SYSTEM], ["system message after the start"]),
        ([USER, said("x")], ["last message is from the assistant"]),
    ],
)
def test_what_only_some_providers_refuse_is_remarked(messages: list[Any], remarks: list[str]) -> None:
    body = {"model": MODEL, "messages": messages, "temperature": 2, "top_p": 1, "max_tokens": 1}
    assert validate(body) == remarks
    assert validate({**body, "moon": 1}) == [*remarks, "unknown argument moon"]


@pytest.fixture
async def client(model: FakeModel) -> AsyncIterator[AsyncOpenAI]:
    async with AsyncOpenAI(base_url=model.url, api_key=KEY, max_retries=0, timeout=5) as made:
        yield made


async def ask(client: AsyncOpenAI, messages: list[Any], tools: Any = (TOOL,)) -> Any:
    offered = list(tools) or openai.omit
    reply = await client.chat.completions.create(model=MODEL, messages=messages, tools=offered)
    return reply.choices[0].message


async def stream(client: AsyncOpenAI, step: Step, model: FakeModel) -> tuple[str, str, str | None, Any]:
    """Text, arguments of the calls, finish reason, usage."""
    model.next(step)
    text, arguments, finish, usage = "", "", None, None
    options: Any = {"include_usage": True}
    events: Any = await client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": "u"}], stream=True, stream_options=options
    )
    async for event in events:
        usage = event.usage or usage
        for choice in event.choices:
            text += choice.delta.content or ""
            arguments += "".join(call.function.arguments for call in choice.delta.tool_calls or [])
            finish = choice.finish_reason or finish
    return text, arguments, finish, usage


async def test_a_script_is_followed_over_attempts_and_turns(model: FakeModel, client: AsyncOpenAI) -> None:
    history: list[Any] = [said("go " + model.script("a", [[Http(500), sh("ls")], "done"]), "user")]
    with pytest.raises(openai.InternalServerError):
        await ask(client, history)
    call = (await ask(client, history)).tool_calls[0]
    assert json.loads(call.function.arguments) == {"command": "ls"}
    history += [called(call.id), result(call.id, "out")]
    assert (await ask(client, history)).content == "done"
    assert [request.position for request in model.main("a")] == [0, 0, 1] and model.requests[-1].results == ["out"]
    model.script("b", ["second"])
    parts = [{"type": "text", "text": "next [[script:b#1]]"}]
    history += [said("done"), said(parts, "user"), said("note: earlier you said [[script:a]]", "user")]
    assert (await ask(client, history)).content == "second" and model.requests[-1].instance == "1"
    assert (await ask(client, [said("[[script:a]]", "user")], tools=())).content == "ok"
    assert (await ask(client, [USER])).content == "ok"
    assert [request.kind for request in model.requests[-3:]] == ["main", "aux", "aux"] and not model.violations


async def test_a_policy_reacts_to_what_was_injected(model: FakeModel, client: AsyncOpenAI) -> None:
    def stubborn(turn: Turn) -> Step:
        return "fine" if turn.saw("different approach") else sh("false")

    history: list[Any] = [said(model.script("p", stubborn), "user")]
    assert (await ask(client, history)).tool_calls
    assert (await ask(client, [*history, said("Try a different approach.", "user")])).content == "fine"
    assert model.requests[-1].injected == ["Try a different approach."]


async def test_refusals_reach_the_client_and_are_counted(model: FakeModel, client: AsyncOpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="must be a response"):
        await ask(client, [USER, result("x")])
    model.refuse_remarks = "consecutive"
    with pytest.raises(openai.BadRequestError, match="consecutive"):
        await ask(client, [USER, said("x"), said("y"), USER])
    assert [request.kind for request in model.violations] == ["invalid", "invalid"]
    model.reject = lambda body: "no tools here" if body.get("tools") else ""
    with pytest.raises(openai.BadRequestError, match="no tools here"):
        await ask(client, [USER])
    with pytest.raises(openai.AuthenticationError):
        await ask(client.with_options(api_key="wrong"), [USER])
    with pytest.raises(openai.NotFoundError):
        await client.embeddings.create(model=MODEL, input="x")
    assert len(model.violations) == 2 and [entry.id async for entry in client.models.list()] == [MODEL]


async def test_streams_of_text_and_calls(model: FakeModel, client: AsyncOpenAI) -> None:
    text, arguments, finish, usage = await stream(client, Say("héllo 😀", (sh("ls"),)), model)
    assert (text, json.loads(arguments), finish) == ("héllo 😀", {"command": "ls"}, "tool_calls")
    assert usage.total_tokens > 0
    assert await stream(client, Say("x" * 9, pieces=2, pause=0.01, usage=False), model) == ("x" * 9, "", "stop", None)
    assert (await stream(client, Say("x", finish="length"), model))[:3] == ("x", "", "length")


@pytest.mark.parametrize(
    ("step", "failure"),
    [
        (End.RESET, openai.APIConnectionError),
        (End.HANG, openai.APITimeoutError),
        (Http(429, headers={"Retry-After": "3"}), openai.RateLimitError),
        (Http(502, b"<html>bad gateway</html>"), openai.InternalServerError),
        (Sse((chunk({"content": "x"}), End.CUT)), Exception),
        (Sse((chunk({"content": "x"}), End.RESET)), Exception),
        (Sse((chunk({"content": "x"}), b"data: {oops\n\n", End.CLOSE)), json.JSONDecodeError),
    ],
)
async def test_faults(model: FakeModel, client: AsyncOpenAI, step: Step, failure: type[Exception]) -> None:
    with pytest.raises(failure):
        await stream(client.with_options(timeout=0.3 if step is End.HANG else 5), step, model)
    assert (await stream(client, "after", model))[0] == "after"


async def test_raw_streams_and_bodies_go_out_as_they_are(model: FakeModel, client: AsyncOpenAI) -> None:
    raw = Sse((b": ping\n\n", chunk({"content": "a"}), 0.01, call_chunk(0, Use("shell", "{bad", "c1")), DONE))
    assert (await stream(client, raw, model))[:3] == ("a", "{bad", None)
    model.next(Http(200, {"id": "x", "choices": []}), Http(200, b"{}"))
    assert (
        await client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": "u"}])
    ).choices == []


async def test_what_breaks_the_prompt_cache_is_named(model: FakeModel, client: AsyncOpenAI) -> None:
    tag = model.script("a", ["x"])
    opened, more = [SYSTEM, said(f"go {tag}", "user")], [called("a"), result("a")]
    for messages, tools in (
        ([*opened, said("tail 1", "user")], [TOOL]),
        ([*opened, *more, said("tail 2", "user")], [TOOL, tool("new")]),
        ([said("other", "system"), *opened[1:], *more], [TOOL, tool("new")]),
        ([said("other", "system"), *opened[1:], *more], [TOOL]),
    ):
        await ask(client, messages, tools)
    kept, message, tools_changed = (model.requests[first : first + 2] for first in range(3))
    assert unstable(kept, tag) == ""
    assert unstable(message, tag) == "request 3 changes message 0 of request 2"
    assert unstable(tools_changed, tag) == "request 4 changes the tools of request 3"
