"""A whole run over the real client whose first stream is cut: each call runs once, each text is answered once."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
import pytest
from pydantic import BaseModel

from agent.edges import Edges, Place
from agent.hub import Hub
from agent.models.chat import ModelSettings, OpenAIChat
from agent.models.written import WrittenCalls
from agent.ports import CallContext, Result
from agent.steps import Asked, End, Ended, Failed, Finished, Outcome, Said
from agent.store.memory import MemoryStore
from tests.fakes.clock import HandClock
from tests.fakes.edges import make_edges
from tests.fakes.host import FakeHost
from tests.models_wire import text_chunks
from tests.streams import STREAMS, Recorded
from tests.test_messages import check_valid

FINAL = b"".join(text_chunks("All done."))


class Words(BaseModel):
    command: str = ""
    path: str = ""
    content: str = ""


class Canary:
    """A tool that writes each run down."""

    effect = "write"
    description = "d"
    arguments = Words

    def __init__(self, name: str, runs: list[tuple[str, dict[str, Any]]]) -> None:
        self.name, self._runs = name, runs

    async def run(self, call: CallContext, args: Words) -> Result:
        self._runs.append((self.name, args.model_dump(exclude_unset=True)))
        return Result("ran")


class Lines(httpx2.AsyncBaseTransport):
    """Answers with one line after the other; a line is (bytes, whether a reset follows)."""

    def __init__(self, *lines: tuple[bytes, bool]) -> None:
        self.lines, self.bodies = list(lines), list[dict[str, Any]]()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.bodies.append(json.loads(request.content))
        line, reset = self.lines.pop(0)

        async def pieces() -> Any:
            yield line
            if reset:
                raise httpx2.ReadError("connection reset")

        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=pieces())


CUTS = [0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.99]
NAMES = ("shell", "read_file", "list_dir", "write_file")


@pytest.mark.parametrize("reset", [False, True], ids=["close", "reset"])
@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.name)
async def test_a_run_whose_streams_are_cut_does_all_once(stream: Recorded, reset: bool) -> None:
    cuts = [(stream.bytes[: int(stream.end * part)], reset) for part in CUTS]
    runs: list[tuple[str, dict[str, Any]]] = []
    for cut in cuts:
        runs.clear()
        transport = Lines(cut, (stream.bytes, False), (FINAL, False))
        store, clock = MemoryStore(), HandClock()
        chat = OpenAIChat(ModelSettings("http://m/v1", "m-1"), clock, transport)
        await asyncio.to_thread(chat.warm)
        tools = [Canary(name, runs) for name in NAMES]
        edges: Edges = make_edges(
            journal=store, model=WrittenCalls(chat, on=False), host=FakeHost(), clock=clock, tools=tools
        )
        await Hub(edges, "boot").submit("s", Asked(at=0, text="go", author="t:7", ref="r"), Place("/w", "/w"))
        await clock.advance(10)
        steps = [step for _, step in await store.read("s")]
        assert [step.end for step in steps if isinstance(step, Ended)] == [End.ANSWERED]
        assert len([step for step in steps if isinstance(step, Failed)]) == 1
        check(stream, runs, steps)
        for body in transport.bodies:
            check_valid(tuple(body["messages"]))
            assert sum(m["role"] == "assistant" for m in body["messages"]) <= 1
        await chat.close()


def check(stream: Recorded, runs: list[tuple[str, dict[str, Any]]], steps: list[Any]) -> None:
    said = [step.text for step in steps if isinstance(step, Said)]
    if not stream.calls:
        assert (said, runs) == ([stream.text], [])
        return
    assert said == ["", "All done."]
    finished = [step.outcome for step in steps if isinstance(step, Finished)]
    if stream.finish == "length":
        assert (runs, finished) == ([], [Outcome.BAD_ARGUMENTS])
    else:
        assert runs == [(name, json.loads(arguments)) for name, arguments in stream.calls]
        assert finished == [Outcome.OK] * len(runs)
