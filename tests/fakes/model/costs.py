"""Replies that say what they cost."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from tests.fakes.model.steps import DONE, Sse, Use, call_chunk, chunk, sh
from tests.fakes.model.turn import Turn

_ids = itertools.count(1)


def costing(tokens: int, text: str = "", cost: float | None = None, call: Use | None = None) -> Sse:
    """A reply that says it took so many tokens: a text, or else a call, which without `call` does nothing new."""
    number = next(_ids)
    usage = {"prompt_tokens": tokens - 100, "completion_tokens": 100, "total_tokens": tokens}
    last = {**chunk({}), "choices": [], "usage": usage | ({} if cost is None else {"cost": cost})}
    made = call or sh(f"echo part-{number}")
    use = Use(made.name, made.arguments, id=f"call_b{number}")
    said = [chunk({"role": "assistant", "content": text})] if text else [call_chunk(0, use)]
    return Sse((*said, chunk({}, "stop" if text else "tool_calls"), last, DONE))


def spending(tokens: int) -> Callable[[Turn], Sse]:
    """A model that never comes to an end."""

    def policy(turn: Turn) -> Sse:
        return costing(tokens)

    return policy
