"""Waiting for the rest of a turn: a paste that the client split, the pictures of an album."""

from __future__ import annotations

from collections import deque

from agent import Clock
from bot.turns import Entry, Found, turn_of

LOOK_S = 0.1  # between two looks


async def whole_turn(queue: deque[Entry], clock: Clock) -> tuple[Entry, ...]:
    """The entries at the head of a chat's queue that make one turn, once there can't be more of them. They stay in the
    queue."""
    found = turn_of(queue)
    due = clock.monotonic() + _left(found, clock)
    while found.wait and (left := due - clock.monotonic()) > 0:
        await clock.sleep(min(LOOK_S, left))
        known, found = len(found.entries), turn_of(queue)
        if len(found.entries) > known:
            due = clock.monotonic() + _left(found, clock)
    return found.entries


def _left(found: Found, clock: Clock) -> float:
    """Seconds to wait for more: none for what has waited in the store; never more than the window, if a clock was set
    back."""
    age = clock.now() - found.entries[-1][0].received
    return min(found.wait, max(0.0, found.wait - age))
