"""What a model of each size is given: a shorter tool list, smaller results and earlier handoffs for the small ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agent.ports import Tool

CRAMPED = 6_000  # tokens; in a smaller context every model gets what the small ones get


@dataclass(frozen=True, slots=True)
class Tier:
    """`result` and `message` are bytes of one result and one message shown to the model, `lines` is the most of each
    part of a checkpoint, `fill` is the share of a request's room from which a leg is handed on."""

    name: str
    result: int
    message: int
    lines: int
    fill: float


TIERS = {
    tier.name: tier
    for tier in (
        Tier("small", result=4_000, message=16_000, lines=8, fill=0.85),
        Tier("mid", result=10_000, message=48_000, lines=14, fill=0.9),
        Tier("large", result=24_000, message=200_000, lines=20, fill=0.95),
    )
}
SMALL = frozenset(
    {
        *("shell", "jobs", "read_file", "write_file", "edit_file", "list_dir", "search", "task_complete", "blocked"),
        "send_file",
    }
)


def tier_for(name: str, context: int) -> Tier:
    """The tier in force for a model of tier `name` in a context of so many tokens, 0 = unknown. An unknown name is
    `mid`."""
    return TIERS["small"] if 0 < context < CRAMPED else TIERS.get(name, TIERS["mid"])


def offered(tools: Iterable[Tool], tier: Tier) -> list[Tool]:
    """Those of our own tools that the tier is offered, in order."""
    return [tool for tool in tools if tier.name != "small" or tool.name in SMALL]
