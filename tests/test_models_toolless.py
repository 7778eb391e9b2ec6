"""A conversation whose tools were all refused goes on as plain talk, whatever was called before."""

from __future__ import annotations

from typing import Any

import pytest

from agent.models.scripted import ScriptedModel
from agent.models.written import WrittenCalls
from agent.steps import Said, ToolSpec
from tests.fakes.clock import HandClock

CALLED: list[Any] = [
    {"role": "system", "content": "You are Jarvis."},
    {"role": "user", "content": "go"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "greet", "arguments": '{"who": "bob"}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "hello bob"},
]
GREET = ToolSpec("greet", "d", '{"type":"object","properties":{"who":{"type":"string"}}}')


@pytest.mark.parametrize(("tools", "called"), [((), False), ((GREET,), True)])
async def test_calls_stand_in_a_request_only_beside_tools(tools: tuple[ToolSpec, ...], called: bool) -> None:
    inner = ScriptedModel(["done"], HandClock())
    replies = [part async for part in WrittenCalls(inner, on=False).reply(CALLED, tools)]
    assert isinstance(replies[-1], Said)
    ((messages, offered),) = inner.requests
    assert offered == tools
    assert any("tool_calls" in message for message in messages) == called
    assert [message["role"] for message in messages][:2] == ["system", "user"]
    text = str(messages)
    assert "hello bob" in text
    assert "greet" in text
