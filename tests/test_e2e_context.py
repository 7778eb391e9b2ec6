"""A history larger than the model's context, on the real process: handed on in time, or after a refusal."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.fakes.lab import Lab
from tests.fakes.model import Step, Turn, sh

pytestmark = pytest.mark.e2e
CONTEXT = 16_384  # tokens
CALLS = 46  # of 4.4 kB each: 200 kB in all


def reading(final: str) -> Callable[[Turn], Step]:
    """A model that makes so many calls with long output, whatever it can still see of them."""
    made = iter(range(CALLS))

    def reply(turn: Turn) -> Step:
        number = next(made, None)
        if number is None:
            return final
        return sh(f"seq -f 'row-{number}-%g' 1000 1400; echo {number} > part-{number}.txt")

    return reply


def holds(tokens: int) -> Callable[[dict[str, Any]], str]:
    """What a server says that takes so many tokens of four characters each."""

    def refusal(body: dict[str, Any]) -> str:
        asked = len(json.dumps(body["messages"], ensure_ascii=False)) // 4 + len(json.dumps(body["tools"])) // 4
        words = f"This model's maximum context length is {tokens} tokens. However, your messages resulted in {asked}"
        return f"{words} tokens. Please reduce the length of the messages." if asked > tokens else ""

    return refusal


@pytest.mark.lab(env={"JARVIS_MODEL__CONTEXT_TOKENS": str(CONTEXT), "JARVIS_RUN__TURNS": "60"})
async def test_a_history_of_200_kb_never_meets_the_limit_of_a_model_of_16k_tokens(lab: Lab) -> None:
    lab.model.max_chars = CONTEXT * 4  # a refusal would be a fault
    await lab.start()
    sent = lab.send("build the GREENHOUSE index", reading("BUILT1"))
    await lab.wait_text("BUILT1", timeout=60)
    requests = lab.requests(sent)
    assert len(requests) == CALLS + 1
    assert "GREENHOUSE" in requests[-1].raw.decode()
    assert any("grew too long" in text for text in lab.screen())
    assert max(len(request.raw) for request in requests) > CONTEXT * 2  # the room is used
    assert lab.copies("BUILT1") == 1


@pytest.mark.lab(chats=[8], env={"JARVIS_MODEL__CONTEXT_TOKENS": "128000", "JARVIS_RUN__TURNS": "60"})
async def test_a_model_that_turns_out_smaller_is_answered_within_three_calls(lab: Lab) -> None:
    await lab.start()
    lab.send("build the GREENHOUSE index", reading("BUILT2"))
    await lab.wait_text("BUILT2", timeout=60)
    lab.model.reject = holds(CONTEXT)
    assert len(lab.model.requests[-1].raw) > CONTEXT * 6
    before = len(lab.model.requests)
    await lab.ask("and now?", ["NOW2"], "NOW2")
    assert len(lab.model.requests) - before <= 3
    assert [request.kind for request in lab.model.requests[before:]].count("refused") == 1
    assert "GREENHOUSE" in lab.model.requests[-1].raw.decode()  # what was talked about is not gone
    before = len(lab.model.requests)
    await lab.ask("hello", ["OTHER2"], "OTHER2", chat=8)
    assert len(lab.model.requests) - before == 1


@pytest.mark.lab(env={"JARVIS_MODEL__TIER": "small"})
async def test_a_model_that_never_fits_is_told_of_in_one_sentence_and_tried_again(lab: Lab) -> None:
    lab.model.reject = holds(500)
    await lab.start()
    sent = lab.send("hello", ["NEVER3"])
    await lab.wait_text("JARVIS_MODEL__CONTEXT_TOKENS", after=sent.after)
    assert len(lab.model.requests) == 3
    lab.model.reject = None
    lab.model.next("BACK3")
    again = lab.send("hello again")
    await lab.wait_text("BACK3", after=again.after)
    assert lab.copies("NEVER3") == 0
