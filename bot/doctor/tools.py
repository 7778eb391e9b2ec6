"""Whether each custom tool can be offered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from agent.workshop.peek import peek
from bot.doctor.finding import Finding, fail, ok, warn
from bot.doctorwords import said

SHOWN = 10


def tools(home: Path, built_in: Iterable[str]) -> Sequence[Finding]:
    """One line, and one for each entry of the tools file that is set aside."""
    seen, file = peek(home, built_in), home / "tools.json"
    if seen.damage:
        mend = said("mend tools damaged", file)
        return [fail("tools", said("tools damaged", file, seen.damage), mend)]
    aside = [warn("tools", said("tool aside", name, why), said("mend tool", file)) for name, why in seen.bad[:SHOWN]]
    more = len(seen.bad) - SHOWN
    return [
        ok("tools", said("tools some", seen.tools) if seen.tools else said("tools none")),
        *aside,
        *([warn("tools", said("tools aside", more), said("mend tools aside"))] if more > 0 else []),
    ]
