"""What a reviewer's answer comes to: a vote of a closed set with findings, or none at all. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

FINDINGS = 8
TEXT = 300  # characters of a problem
QUOTE = 400
SHORTEST = 3  # characters of a quote, blanks not counted: less stands in any file
LONGEST = 100_000  # characters of an answer that are looked at

APPROVE, CHANGES, REJECT = "approve", "request_changes", "reject"
_SAID = {
    "approve": APPROVE, "approved": APPROVE, "request_changes": CHANGES, "requestchanges": CHANGES,
    "changes_requested": CHANGES, "request_change": CHANGES, "reject": REJECT, "rejected": REJECT,
}  # fmt: skip
SEVERITIES = ("none", "minor", "major", "critical")
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Finding:
    """`line` counts from 1, 0 = not said. `missing`: the file should be there and isn't."""

    problem: str
    file: str = ""
    line: int = 0
    quote: str = ""
    missing: bool = False

    @property
    def told(self) -> str:
        where = f"{self.file}:{self.line}" if self.line and not self.missing else self.file
        quote = f" `{' '.join(self.quote.split())[:80]}`" if self.quote else ""
        return f"{where}{quote}: {self.problem}" if where else f"{quote.strip()} {self.problem}".strip()


@dataclass(frozen=True, slots=True)
class Vote:
    """vote: approve | request_changes | reject."""

    vote: str
    severity: str = "none"
    findings: tuple[Finding, ...] = ()


def parse(answer: str) -> Vote | None:
    """The last object in the answer that votes; None for anything that is no vote. Never raises."""
    found: Vote | None = None
    for value in _objects(_THOUGHT.sub("", answer[-LONGEST:])):
        found = _vote(value) or found
    return found


def _vote(value: dict[str, Any]) -> Vote | None:
    said = _SAID.get(re.sub(r"[\s-]+", "_", str(value.get("vote", "")).strip().lower()))
    if said is None:
        return None
    severity = str(value.get("severity", "")).strip().lower()
    if severity not in SEVERITIES:
        severity = {APPROVE: "none", CHANGES: "major", REJECT: "critical"}[said]
    if said == REJECT and severity != "critical":
        said = CHANGES
    rows = value.get("findings")
    rows = rows if isinstance(rows, list) else []
    findings = [found for row in rows[: FINDINGS * 4] if isinstance(row, dict) and (found := _finding(row))]
    return Vote(said, severity, tuple(findings[:FINDINGS]))


def _finding(row: dict[str, Any]) -> Finding | None:
    problem = " ".join(str(row.get("problem") or "").split())[:TEXT]
    line = row.get("line")
    if isinstance(line, str) and re.fullmatch(r"[0-9]{1,7}", line):
        line = int(line)
    number = line if isinstance(line, int) and not isinstance(line, bool) and 0 < line < 10**7 else 0
    file, quote = str(row.get("file") or "").strip()[:TEXT], str(row.get("quote") or "")[:QUOTE]
    return Finding(problem, file, number, quote, row.get("missing") is True) if problem else None


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text, in order, none from within another."""
    decoder, at, tries = json.JSONDecoder(), 0, 0
    while (at := text.find("{", at)) >= 0 and tries < 200:
        tries += 1
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        if isinstance(value, dict):
            yield value


def place_of(quote: str, content: str, near: int = 0) -> int:
    """The line at which `content` holds the quote, blanks aside, nearest to line `near`; 0 where it doesn't."""
    wanted = quote.split()
    if sum(map(len, wanted)) < SHORTEST:
        return 0
    pattern = re.compile(r"\s+".join(map(re.escape, wanted)))
    places = [content.count("\n", 0, match.start()) + 1 for match in pattern.finditer(content)]
    return min(places, key=lambda line: abs(line - near), default=0)
