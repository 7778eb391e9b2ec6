"""What a reply cost: the usage that it carries where that makes sense, else an estimate of four bytes a token."""

from __future__ import annotations

from agent.prices import money_of
from agent.steps import Usage

BYTES_A_TOKEN = 4
_MOST = 20_000_000  # tokens; more than this in one reply is nonsense
_UNSEEN = 50_000  # tokens that a provider may add to a prompt of its own accord


def usage_of(report: object, sent: int, received: int) -> Usage:
    """Usage from a reply's `usage` object; `sent` and `received` (bytes) stand in for what is missing or absurd."""
    fields = report if isinstance(report, dict) else {}
    # A token is a byte at least, so a prompt can't have more of them; thoughts that aren't shown count as completion.
    prompt = _count(fields.get("prompt_tokens"), sent + _UNSEEN)
    completion = _count(fields.get("completion_tokens"))
    details = fields.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
    if cached is None:
        cached = _count(fields.get("prompt_cache_hit_tokens"))
    known = sent // BYTES_A_TOKEN if prompt is None else prompt
    return Usage(
        prompt=known,
        completion=received // BYTES_A_TOKEN if completion is None else completion,
        cached=min(cached or 0, known),
        estimated=prompt is None or completion is None,
        money=money_of(fields.get("cost")),
    )


def _count(value: object, most: int = _MOST) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        return None
    return int(value)
