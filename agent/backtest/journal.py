"""A recorded run as our journal would hold it: the leg, the task, then the steps of each call."""

from __future__ import annotations

import json

from agent.backtest.runs import Recorded, Run
from agent.backtest.sources import Act, Reading, reading_of
from agent.backtest.verdict import CUT, outcome, streams
from agent.steps import Asked, Call, Finished, Opened, Proposed, Said, Started, Step

SECONDS_A_CALL = 10.0  # no source kept times; guards know no other clock than the steps' own
STREAMED = ("shell", "python", "sql")


def prologue(run: Run, panel: str) -> tuple[Step, ...]:
    """What stands before the first call."""
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
    value = f"{act.value} [sha1 {recorded.args_sha}]" if CUT.search(recorded.args) else act.value
    return json.dumps({act.argument: value}, ensure_ascii=False)


def _finished(at: float, call_id: str, recorded: Recorded, act: Act) -> Finished:
    ended = outcome(recorded, act)
    out, err = (None, None) if act.tool not in STREAMED else streams(recorded, act, ended)
    return Finished(
        at=at,
        call_id=call_id,
        tool=act.tool,
        outcome=ended,
        text=act.text if act.text is not None else _text(recorded),
        exit_code=recorded.exit_code,
        stdout=out,
        stderr=err,
        files=() if act.effect == "read" else None,
    )


def _text(recorded: Recorded) -> str:
    whole = len(recorded.output) >= recorded.out_len
    return recorded.output if whole else f"{recorded.output}\n[sha1 {recorded.out_sha}]"
