"""What a check found, and the report that is made of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from bot import doctorwords as words


class Grade(Enum):
    """FAIL: something doesn't work, or isn't safe. WARN: it works, and somebody should know. OK: as it should be."""

    OK, WARN, FAIL = "ok", "warn", "FAIL"


@dataclass(frozen=True, slots=True)
class Finding:
    """`text` is what was seen, `mend` what to do about it, empty where there is nothing to do."""

    grade: Grade
    name: str
    text: str
    mend: str = ""


def ok(name: str, text: str) -> Finding:
    return Finding(Grade.OK, name, text)


def warn(name: str, text: str, mend: str = "") -> Finding:
    return Finding(Grade.WARN, name, text, mend)


def fail(name: str, text: str, mend: str) -> Finding:
    return Finding(Grade.FAIL, name, text, mend)


def failed(findings: Iterable[Finding]) -> bool:
    return any(finding.grade is Grade.FAIL for finding in findings)


def render(findings: Sequence[Finding]) -> str:
    """A line a finding, a second one with the way to mend it, and the sum."""
    lines = []
    grades = {grade: words.GRADES[grade.value] for grade in Grade}
    names = [words.NAMES.get(finding.name, finding.name) for finding in findings]
    wide, broad = max(map(len, grades.values())) + 1, max([10, *map(len, names)])
    for finding, name in zip(findings, names, strict=True):
        lines.append(f"{grades[finding.grade]:<{wide}} {name:<{broad}} {finding.text}")
        if finding.mend:
            lines.append(f"{'':<{wide + broad + 1}} → {finding.mend}")
    count = {grade: sum(f.grade is grade for f in findings) for grade in Grade}
    lines.append(f"\n{words.total(count[Grade.OK], count[Grade.WARN], count[Grade.FAIL])}")
    return "\n".join(lines)
