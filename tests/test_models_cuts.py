"""A recorded stream cut at every byte, cleanly or by a reset: never half a reply, never a call before the end."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.models.assembly import Assembly
from agent.models.chat import ModelSettings, OpenAIChat
from agent.models.incoming import Incoming
from agent.steps import Failed, Said, Trouble
from tests.fakes.clock import HandClock
from tests.models_wire import DONE, Cut, Play, Reset, call_chunks, chunk, collect, entry, serving, sse, text_chunks

USAGE = sse({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}})
TEXT = b"".join([chunk({"role": "assistant", "content": ""}), *text_chunks("One é ", "two.")[:-1], USAGE, DONE])
CALLS = b"".join(
    [
        chunk({"role": "assistant", "content": None}),
        *call_chunks(
            entry(0, "c1", "shell", '{"command": "ls"}'),
            entry(1, "c2", "write_file", '{"path": "a", '),
            entry(1, None, None, '"content": "b"}'),
        )[:-1],
        USAGE,
        DONE,
    ]
)


class CutTransport(httpx2.AsyncBaseTransport):
    """Sends the first `cut` bytes of a stream, then its end or a reset."""

    def __init__(self, stream: bytes, reset: bool) -> None:
        self.cut = 0
        self._stream, self._reset = stream, reset

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=self._pieces())

    async def _pieces(self) -> AsyncIterator[bytes]:
        yield self._stream[: self.cut]
        if self._reset:
            raise httpx2.ReadError("connection reset")


@pytest.mark.parametrize("reset", [False, True])
@pytest.mark.parametrize(("stream", "calls"), [(TEXT, 0), (CALLS, 2)])
async def test_every_cut_is_all_or_nothing(stream: bytes, calls: int, reset: bool) -> None:
    end = stream.index(USAGE)  # the explicit end of the reply is complete from here on
    transport = CutTransport(stream, reset)
    model = OpenAIChat(ModelSettings("http://m/v1", "m-1"), HandClock(), transport)
    for transport.cut in range(len(stream) + 1):
        _, outcome = await collect(model)
        if transport.cut < end:
            assert isinstance(outcome, Failed), transport.cut
            assert outcome.trouble is Trouble.RETRY
        else:
            assert isinstance(outcome, Said), transport.cut
            assert len(outcome.calls) == calls
            assert outcome.text == ("" if calls else "One é two.")
    await model.close()


@given(st.lists(st.integers(0, len(CALLS)), max_size=30))
def test_any_cutting_gives_the_same(cuts: list[int]) -> None:
    def put_together(pieces: list[bytes]) -> object:
        assembly = Assembly()
        incoming = Incoming(assembly)
        shown = "".join([*map(incoming.feed, pieces), incoming.close()])
        return shown, incoming.done, assembly.usage, assembly.received, assembly.reply((), "m-1")

    places = [0, *sorted(cuts), len(CALLS)]
    assert put_together([CALLS[a:b] for a, b in itertools.pairwise(places)]) == put_together([CALLS])


@pytest.mark.parametrize("ending", [Cut, Reset])
@pytest.mark.parametrize("at", range(0, CALLS.index(USAGE), 61))
async def test_a_cut_on_a_real_socket_leaves_no_call(at: int, ending: type[Exception]) -> None:
    async with serving(Play([CALLS[:at] or b"\n", ending])) as (model, _):
        _, outcome = await collect(model)
    assert isinstance(outcome, Failed)
    assert outcome.trouble is Trouble.RETRY
