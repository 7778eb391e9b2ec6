"""What a reply costs by the prices in the settings. Pure: from a table of models and a usage to US dollars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from agent.steps import Usage

A_MILLION = 1_000_000  # tokens, what a price is for
DEAREST = 1_000_000.0  # US dollars for a million tokens; more is a slip of the pen
FIELDS = ("in", "out", "cached")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens of each kind; `cached` ones are a part of the prompt's."""

    prompt: float
    completion: float
    cached: float

    def of(self, usage: Usage) -> float:
        fresh = max(0, usage.prompt - usage.cached)
        sums = fresh * self.prompt + usage.cached * self.cached + usage.completion * self.completion
        return max(0.0, sums / A_MILLION)


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices by model, names in lower case."""

    by_model: Mapping[str, Price] = field(default_factory=dict)

    @classmethod
    def parse(cls, table: Mapping[str, object]) -> Prices:
        """From {model: {"in": n, "out": n, "cached": n}}; `cached` may be left out and then costs as much as `in`.
        Raises ValueError with a sentence that names the entry."""
        return cls({model.lower(): _price(model, entry) for model, entry in table.items()})

    def knows(self, model: str) -> bool:
        return model.lower() in self.by_model

    def charge(self, model: str, usage: Usage) -> Usage:
        """The usage with its money: what the provider told, else by price, else unknown."""
        price = self.by_model.get(model.lower())
        if usage.money is not None or price is None:
            return usage
        return replace(usage, money=price.of(usage))


def _price(model: str, entry: object) -> Price:
    if not isinstance(entry, dict) or not {"in", "out"} <= entry.keys() <= set(FIELDS):
        raise ValueError(f'must give each model {{"in": .., "out": ..}} and perhaps "cached"; {_short(model)} has not')
    if wrong := [name for name in FIELDS if name in entry and not _is_price(entry[name])]:
        raise ValueError(
            f'must give prices in dollars for a million tokens, 0 to {DEAREST:,.0f}; "{wrong[0]}" of {_short(model)} '
            "is none"
        )
    fresh = float(entry["in"])
    return Price(fresh, float(entry["out"]), float(entry["cached"]) if "cached" in entry else fresh)


def _is_price(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= DEAREST


def _short(model: str) -> str:
    return ascii(model if len(model) <= 40 else f"{model[:39]}…")


def money_of(cost: object) -> float | None:
    """What a provider says a reply cost, in US dollars; None where it says nothing, or nonsense.

    The field `usage.cost` is OpenRouter's, in its credits, which are dollars
    (https://openrouter.ai/docs/use-cases/usage-accounting).
    """
    if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 <= cost <= 10_000:
        return None
    return float(cost)
