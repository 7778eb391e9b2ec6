"""What this process has learnt of its models: how many bytes a token has, and how much a context really holds."""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.room import HIGHEST, LOWEST, RATIO

TELLING = 500  # tokens; the ratio of a shorter request is mostly that of its frame
EASING = 0.2  # how fast a ratio goes up again; down it goes at once
REFUSED = 0.9  # of a request that was refused without a word of the limit


@dataclass(slots=True)
class Window:
    """By the model's name. Nothing of it is stored: a restart learns anew."""

    _ratios: dict[str, float] = field(default_factory=dict)
    _limits: dict[str, int] = field(default_factory=dict)

    def heard(self, model: str, size: int, tokens: int) -> None:
        """A request of `size` bytes was counted as so many tokens."""
        if tokens < TELLING or size <= 0:
            return
        seen, known = ratio(size, tokens), self._ratios.get(model, HIGHEST)
        self._ratios[model] = min(seen, known + EASING * (seen - known))

    def refused(self, model: str, tokens: int, limit: int | None) -> None:
        """A request of about so many tokens didn't fit; `limit` is what the provider said it takes."""
        found = limit or max(int(tokens * REFUSED), 1)
        self._limits[model] = min(found, self._limits.get(model, found))

    def ratio(self, model: str) -> float:
        """Bytes a token, never more than without knowing anything."""
        return min(RATIO, self._ratios.get(model, RATIO))

    def context(self, model: str, told: int) -> int:
        """The context in tokens: as `told` by the settings (0 = not at all), or what was found to be less."""
        limit = self._limits.get(model, told)
        return min(told, limit) if told else limit


def ratio(size: int, tokens: int) -> float:
    """Bytes a token, within what is possible."""
    return min(max(size / max(tokens, 1), LOWEST), HIGHEST)
