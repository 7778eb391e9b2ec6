"""What the ledger keeps: a command that ran, an approach that failed, the counters of progress. Pure."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Ran:
    """A command and what came of it. `turn` counts the replies of the session."""

    call_id: str
    command: str
    verbs: tuple[str, ...]
    exit_code: int | None
    outcome: str
    seq: int
    turn: int

    @property
    def line(self) -> str:
        return f"{self.command} -> {self.outcome if self.exit_code is None else f'exit {self.exit_code}'}"


@dataclass(frozen=True, slots=True)
class Approach:
    """Something that was tried and failed: what it came to, and how it was tried."""

    signature: str
    salient: str
    commands: tuple[str, ...]
    count: int
    last: int
    overcome: bool = False  # its error was closed later

    @property
    def line(self) -> str:
        return f"{self.salient or self.signature} ({'; '.join(self.commands[-3:])})"


@dataclass(frozen=True, slots=True)
class Progress:
    """Counters that only grow. Two of them tell whether anything came of what lies between."""

    files: int = 0  # a file with a content it never had before
    green: int = 0  # a test that newly passes
    gone: int = 0  # an open error closed, each signature once
    closed: int = 0  # a plan item completed
    facts: int = 0

    def since(self, mark: Progress) -> tuple[str, ...]:
        """What has come about since `mark`, in words; empty means zero progress."""
        words = ("file change", "test newly green", "error gone", "plan item closed", "new fact")
        grown = (
            (getattr(self, f.name) - getattr(mark, f.name), word) for f, word in zip(fields(self), words, strict=True)
        )
        return tuple(f"{count} × {word}" for count, word in grown if count > 0)
