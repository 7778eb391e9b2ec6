"""A recorded run as our journal would hold it: lists of steps, one list a call.

No source kept the two output streams apart. Of a failed call, what stands from the first line of error shape on counts
as stderr, and nothing where no line has that shape: the first line of an output is not the first line of stderr.
Equality goes by the hash of the whole output, since what was kept of it is cut.
"""

from __future__ import annotations

import json
import re

from agent.backtest.runs import Recorded, Run
from agent.backtest.sources import Act, Reading, reading_of
from agent.steps import Asked, Call, Finished, Opened, Outcome, Proposed, Said, Started, Step, Stream

SECONDS_A_CALL = 10.0  # no source kept times; guards know no other clock than the steps' own
CUT = re.compile(r"\n?\.\.\.\[\d+ chars cut\]\.\.\.\n?")
ERROR_SHAPE = re.compile(
    r"^(?:Traceback \(most recent call last\)|[^\s:]{0,80}(?:Error|Exception)\b|(?:[Ee]rror|ERROR|fatal|Usage|usage)\b"
    r"|.{0,200}?(?:command not found|No such file or directory|[Pp]ermission denied|syntax error|cannot |unexpected EOF"
    r"|invalid option|missing argument|not found))",
    re.MULTILINE,
)
QUIET_FAILURES = frozenset({Outcome.OK, Outcome.WARNED, Outcome.ANSWERED_NO})


def prologue(run: Run, panel: str) -> tuple[Step, ...]:
    """What stands before the first call: the leg and the task."""
    return (
        Opened(at=0.0, prompt="", tools=(), model="", panel=panel, day="", cwd="/", nonce=""),
        Asked(at=0.0, text=run.task, author="backtest:1", ref=run.id),
    )


def calls(run: Run) -> list[tuple[Step, ...]]:
    """The steps of each call in order; a row that was no call of the model is left out."""
    reading: Reading = reading_of(run.source)
    out: list[tuple[Step, ...]] = []
    for recorded in run.calls:
        act = reading(recorded)
        if act is not None:
            out.append(_steps(len(out) + 1, recorded, act))
    return out


def _steps(number: int, recorded: Recorded, act: Act) -> tuple[Step, ...]:
    at = number * SECONDS_A_CALL
    call = Call(f"call-{number}", act.tool, _arguments(recorded, act))
    return (
        Said(at=at, text="", calls=(call,), finish="tool_calls"),
        Proposed(at=at, call=call, effect=act.effect),
        Started(at=at, call_id=call.id),
        _finished(at, call.id, recorded, act),
    )


def _arguments(recorded: Recorded, act: Act) -> str:
    if not act.argument:
        return act.value
    cut = CUT.search(recorded.args)
    value = f"{act.value} [sha1 {recorded.args_sha}]" if cut else act.value
    return json.dumps({act.argument: value}, ensure_ascii=False)


def _finished(at: float, call_id: str, recorded: Recorded, act: Act) -> Finished:
    outcome = act.outcome or _outcome(recorded)
    text = recorded.output if act.text is None else act.text
    out, err = _streams(recorded, outcome) if act.text is None else (Stream(), Stream())
    streamed = act.tool in ("shell", "python", "sql") or recorded.exit_code is not None
    return Finished(
        at=at,
        call_id=call_id,
        tool=act.tool,
        outcome=outcome,
        text=text if len(text) >= recorded.out_len or act.text else f"{text}\n[sha1 {recorded.out_sha}]",
        exit_code=recorded.exit_code,
        stdout=out if streamed else None,
        stderr=err if streamed else None,
        files=() if act.effect == "read" else None,
    )


def _outcome(recorded: Recorded) -> Outcome:
    return Outcome.OK if recorded.ok else Outcome.FAILED


def _streams(recorded: Recorded, outcome: Outcome) -> tuple[Stream, Stream]:
    text, start = recorded.output, None
    if outcome not in QUIET_FAILURES:
        found = ERROR_SHAPE.search(text)
        start = found.start() if found else None
    if start is None:
        return _stream(text, recorded.out_len, recorded.out_sha), Stream()
    before, after = text[:start], text[start:]
    size = len(before.encode())
    return _stream(before, size, recorded.out_sha), _stream(after, max(0, recorded.out_len - size), recorded.out_sha)


def _stream(text: str, size: int, sha: str) -> Stream:
    if not text:
        return Stream()
    parts = CUT.split(text, 1)
    return Stream(head=parts[0], tail=parts[1] if len(parts) > 1 else "", size=size, sha256=sha)
