"""Sizes, the cut in the middle, and the room that a leg's opening gives its messages."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.room import (
    FREE,
    LEAST,
    OMITTED,
    REPLY,
    UNBOUNDED,
    Room,
    budget,
    room_of,
    size_of,
    size_of_message,
    squeezed,
)
from agent.steps import Opened, ToolSpec
from agent.tiers import CRAMPED, TIERS, tier_for


def opened(context: int, tier: str = "large", prompt: str = "PROMPT", **more: Any) -> Opened:
    return Opened(
        at=0, prompt=prompt, tools=(), model="m", panel="ours", day="d", cwd="/w", nonce="n", context=context,
        tier=tier, **more,
    )  # fmt: skip


@pytest.mark.parametrize("size", [LEAST, LEAST + 1, 5000])
@pytest.mark.parametrize("letter", ["a", "ä", "字", "😀"])
def test_a_text_is_cut_only_where_it_is_too_long(size: int, letter: str) -> None:
    text = letter * (size // size_of(letter))
    assert squeezed(text, size_of(text)) == text
    cut = squeezed(text + letter, max(size_of(text), LEAST))
    assert size_of(cut) <= max(size_of(text), LEAST)
    assert "bytes left out" in cut


def test_a_cut_keeps_head_and_tail_and_counts_what_is_missing() -> None:
    cut = squeezed("HEAD" + "x" * 10_000 + "TAIL", 1000)
    assert cut.startswith("HEADx")
    assert cut.endswith("xTAIL")
    missing = int(cut.split("[… ")[1].split(" ")[0])
    assert missing == 10_008 - (
        size_of(cut) - size_of(f"\n[… {missing} bytes left out here: too long for the context …]\n")
    )


def test_less_room_than_tells_anything_leaves_a_remark() -> None:
    assert squeezed("x" * LEAST, LEAST - 1) == OMITTED


@given(st.text(max_size=600), st.integers(LEAST, 1200))
def test_a_cut_fits_whatever_the_text(text: str, limit: int) -> None:
    assert size_of(squeezed(text, limit)) <= limit


def test_half_a_surrogate_pair_has_a_size() -> None:
    assert size_of("\ud800") == 1
    assert squeezed("\ud800" * 500, LEAST)


@pytest.mark.parametrize(("context", "left"), [(5, 4), (16_384, 13_108), (REPLY * 5, REPLY * 4), (128_000, 119_808)])
def test_the_reply_has_room(context: int, left: int) -> None:
    assert budget(context) == left


def test_an_unknown_context_bounds_nothing() -> None:
    assert room_of(opened(0)) == Room(fixed=room_of(opened(0)).fixed)
    assert room_of(opened(0)).message == UNBOUNDED


@pytest.mark.parametrize("context", [4_000, 8_192, 16_384, 32_768, 128_000, 1_000_000])
@pytest.mark.parametrize("tier", TIERS)
def test_the_parts_fit_into_the_whole(context: int, tier: str) -> None:
    room = room_of(opened(context, tier, prompt="p" * 5_000))
    assert room.fixed + room.free < budget(context) * 3.5
    assert room.checkpoint + 2 * room.message <= room.free
    assert 0 < room.result <= TIERS[tier].result
    assert room.tokens <= budget(context)


def test_a_fixed_part_that_fills_the_context_leaves_a_little() -> None:
    assert room_of(opened(1)).free == room_of(opened(4_000, prompt="p" * 50_000)).free == FREE


def test_tokens_of_fewer_bytes_leave_room_for_fewer_bytes() -> None:
    assert room_of(opened(16_384, ratio=2.0)).free < room_of(opened(16_384)).free * 0.6


def test_a_message_is_measured_with_its_calls() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "shell", "arguments": '{"command": "ls"}'}}
    plain = size_of_message({"role": "assistant", "content": "hi"})
    assert size_of_message({"role": "assistant", "content": None, "tool_calls": [call]}) > plain + 20


@pytest.mark.parametrize(
    ("name", "context", "tier"),
    [
        ("large", CRAMPED - 1, "small"),
        ("large", CRAMPED, "large"),
        ("mid", 0, "mid"),
        ("small", 128_000, "small"),
        ("", 32_768, "mid"),
    ],
)
def test_the_tier_in_force(name: str, context: int, tier: str) -> None:
    assert tier_for(name, context).name == tier


def test_tools_take_room_too() -> None:
    tool = ToolSpec("t", "d" * 500, "{}")
    assert room_of(opened(16_384)).free - room_of(Opened(
        at=0, prompt="PROMPT", tools=(tool,), model="m", panel="ours", day="d", cwd="/w", nonce="n", context=16_384,
        tier="large",
    )).free >= 500  # fmt: skip
