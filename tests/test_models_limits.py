"""One reply can't take more memory than its limits say (FAULTS.md, M26), over loopback."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from agent.models.chat import ModelSettings, OpenAIChat
from agent.steps import Trouble
from tests.fakes.clock import HandClock
from tests.models_wire import (
    DONE,
    Play,
    call_chunks,
    chunk,
    collect,
    entry,
    serving,
)

ARGS = '{"command": "ls"}'


@pytest.mark.parametrize("piece", [1000, 1_000_000, 5_000_000])
async def test_five_megabytes_of_text_are_cut(piece: int) -> None:
    """M26."""
    letter = "é" if piece == 1000 else "ee"
    flood = [chunk({"content": letter * (piece // 2)})] * (5_000_000 // piece)
    async with serving(Play([*flood, chunk({}, "stop"), DONE])) as (model, endpoint):
        shown, said = await collect(model)
    assert said.finish == "cut"
    assert len(shown.encode()) == 400_000
    assert said.text.startswith(shown)
    assert "cut" in said.text.removeprefix(shown)
    if piece == 1000:
        assert endpoint.sent < sum(map(len, flood)) / 2


async def test_endless_arguments_are_cut_and_nothing_is_called() -> None:
    """M26."""
    flood = [chunk({"tool_calls": [entry(0, "c1", "shell", "")]})]
    flood += [chunk({"tool_calls": [entry(0, None, None, "x" * 100_000)]})] * 30
    async with serving(Play([chunk({"content": "Hello"}), *flood, chunk({}, "tool_calls"), DONE])) as (model, _):
        _, said = await collect(model)
    assert (said.finish, said.calls) == ("cut", ())
    assert said.text.startswith("Hello")
    assert "not run" in said.text


async def test_five_hundred_calls_are_cut_to_the_first_sixty_four() -> None:
    """M26."""
    calls = [entry(i, f"c{i}", "shell", ARGS) for i in range(500)]
    async with serving(Play(call_chunks(*calls))) as (model, _):
        _, said = await collect(model)
    assert [call.id for call in said.calls] == [f"c{i}" for i in range(64)]
    assert "500" in said.text


async def test_an_event_without_end_is_refused() -> None:
    flood = Play([b'data: {"choices": "', *[b"x" * 100_000] * 200])
    async with serving(flood) as (model, endpoint):
        _, failed = await collect(model)
    assert failed.trouble is Trouble.RETRY
    assert endpoint.sent < 20_000_000


async def test_an_endless_error_body_is_not_read() -> None:
    def huge(request: httpx2.Request) -> httpx2.Response:
        async def body() -> Any:
            for _ in range(1000):
                served.append(1)
                yield b"x" * 10_000

        return httpx2.Response(500, content=body())

    served: list[int] = []
    model = OpenAIChat(ModelSettings("http://m/v1", "m-1"), HandClock(), httpx2.MockTransport(huge))
    _, failed = await collect(model)
    await model.close()
    assert failed.status == 500
    assert len(served) < 10
