"""Streams of many servers cut at every byte, cleanly or by a reset: never half a reply, never a call before the end."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.messages import History
from agent.models.assembly import Assembly
from agent.models.chat import ModelSettings, OpenAIChat
from agent.models.incoming import Incoming
from agent.models.written import WrittenCalls
from agent.ports import Message
from agent.steps import Asked, Failed, Said, Trouble
from tests.fakes.clock import HandClock
from tests.models_wire import Cut, Play, Reset, collect, serving
from tests.streams import STREAMS, CutTransport, Recorded
from tests.test_messages import OPENED, check_valid

NAMES = [stream.name for stream in STREAMS]
every_stream = pytest.mark.parametrize("stream", STREAMS, ids=NAMES)


def history_of(outcome: Said | Failed) -> tuple[Message, ...]:
    """What the next request would show of it, the results of its calls apart."""
    view = History()
    if isinstance(outcome, Said):
        outcome = replace(outcome, upto=2)
    for seq, step in enumerate([OPENED, Asked(at=1, text="hello", author="t:7"), outcome], start=1):
        view.fold(seq, step)
    return view.request().messages


def same(outcome: Said, stream: Recorded) -> bool:
    calls = tuple((call.name, call.arguments) for call in outcome.calls)
    return (outcome.text, calls, outcome.finish) == (stream.text, stream.calls, stream.finish)


@every_stream
@pytest.mark.parametrize("reset", [False, True], ids=["close", "reset"])
async def test_every_cut_is_all_or_nothing(stream: Recorded, reset: bool) -> None:
    transport = CutTransport(stream.bytes, reset)
    model = WrittenCalls(OpenAIChat(ModelSettings("http://m/v1", "m-1"), HandClock(), transport), on=False)
    end = stream.end
    # Of a last blank line the first byte says all, if nothing comes after it; the second may be on its way.
    early = end - (b"\r\n" in stream.bytes and not reset)
    said = set()
    for transport.cut in range(len(stream.bytes) + 1):
        shown, outcome = await collect(model)
        assert stream.text.startswith(shown), (transport.cut, shown)
        if transport.cut < early:
            assert isinstance(outcome, Failed), transport.cut
            assert outcome.trouble is Trouble.RETRY
            if outcome.text not in said:
                assert [m["content"] for m in history_of(outcome)] == ["PROMPT", "hello"]
            said.add(outcome.text)
        else:
            assert isinstance(outcome, Said), transport.cut
            assert same(outcome, stream), (transport.cut, outcome)


@every_stream
async def test_a_whole_stream_leaves_one_message_in_a_valid_history(stream: Recorded) -> None:
    transport = CutTransport(stream.bytes, reset=False)
    model = OpenAIChat(ModelSettings("http://m/v1", "m-1"), HandClock(), transport)
    shown, outcome = await collect(model)
    await model.close()
    assert isinstance(outcome, Said)
    assert shown in ("", stream.text)
    messages = history_of(outcome)
    assert [m["role"] for m in messages] == ["system", "user", "assistant"]
    assert messages[-1]["content"] == (stream.text or None)
    assert len(messages[-1].get("tool_calls", ())) == len(stream.calls)
    assert "hm" not in str(messages) and "look" not in str(messages) and "user" not in str(messages[-1]["content"])
    if not stream.calls:
        check_valid(messages)


def put_together(pieces: list[bytes]) -> object:
    assembly = Assembly()
    incoming = Incoming(assembly)
    shown = "".join([*map(incoming.feed, pieces), incoming.close()])
    return shown, incoming.done, assembly.usage, assembly.received, assembly.reply((), "m-1")


@every_stream
def test_byte_by_byte_gives_the_same(stream: Recorded) -> None:
    raw = stream.bytes
    assert put_together([raw[at : at + 1] for at in range(len(raw))]) == put_together([raw])


@settings(max_examples=100)
@given(st.sampled_from(STREAMS), st.data())
def test_any_cutting_gives_the_same(stream: Recorded, data: st.DataObject) -> None:
    raw = stream.bytes
    cuts = data.draw(st.lists(st.integers(0, len(raw)), max_size=30))
    assert put_together([raw[a:b] for a, b in itertools.pairwise([0, *sorted(cuts), len(raw)])]) == put_together([raw])


@pytest.mark.parametrize("ending", [Cut, Reset])
@pytest.mark.parametrize("part", [0.0, 0.3, 0.6, 0.99])
async def test_a_cut_on_a_real_socket_leaves_no_call(part: float, ending: type[Exception]) -> None:
    stream = next(each for each in STREAMS if each.name == "openai_parallel")
    cut = stream.bytes[: int(stream.end * part)]
    async with serving(Play([cut or b"\n", ending])) as (model, _):
        _, outcome = await collect(model)
    assert isinstance(outcome, Failed)
    assert outcome.trouble is Trouble.RETRY
