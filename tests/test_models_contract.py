"""What every Model promises (agent.ports.Model), asked of the real one over loopback and of the scripted one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing

import pytest

from agent.models.scripted import Line, ScriptedModel, Slow
from agent.ports import Delta, Model
from agent.steps import Call, Failed, Said, Trouble
from tests.fakes.clock import HandClock
from tests.fakes.http import Reply
from tests.models_wire import ASK, SHELL, Answer, Play, call_chunks, collect, entry, serving, text_chunks

TEXT = "A text that is long enough for several deltas. " * 3
CALL = Call("c1", "shell", '{"command":"ls"}')

Make = Callable[[str], Awaitable[Model]]

SCRIPTED: dict[str, list[Line]] = {
    "text": [TEXT],
    "calls": [[CALL]],
    "failure": [Failed(at=0.0, trouble=Trouble.RETRY, text="The model is down.")],
    "silence": [Slow(3600, TEXT)],
}
SERVED: dict[str, Answer] = {
    "text": Play(text_chunks(*[TEXT[i : i + 20] for i in range(0, len(TEXT), 20)])),
    "calls": Play(call_chunks(entry(0, CALL.id, CALL.name, CALL.arguments))),
    "failure": Reply(503),
    "silence": Play([3600.0]),
}


@pytest.fixture(params=["openai", "scripted"])
async def make(request: pytest.FixtureRequest) -> AsyncIterator[Make]:
    """Makes a model that has one thing to say."""
    async with AsyncExitStack() as stack:

        async def build(what: str) -> Model:
            if request.param == "scripted":
                return ScriptedModel(SCRIPTED[what], HandClock(), "m-1")
            model, _ = await stack.enter_async_context(serving(SERVED[what]))
            return model

        yield build


async def test_a_text_comes_as_deltas_and_then_whole(make: Make) -> None:
    shown, said = await collect(await make("text"))
    assert isinstance(said, Said)
    assert shown == said.text == TEXT
    assert (said.finish, said.calls, said.upto) == ("stop", (), 0)


async def test_calls_come_with_the_end(make: Make) -> None:
    _, said = await collect(await make("calls"))
    assert isinstance(said, Said)
    assert (said.calls, said.finish) == ((CALL,), "tool_calls")


async def test_a_failure_is_a_value(make: Make) -> None:
    shown, failed = await collect(await make("failure"))
    assert isinstance(failed, Failed)
    assert failed.trouble is Trouble.RETRY
    assert failed.text.endswith(".")
    assert shown == ""


@pytest.mark.parametrize("what", ["text", "calls", "failure"])
async def test_an_end_carries_the_models_name_clock_and_usage(make: Make, what: str) -> None:
    model = await make(what)
    _, end = await collect(model)
    assert end.model == model.name == "m-1"
    assert end.at == HandClock().now()
    assert end.duration >= 0
    assert min(end.usage.prompt, end.usage.completion, end.usage.cached) >= 0


async def test_a_consumer_may_leave_early(make: Make) -> None:
    model = await make("text")
    async with aclosing(model.reply(ASK, [SHELL])) as items:  # type: ignore[type-var]
        assert isinstance(await anext(items), Delta)


async def test_a_cancelled_consumer_is_cancelled(make: Make) -> None:
    model = await make("silence")
    task = asyncio.create_task(collect(model))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 5)


async def test_the_request_is_left_as_it_was(make: Make) -> None:
    messages = [{"role": "user", "content": "a\ud800"}]
    await collect(await make("text"), messages)
    assert messages == [{"role": "user", "content": "a\ud800"}]
