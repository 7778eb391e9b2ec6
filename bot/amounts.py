"""Tokens and money as a person reads them: short, never negative, never an unknown sum as nothing. Pure."""

from __future__ import annotations

from bot import words


def tokens(count: int) -> str:
    """999, 1.2k, 18k, 1.2M."""
    count = max(0, count)
    for unit, name in ((1_000_000, "M"), (1000, "k")):
        if count >= unit - (unit // 2000):  # what would round up to it
            scaled = count / unit
            return words.written(f"{scaled:.1f}{name}" if scaled < 9.95 else f"{scaled:,.0f}{name}")
    return str(count)


def money(dollars: float) -> str:
    """$0.00 for nothing at all, $0.0042, $0.02, $1,234; two figures that count where it is little."""
    dollars = max(0.0, dollars)
    if dollars >= 1000:
        return words.written(f"${dollars:,.0f}")
    if dollars >= 0.0095 or not dollars:
        return words.written(f"${dollars:.2f}")
    return words.written(f"${dollars:.4f}" if dollars >= 0.0001 else "<$0.0001")


def cost(dollars: float, priced: int, calls: int) -> str:
    """What `calls` replies cost, if the cost of `priced` of them is known; "" where it is of none."""
    if not priced:
        return ""
    return money(dollars) if priced >= calls else words.and_unknown(money(dollars))
