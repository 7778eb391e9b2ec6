"""Whether each custom tool can be offered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from agent.workshop.peek import peek
from bot.doctor.finding import Finding, fail, ok, warn

MEND = "Mend its entry in {file}, or delete it with delete_tool."
SHOWN = 10


def tools(home: Path, built_in: Iterable[str]) -> Sequence[Finding]:
    """One line, and one for each entry of the tools file that is set aside."""
    seen, file = peek(home, built_in), home / "tools.json"
    if seen.damage:
        mend = f"Mend {file}; until then tools.good.json, its last good copy, is used."
        return [fail("tools", f"{file} can't be read: {seen.damage}", mend)]
    aside = [warn("tools", f"{name} is set aside: {why}", MEND.format(file=file)) for name, why in seen.bad[:SHOWN]]
    more = len(seen.bad) - SHOWN
    return [
        ok("tools", f"{seen.tools} custom" if seen.tools else "no custom ones"),
        *aside,
        *([warn("tools", f"{more} more are set aside", "/tools shows them.")] if more > 0 else []),
    ]
