"""What a process learns of its models: bytes a token, and the context that a refusal told."""

from __future__ import annotations

import pytest

from agent.room import LOWEST, RATIO
from agent.window import TELLING, Window


@pytest.mark.parametrize(
    ("size", "tokens", "ratio"),
    [
        (4_000, 1_000, RATIO),  # never more than without knowing anything
        (2_000, 1_000, 2.0),
        (2 * TELLING, TELLING, 2.0),
        (2 * (TELLING - 1), TELLING - 1, RATIO),  # too short to tell
        (100, 1_000, LOWEST),
        (0, 1_000, RATIO),
    ],
)
def test_a_reply_tells_the_ratio(size: int, tokens: int, ratio: float) -> None:
    window = Window()
    window.heard("m", size, tokens)
    assert window.ratio("m") == pytest.approx(ratio)
    assert window.ratio("other") == RATIO


def test_a_ratio_falls_at_once_and_rises_slowly() -> None:
    window = Window()
    window.heard("m", 2_000, 1_000)
    window.heard("m", 4_000, 1_000)
    assert window.ratio("m") == pytest.approx(2.4)
    window.heard("m", 1_500, 1_000)
    assert window.ratio("m") == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("told", "tokens", "limit", "context"),
    [
        (32_768, 20_000, 8_192, 8_192),
        (32_768, 20_000, None, 18_000),  # refused: less than what was sent
        (4_096, 20_000, 8_192, 4_096),  # the settings may say less than the provider
        (0, 20_000, 8_192, 8_192),
        (32_768, 0, None, 1),
    ],
)
def test_a_refusal_tells_the_context(told: int, tokens: int, limit: int | None, context: int) -> None:
    window = Window()
    assert window.context("m", told) == told
    window.refused("m", tokens, limit)
    assert window.context("m", told) == context
    assert window.context("other", told) == told


def test_the_smallest_refusal_counts() -> None:
    window = Window()
    window.refused("m", 0, 8_192)
    window.refused("m", 0, 16_384)
    assert window.context("m", 32_768) == 8_192
