"""Counts how often the newest call was made in a row."""

from __future__ import annotations

from dataclasses import dataclass

from agent.guards.baseline._calls import Key


@dataclass(slots=True)
class InARow:
    """`count` is how often the same call has come without another between."""

    count: int = 0
    last: Key | None = None

    def add(self, key: Key) -> int:
        """Count this call; a different one starts anew."""
        self.count = self.count + 1 if key == self.last else 1
        self.last = key
        return self.count
