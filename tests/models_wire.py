"""Bytes of chat-completions streams, and a loopback endpoint that sends whatever bytes a test wants."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from agent.models.chat import ModelSettings, OpenAIChat
from agent.ports import Delta
from agent.steps import Failed, Said, ToolSpec
from tests.fakes.clock import HandClock
from tests.fakes.http import Cut, Reply, Request, Reset, Server, Stream

KEY = "sk-test-0123456789abcdef"
ASK = [{"role": "user", "content": "hello"}]
SHELL = ToolSpec("shell", "Run a command.", '{"type":"object","properties":{"command":{"type":"string"}}}')
DONE = b"data: [DONE]\n\n"


def sse(value: object) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **fields: Any) -> bytes:
    return sse({"choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}], **fields})


def text_chunks(*pieces: str, finish: str = "stop") -> list[bytes]:
    return [*(chunk({"content": piece}) for piece in pieces), chunk(finish=finish), DONE]


def entry(index: int | None, call_id: str | None, name: str | None, arguments: object) -> dict[str, Any]:
    """One entry of `tool_calls`; None leaves a field out."""
    function = {"name": name, "arguments": arguments}
    fields = {"index": index, "id": call_id, "function": {k: v for k, v in function.items() if v is not None}}
    return {k: v for k, v in fields.items() if v is not None}


def call_chunks(*entries: dict[str, Any], finish: str = "tool_calls") -> list[bytes]:
    return [*(chunk({"tool_calls": [each]}) for each in entries), chunk(finish=finish), DONE]


@dataclass(frozen=True)
class Play:
    """A streamed answer: bytes go out, a float waits that many seconds, an exception class ends it (Reset, Cut)."""

    acts: list[bytes | float | type[Exception]]
    content_type: str = "text/event-stream"


Answer = Play | Reply | Callable[[Request], "Play | Reply"]


@dataclass
class Endpoint:
    """Answers requests in the order given; the last answer repeats."""

    answers: list[Answer]
    requests: list[Request] = field(default_factory=list)
    sent: int = 0  # bytes of streams that went out
    left: asyncio.Event = field(default_factory=asyncio.Event)  # the client went away in the middle of a stream

    async def handle(self, request: Request) -> Reply | Stream:
        answer = self.answers[min(len(self.requests), len(self.answers) - 1)]
        self.requests.append(request)
        if not isinstance(answer, Play | Reply):
            answer = answer(request)
        return Stream(self._acts(answer), answer.content_type) if isinstance(answer, Play) else answer

    async def _acts(self, play: Play) -> AsyncIterator[bytes]:
        try:
            for act in play.acts:
                if isinstance(act, bytes):
                    yield act
                    self.sent += len(act)
                elif isinstance(act, float):
                    await asyncio.sleep(act)
                else:
                    raise act
        except (asyncio.CancelledError, ConnectionError, GeneratorExit):
            self.left.set()
            raise

    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(request.body) for request in self.requests]


@asynccontextmanager
async def serving(*answers: Answer, **settings: Any) -> AsyncIterator[tuple[OpenAIChat, Endpoint]]:
    """A model over a loopback endpoint with short deadlines."""
    endpoint = Endpoint(list(answers))
    async with Listening(endpoint.handle) as url:
        limits = {"first_byte_timeout_s": 5.0, "idle_timeout_s": 5.0, "total_timeout_s": 10.0, "api_key": KEY}
        model = OpenAIChat(ModelSettings(url, "m-1", **(limits | settings)), HandClock())
        await asyncio.to_thread(model.warm)  # so that short deadlines measure the server alone
        try:
            yield model, endpoint
        finally:
            await model.close()


class Listening:
    def __init__(self, handler: Callable[[Request], Awaitable[Reply | Stream]]) -> None:
        self._server = Server(handler)

    async def __aenter__(self) -> str:
        await self._server.start()
        return f"http://127.0.0.1:{self._server.port}/v1"

    async def __aexit__(self, *error: object) -> None:
        await self._server.stop()


async def collect(model: Any, messages: Any = ASK, tools: Any = (SHELL,)) -> tuple[str, Said | Failed]:
    """The streamed text and the end; checks that there is one end and that it comes last."""
    items = [item async for item in model.reply(messages, tools)]
    assert [isinstance(item, Delta) for item in items] == [True] * (len(items) - 1) + [False]
    return "".join(item.text for item in items[:-1]), items[-1]


__all__ = ["Cut", "Reply", "Reset"]
