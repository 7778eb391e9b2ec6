"""What becomes of a judged call, by mode and by who asked (FAULTS, threat model: roles and the table of tiers)."""

from __future__ import annotations

from enum import Enum

from agent.policy.verdict import Tier


class Answer(Enum):
    RUN = "run"
    ASK = "ask"
    HOLD = "hold"


MODES = ("ask", "sandbox", "full")  # the strictest first
ROLES = ("viewer", "operator", "admin", "owner")  # the least first

_TABLE = {
    "ask": (Answer.RUN, Answer.ASK, Answer.ASK, Answer.HOLD),
    "sandbox": (Answer.RUN, Answer.RUN, Answer.ASK, Answer.HOLD),
    "full": (Answer.RUN, Answer.RUN, Answer.RUN, Answer.HOLD),
}


def answer(mode: str, role: str, tier: Tier) -> Answer:
    """Whether a call of this tier runs. An unknown mode counts as ask, an unknown role as viewer."""
    if tier > Tier.READ and role not in ROLES[1:]:
        return Answer.HOLD
    return _TABLE.get(mode, _TABLE["ask"])[tier]


def stricter(one: str, other: str) -> str:
    """The stricter of two modes."""
    return min(one, other, key=lambda mode: MODES.index(mode) if mode in MODES else 0)


def lower(one: str, other: str) -> str:
    """The lesser of two roles."""
    return min(one, other, key=lambda role: ROLES.index(role) if role in ROLES else 0)
