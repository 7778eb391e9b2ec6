"""Why something happened, in English: the sentences of the journal itself."""

from __future__ import annotations

from agent import causes

CAUSES = dict(causes.ENGLISH)


def say(value: float, kind: str) -> str:
    """A number of a cause: `n` of things, `s` seconds, `$` dollars, `th` time."""
    return causes.plainly(value, kind)
