"""Real outputs of real tools, each with the outcome and signature it should get (tests/data/outputs/*.toml)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "data" / "outputs"


@dataclass(frozen=True, slots=True)
class Output:
    """One run. `exit` is as a shell shows it; `ran` tool and version; `salient` a part of the line to quote."""

    id: str
    ran: str
    command: str
    exit: int
    outcome: str
    signature: str
    salient: str
    setup: str = ""
    locale: str = "C.UTF-8"
    user: str = ""
    signal: int | None = None
    stdout: str = ""
    stderr: str = ""
    trimmed: str = ""  # what was left out of the streams


@cache
def outputs() -> tuple[Output, ...]:
    """All of them, in the order of their files."""
    return tuple(
        Output(**row) for file in sorted(FOLDER.glob("*.toml")) for row in tomllib.loads(file.read_text())["output"]
    )
