"""Which counts of a server say that it cut the prompt: at, under and over each bound."""

from __future__ import annotations

import pytest

from agent.models.cutting import LEAST, expected_of
from agent.models.tokens import BYTES_A_TOKEN
from agent.steps import Said, Usage
from tests.models_wire import SHELL, Play, chunk, collect, serving, sse

WORDS = b"abcdefgh"


def body(tokens: int) -> bytes:
    return (WORDS * tokens)[: tokens * BYTES_A_TOKEN]


@pytest.mark.parametrize(
    ("tokens", "usage", "expected"),
    [
        (LEAST, Usage(LEAST // 2 - 1), LEAST),
        (LEAST, Usage(LEAST // 2), 0),
        (LEAST - 1, Usage(0), 0),
        (LEAST, Usage(0), LEAST),
        (10_000, Usage(2048), 10_000),
        (10_000, Usage(2048, estimated=True), 0),  # our own figure, or half of it
        (10_000, Usage(9_000), 0),
        (10_000, Usage(100_000), 0),
    ],
)
def test_counts(tokens: int, usage: Usage, expected: int) -> None:
    assert expected_of(body(tokens), usage) == expected


@pytest.mark.parametrize("run", [b" " * 60, b"=" * 80, b"\n" * 9, b"\\x00".replace(b"\\x00", b"\x00" * 50)])
def test_runs_of_one_character_are_few_tokens(run: bytes) -> None:
    assert expected_of((WORDS + run) * 2_000, Usage(6_000)) == 0


def test_pictures_are_not_text() -> None:
    picture = b'{"url":"data:image/jpeg;base64,' + b"AbC9+/xY" * 50_000 + b'"}'
    assert expected_of(picture + body(LEAST), Usage(LEAST)) == 0
    assert expected_of(picture + body(5 * LEAST), Usage(LEAST)) == (5 * LEAST * BYTES_A_TOKEN + 8) // BYTES_A_TOKEN


async def test_a_reply_carries_it() -> None:
    said = chunk({"content": "hi"}, "stop")
    cut = {"choices": [], "usage": {"prompt_tokens": 2048, "completion_tokens": 1}}
    async with serving(Play([said, sse(cut), b"data: [DONE]\n\n"])) as (model, _):
        _, end = await collect(model, [{"role": "user", "content": "word and more " * 3_000}], (SHELL,))
        assert isinstance(end, Said)
        assert end.usage.expected > 9_000
        _, end = await collect(model)
        assert isinstance(end, Said)
        assert end.usage.expected == 0
