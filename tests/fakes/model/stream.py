"""A scripted step as the bytes of an answer, streamed or whole."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from typing import Any

from tests.fakes.http import Cut, Reply, Reset, Stream, json_reply
from tests.fakes.model.steps import DONE, End, Http, Say, Sse, Step, Use, chunk

EVER = 3600.0  # seconds of a hang
_ids = itertools.count(1)


async def answer(step: Step, body: dict[str, Any], size: int) -> Reply | Stream:
    """`size` is the request's in bytes; usage is a quarter of it. Raises Reset."""
    match step:
        case str():
            return await _say(Say(step), body, size)
        case Use():
            return await _say(Say(calls=(step,)), body, size)
        case Say():
            return await _say(step, body, size)
        case Http():
            return _http(step)
        case Sse():
            return Stream(_raw(step))
        case End.RESET:
            raise Reset
        case _:
            await asyncio.sleep(EVER)
            raise Reset


def error(status: int, message: str, param: str | None = None, code: str | None = None) -> Reply:
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return json_reply({"error": {"message": message, "type": kind, "param": param, "code": code}}, status)


def _http(step: Http) -> Reply:
    if step.body is None:
        return Reply(step.status, error(step.status, f"Injected {step.status}").body, headers=step.headers)
    if isinstance(step.body, bytes):
        kind = "text/html" if step.body.startswith(b"<") else "application/json"
        return Reply(step.status, step.body, kind, step.headers)
    return json_reply(step.body, step.status, step.headers)


async def _say(say: Say, body: dict[str, Any], size: int) -> Reply | Stream:
    await asyncio.sleep(say.delay)
    calls = [
        {
            "id": call.id or f"call_{next(_ids):08d}",
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for call in say.calls
    ]
    usage = _usage(size, len(say.text) // 4 + 1)
    finish = say.finish or ("tool_calls" if calls else "stop")
    if body.get("stream"):
        wanted = bool((body.get("stream_options") or {}).get("include_usage")) and say.usage
        return Stream(_deltas(say, calls, finish, usage if wanted else None))
    message = {"role": "assistant", "content": say.text or None, **({"tool_calls": calls} if calls else {})}
    whole = {**chunk({}), "object": "chat.completion", "model": body["model"]}
    whole["choices"] = [{"index": 0, "message": message, "finish_reason": finish}]
    return json_reply({**whole, "usage": usage})


def _usage(size: int, completion: int) -> dict[str, Any]:
    prompt = size // 4
    total = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    return {**total, "prompt_tokens_details": {"cached_tokens": 0}}


async def _deltas(
    say: Say, calls: list[dict[str, Any]], finish: str, usage: dict[str, Any] | None
) -> AsyncIterator[bytes]:
    yield _event(chunk({"role": "assistant", "content": None if calls and not say.text else ""}))
    width = -(-len(say.text) // say.pieces) or 1
    for start in range(0, len(say.text), width):
        yield _event(chunk({"content": say.text[start : start + width]}))
        await asyncio.sleep(say.pause)
    for index, call in enumerate(calls):
        arguments = call["function"]["arguments"]
        half = len(arguments) // 2
        opened = {**call, "index": index, "function": {**call["function"], "arguments": ""}}
        yield _event(chunk({"tool_calls": [opened]}))
        for part in (arguments[:half], arguments[half:]):
            yield _event(chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]}))
    yield _event(chunk({}, finish))
    if usage:
        yield _event({**chunk({}), "choices": [], "usage": usage})
    yield DONE


async def _raw(step: Sse) -> AsyncIterator[bytes]:
    for item in step.items:
        match item:
            case End.CLOSE:
                return
            case End.CUT:
                raise Cut
            case End.RESET:
                raise Reset
            case End.HANG:
                await asyncio.sleep(EVER)
            case bytes():
                yield item
            case dict():
                yield _event(item)
            case _:
                await asyncio.sleep(item)


def _event(value: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n\n"
