"""The steps of a run as pages of a message: what was called, what came of it, what the model was told. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from agent import steps as s
from bot import words
from bot.because import because
from bot.card import describe, remark
from bot.oneline import clip

PAGE = 1_600  # characters
SAID, TOLD, HEAD = 300, 300, 3  # characters of a reply, of a nudge; lines of a result
LINE = 160


@dataclass(slots=True)
class Details:
    """Fold the steps of one run, in order; `entries` are its pieces, oldest first."""

    entries: list[str] = field(default_factory=list)
    _open: dict[str, str] = field(default_factory=dict)
    _turn: int = 0
    _call: int = 0

    def fold(self, step: s.Step) -> None:
        match step:
            case s.Said():
                self._turn += 1
                self._open |= {call.id: describe(call) for call in step.calls}
                if step.text.strip():
                    self.entries.append(words.detail_said(self._turn, clip(step.text, SAID)))
            case s.Finished():
                self._call += 1
                self.entries.append(self._finished(step))
            case s.Nudged(level=level) if level is not s.Level.ASK and step.text:
                self.entries.append(f"{words.nudge_line(step.event, 1)}\n  {clip(remark(step), TOLD)}")
            case s.Failed():
                self.entries.append(f"✗ {clip(because(step.text, step.causes), TOLD)}")
            case s.Ended():
                self.entries.append(words.ENDS[step.end.value])
            case _:
                pass

    def _finished(self, step: s.Finished) -> str:
        what = self._open.pop(step.call_id, step.tool)
        came = words.outcome(step.outcome.value, step.exit_code)
        printed = "\n".join(part.head for part in (step.stdout, step.stderr) if part and part.head)
        shown = printed or (step.details if step.stdout is None else "")
        lines = [clip(line, LINE) for line in shown.splitlines() if line.strip()]
        more = ["  …"] if len(lines) > HEAD else []
        took = f" · {words.span(step.duration)}" if step.duration >= 1 else ""
        head = f"{self._call}. {what}\n  {came}{took}"
        return "\n".join([head, *[f"  {line}" for line in lines[:HEAD]], *more])


def pages(run: Iterable[s.Step]) -> list[str]:
    """The pages, oldest first; never none."""
    fold = Details()
    for step in run:
        fold.fold(step)
    made = [""]
    for entry in fold.entries:
        if made[-1] and len(made[-1]) + len(entry) > PAGE:
            made.append("")
        made[-1] = f"{made[-1]}\n{entry}".strip("\n")
    return made if made[0] else [words.NO_DETAILS]


def run_of(journal: Sequence[tuple[int, s.Step]], asked: int) -> list[s.Step]:
    """The steps of the run that began at `asked`, without those after its end."""
    run: list[s.Step] = []
    for seq, step in journal:
        if seq >= asked:
            run.append(step)
            if isinstance(step, s.Ended):
                break
    return run
