"""The scripted model: what its lines become, and what it remembers."""

from __future__ import annotations

import asyncio

import pytest

from agent.models.scripted import Line, ScriptedModel, Slow, call
from agent.steps import Call, Failed, Said, Trouble
from tests.fakes.clock import HandClock
from tests.models_wire import ASK, SHELL, collect


@pytest.mark.parametrize(
    ("line", "text", "calls"),
    [
        ("Hello", "Hello", ()),
        ("", "", ()),
        ([Call("c1", "shell", "{}")], "", (Call("c1", "shell", "{}"),)),
        (Said(at=1.0, text="Hello", finish="length"), "Hello", ()),
        (lambda messages, tools: f"{len(messages)} {tools[0].name}", "1 shell", ()),
        (lambda messages, tools: [Call("c1", "shell", "{}")], "", (Call("c1", "shell", "{}"),)),
        (Slow(0, Slow(0, lambda messages, tools: "Hello")), "Hello", ()),
    ],
)
async def test_a_line_becomes_a_reply(line: Line, text: str, calls: tuple[Call, ...]) -> None:
    _, said = await collect(ScriptedModel([line], HandClock()))
    assert isinstance(said, Said)
    assert (said.text, said.calls, said.model) == (text, calls, "scripted")
    assert said.at == HandClock().now()


async def test_lines_follow_one_another_and_run_out() -> None:
    model = ScriptedModel(["one", "two"], HandClock())
    ends = [(await collect(model))[1] for _ in range(3)]
    assert [end.text for end in ends[:2]] == ["one", "two"]
    assert isinstance(ends[2], Failed)
    assert ends[2].trouble is Trouble.BUG


async def test_calls_without_ids_get_new_ones_each_time() -> None:
    line = [call("shell", {"command": "é"}), call("shell", {}, id="mine")]
    model = ScriptedModel([line, line], HandClock())
    first, second = [(await collect(model))[1].calls for _ in range(2)]
    assert first[0].id != second[0].id
    assert first[1].id == second[1].id == "mine"
    assert first[0].arguments == '{"command": "é"}'


async def test_a_slow_line_takes_its_time_on_the_clock() -> None:
    clock = HandClock()
    task = asyncio.create_task(collect(ScriptedModel([Slow(5, "Hello")], clock)))
    await clock.advance(4.9)
    assert not task.done()
    await clock.advance(0.1)
    assert (await task)[1].duration == 5.0


async def test_requests_are_remembered_as_they_were() -> None:
    model = ScriptedModel(["one"], HandClock())
    messages = [dict(ASK[0])]
    await collect(model, messages)
    messages[0]["content"] = "changed"
    assert model.requests == [(ASK, (SHELL,))]
