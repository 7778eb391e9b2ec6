"""Where the seed rules speak, and who goes before whom: one voice an iteration, loop over repeated over failure.

Each slot stands in the tail of the next request only, after the notice of the turns that are left.
"""

from __future__ import annotations

ITERATION = "turn.iteration"  # the highest rank of these three is heard, so a loop silences both notes on failures
FAILURE, REPEATED, LOOP = 1, 2, 3

STREAK, STUCK, STICKY = "turn.streak", "turn.stuck", "turn.sticky"  # each independent of all others


def quoted(text: str, limit: int) -> str:
    """`text` in quotes, of it at most `limit` characters."""
    return f'"{text if len(text) <= limit else text[: limit - 1] + "…"}"'
