"""What budgets are made of: sums of spending, the kinds of budget there are, and how they are told. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass

from agent.causes import Cause, because
from agent.steps import Usage
from agent.why import Why

NOTICE_AT = 0.8  # of a budget (SPEC 2.2)


@dataclass(frozen=True, slots=True)
class Sums:
    """Spending: tokens, US dollars as far as they are known, replies of the model, seconds of work."""

    tokens: int = 0
    money: float = 0.0
    calls: int = 0
    seconds: float = 0.0

    def __add__(self, other: Sums) -> Sums:
        return Sums(
            self.tokens + other.tokens,
            self.money + other.money,
            self.calls + other.calls,
            self.seconds + other.seconds,
        )

    @classmethod
    def of(cls, usage: Usage, seconds: float) -> Sums:
        """What a reply, an attempt at one, or several together come to; nothing in it is negative."""
        tokens, money = max(0, usage.prompt) + max(0, usage.completion), max(0.0, usage.money or 0.0)
        return cls(tokens, money, max(1, usage.calls), max(0.0, seconds))


NOTHING = Sums()


@dataclass(frozen=True, slots=True)
class Kind:
    """One budget: whose spending it bounds (run, day, user), and in what (tokens, money, calls, seconds)."""

    setting: str
    scope: str
    measure: str


KINDS = (
    Kind("run_tokens", "run", "tokens"),
    Kind("run_money", "run", "money"),
    Kind("run_calls", "run", "calls"),
    Kind("run_s", "run", "seconds"),
    Kind("user_day_tokens", "user", "tokens"),
    Kind("user_day_money", "user", "money"),
    Kind("user_day_calls", "user", "calls"),
    Kind("day_tokens", "day", "tokens"),
    Kind("day_money", "day", "money"),
    Kind("day_calls", "day", "calls"),
)


@dataclass(frozen=True, slots=True)
class Day:
    """What the usage probe answered: the day's sums of all and of one user, and when the next day begins."""

    day: Sums
    user: Sums
    frees: str

    @classmethod
    def parse(cls, value: str) -> Day | None:
        """None for what isn't such an answer."""
        try:
            data = json.loads(value)
            return cls(_sums(data["day"]), _sums(data["user"]), str(data["frees"])[:40])
        except (ValueError, TypeError, KeyError, OverflowError):
            return None


def _sums(data: dict[str, float]) -> Sums:
    return Sums(max(0, int(data["tokens"])), max(0.0, float(data["money"])), max(0, int(data["calls"])))


_MEASURES = {"tokens": Why.TOKENS, "money": Why.MONEY, "seconds": Why.SECONDS, "calls": Why.REPLIES}
_WHOSE = {"run": Why.OF_RUN, "user": Why.OF_USER, "day": Why.OF_ALL}


def amount(kind: Kind, used: float, allowed: float) -> Cause:
    """Used and allowed."""
    return because(_MEASURES[kind.measure], used, allowed)


def near(kind: Kind, used: float, allowed: float) -> Cause:
    """That a budget is nearly used up."""
    percent = min(99, int(100 * used / allowed))
    return because(Why.BUDGET_NEAR, percent, because(_WHOSE[kind.scope]), amount(kind, used, allowed))


def notice(kind: Kind, used: float, allowed: float) -> str:
    """For the model."""
    return f"[budget] {near(kind, used, allowed)} Finish what matters most, then answer."


def stopped(kind: Kind, used: float, allowed: float, frees: str) -> Cause:
    """For the user: which budget, used and allowed, when it frees, which setting to change."""
    told, setting = amount(kind, used, allowed), f"JARVIS_GUARDS__BUDGET__{kind.setting.upper()}"
    if kind.scope == "run":
        return because(Why.RUN_SPENT, told, setting)
    again = because(Why.AT_TIME, frees) if frees else because(Why.TOMORROW)
    return because(Why.USER_SPENT if kind.scope == "user" else Why.ALL_SPENT, told, again, setting)
