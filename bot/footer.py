"""The line under a run's answer: what it changed, ran, took and cost. A fold of its steps. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from agent import steps as s
from bot import words
from bot.amounts import cost, tokens

_RAN = frozenset(s.Outcome) - {s.Outcome.HELD, s.Outcome.CANCELLED, s.Outcome.BAD_ARGUMENTS, s.Outcome.NOT_STARTED}


@dataclass(slots=True)
class Footer:
    """Fold the steps of one run, from its first Asked on."""

    began: float | None = None  # wall time
    calls: int = 0  # of tools
    commands: int = 0
    tokens: int = 0
    replies: int = 0  # and failed attempts that cost
    money: float = 0.0
    priced: int = 0
    estimated: bool = False
    files: set[str] = field(default_factory=set)

    def fold(self, step: s.Step) -> None:
        match step:
            case s.Asked() if self.began is None:
                self.began = step.at
            case s.Said(usage=usage):
                self._spent(usage)
            case s.Failed(usage=usage) if usage.tokens > 0:
                self._spent(usage)
            case s.Seen(usage=s.Usage() as usage):
                self._spent(usage)
            case s.Finished():
                self.calls += 1
                if step.usage is not None:
                    self._spent(step.usage)
                self.commands += step.tool == "shell" and step.outcome in _RAN
                self.files |= {change.path for change in step.files or () if change.before != change.after}
            case _:
                pass

    def _spent(self, usage: s.Usage) -> None:
        self.replies += 1
        self.tokens += max(0, usage.prompt) + max(0, usage.completion)
        self.estimated = self.estimated or usage.estimated
        if usage.money is not None:
            self.priced += 1
            self.money += max(0.0, usage.money)

    def line(self, at: float) -> str:
        """The line at wall time `at`; "" for a run that only talked."""
        if self.began is None or not self.calls:
            return ""
        about = "~" if self.estimated else ""
        parts = [
            words.files_changed(len(self.files)),
            words.commands_run(self.commands),
            words.span(at - self.began),
            words.tokens_of(f"{about}{tokens(self.tokens)}") if self.tokens else "",
            cost(self.money, self.priced, self.replies),
        ]
        return " · ".join(part for part in parts if part)
