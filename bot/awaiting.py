"""What a card says of the model while its reply is awaited: tries, waits, who answers instead. A fold; pure."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from agent import steps as s
from bot import modelwords as words
from bot.because import because, brief

WHY = 80  # characters of a reason


@dataclass(slots=True)
class Awaiting:
    """`zone` is where the reader lives; `model` answered last, as far as is known, or is about to; `ahead` is how many
    requests wait before this one."""

    zone: datetime.tzinfo = datetime.UTC
    model: str = ""
    ahead: int = 0
    _newest: s.Failed | s.Parked | s.Resumed | None = None

    def fold(self, step: s.Step) -> str:
        """Take a step in; returns the line about it that stays in the card, or ""."""
        match step:
            case s.Opened():
                self.model = step.model
            case s.Said():
                self._newest, self.ahead = None, 0
                return self._answered(step.model)
            case s.Failed():
                self._newest = step
                self.model = self.model or step.model
            case s.Parked() | s.Resumed(cause="restart"):
                self._newest = step
            case s.Asked() | s.Resumed() | s.Commanded():
                self._newest = None
            case _:
                pass
        return ""

    @property
    def parked(self) -> bool:
        return isinstance(self._newest, s.Parked)

    def text(self, now: float) -> str:
        """The line at wall time `now`, "" for none."""
        if self.ahead:
            return words.queued(self.ahead)
        match self._newest:
            case s.Failed(then=str(then)) as failed if then:
                return words.asking_other(then, reason(failed))
            case s.Failed(again=float() | int() as again) as failed:
                left = max(0.0, failed.at + again - now)
                return words.retrying(failed.attempt, failed.attempts, left, reason(failed))
            case s.Parked(until=float() | int() as until) as parked:
                return words.waits_until(words.at_time(until, parked.at, self.zone), _clip(_parked(parked)))
            case s.Parked() as parked:
                return words.waiting(_clip(because(parked.why, parked.causes)))
            case s.Resumed():
                return words.RESUMED
        return ""

    def _answered(self, model: str) -> str:
        former, self.model = self.model, model or self.model
        return words.answers_now(model, former) if model and former and model != former else ""


def reason(failed: s.Failed) -> str:
    """Why a try failed, as part of a sentence: without the model's name, and without advice."""
    text = _sentence(failed.text.replace(f"he model {failed.model}", "he model"))
    return _clip(brief(failed.causes) or text[:1].lower() + text[1:])


def _parked(parked: s.Parked) -> str:
    return brief(parked.causes) or _sentence(parked.why)


def _sentence(text: str) -> str:
    """The first sentence, without its full stop."""
    return text.split(". ", 1)[0].split("; ", 1)[0].rstrip(".")


def _clip(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= WHY else line[: WHY - 1] + "…"
