"""Iterations for tests of panel `seed`: replies with their calls and results, shown to a guard or to a panel."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from agent.panel import Panel
from agent.ports import Guard, Nudge
from agent.steps import Call, Change, End, Ended, Finished, Nudged, Outcome, Proposed, Said, Started, Step, Stream

SAME, OTHER = "0" * 64, "1" * 64
Iteration = tuple["Ran", ...]


@dataclass(frozen=True)
class Ran:
    """A call: of the shell with streams, of any other tool with a text alone."""

    command: str = "true"
    exit_code: int | None = 0
    stderr: str = ""
    stdout: str = ""
    tool: str = "shell"
    effect: str = "write"
    outcome: Outcome | None = None
    files: tuple[Change, ...] | None = ()

    def ended(self) -> Outcome:
        return self.outcome or (Outcome.FAILED if self.exit_code else Outcome.OK)


OK = Ran()
NO = Ran(exit_code=1, stderr="E: no")
SILENT = Ran(exit_code=1)
GREP = Ran("grep x y", exit_code=1, outcome=Outcome.ANSWERED_NO)
WARNED = Ran(stderr="warning: old", outcome=Outcome.WARNED)
READ = Ran("f", exit_code=None, tool="read_file", effect="read")
WROTE = Ran("g", exit_code=None, tool="write_file", files=(Change("/w/g", SAME, OTHER),))
THREW = Ran("nowhere", exit_code=None, tool="read_file", effect="read", stdout="no such file", outcome=Outcome.FAILED)
HELD = replace(OK, exit_code=None, outcome=Outcome.HELD)
ENDED = Ended(at=0.0, end=End.ANSWERED)


def each(*calls: Ran) -> list[Iteration]:
    """One call an iteration."""
    return [(call,) for call in calls]


def journal(iterations: Iterable[Iteration | Ended]) -> list[list[Step]]:
    """The steps of each iteration; call ids are unique in it."""
    numbers = itertools.count(1)
    return [[it] if isinstance(it, Ended) else _steps([f"c{next(numbers)}" for _ in it], it) for it in iterations]


def _steps(ids: Sequence[str], calls: Iteration) -> list[Step]:
    made = [Call(name, call.tool, _arguments(call)) for name, call in zip(ids, calls, strict=True)]
    out: list[Step] = [Said(at=0.0, text="", calls=tuple(made))]
    for call, ran in zip(made, calls, strict=True):
        if ran.ended() is not Outcome.BAD_ARGUMENTS:
            out += [Proposed(at=0.0, call=call, effect=ran.effect), Started(at=0.0, call_id=call.id)]
        out.append(_finished(call, ran))
    return out


def _arguments(ran: Ran) -> str:
    return json.dumps({"command" if ran.tool == "shell" else "path": ran.command})


def _finished(call: Call, ran: Ran) -> Finished:
    streams = ran.tool == "shell" and ran.ended() not in (Outcome.HELD, Outcome.BAD_ARGUMENTS, Outcome.CANCELLED)
    return Finished(
        at=0.0,
        call_id=call.id,
        tool=ran.tool,
        outcome=ran.ended(),
        text=ran.stdout,
        exit_code=ran.exit_code,
        stdout=Stream(head=ran.stdout, sha256=ran.stdout) if streams else None,
        stderr=Stream(head=ran.stderr, sha256=ran.stderr) if streams else None,
        files=ran.files,
    )


def words(guard: Guard, iterations: Iterable[Iteration | Ended]) -> dict[int, str]:
    """What the guard said, by iteration (from 1; an end of a run counts as one). Once at most, and at its last step."""
    said: dict[int, str] = {}
    for number, steps in enumerate(journal(iterations), start=1):
        answers = [guard.observe(step) for step in steps]
        assert not any(answers[:-1]), "it spoke before the last call had finished"
        if isinstance(answer := answers[-1], Nudge):
            said[number] = answer.text
    return said


def events(panel: Panel, iterations: Iterable[Iteration | Ended]) -> list[list[str]]:
    """The events of each iteration, in the order of their names."""
    return [[nudged.event for nudged in said] for said in nudges(panel, iterations)]


def nudges(panel: Panel, iterations: Iterable[Iteration | Ended]) -> list[list[Nudged]]:
    """What the panel wrote down in each iteration."""
    out = []
    for steps in journal(iterations):
        said = [answer for step in steps for answer in panel.observe(step) if isinstance(answer, Nudged)]
        out.append(sorted(said, key=lambda nudged: nudged.event))
    return out
