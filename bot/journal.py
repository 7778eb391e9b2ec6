"""A session's journal as plain text for a person: a line or a few for each step. Pure."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator

from agent import steps as s


def told(journal: Iterable[tuple[int, s.Step]], zone: datetime.tzinfo) -> str:
    """The whole as text, oldest first. Times are of `zone`."""
    return "".join(f"{line}\n" for seq, step in journal for line in _entry(seq, step, zone))


def _entry(seq: int, step: s.Step, zone: datetime.tzinfo) -> Iterator[str]:
    at = datetime.datetime.fromtimestamp(step.at, zone).strftime("%Y-%m-%d %H:%M:%S")
    head, *body = _parts(step)
    yield f"{seq:>5}  {at}  {head}"
    for text in body:
        yield from (f"         {line}" for line in text.splitlines())


def _parts(step: s.Step) -> list[str]:
    """First what happened, in one line; then its texts."""
    match step:
        case s.Opened():
            return [f"opened  model {step.model}, panel {step.panel}, mode {step.mode}, {step.cwd}"]
        case s.Asked() | s.Corrected():
            return [f"{_name(step)}  {step.author}", step.text, *([step.context] if step.context else [])]
        case s.Said():
            calls = [f"{call.id} {call.name} {call.arguments}" for call in step.calls]
            return [f"said  {step.model}, {step.usage.tokens} tokens, {step.duration:.1f} s", step.text, *calls]
        case s.Failed():
            return [f"failed  {step.trouble.value}, {step.model}", step.text]
        case s.Finished():
            return [f"finished  {step.call_id} {step.tool}: {_came(step)}", step.text]
        case s.Nudged():
            return [f"nudged  {step.level.name} {step.event}", step.text]
        case s.Handed():
            return ["handed", step.text]
        case _:
            return _rest(step)


def _rest(step: s.Step) -> list[str]:
    match step:
        case s.Decided():
            return [f"decided  {step.call_id} {step.verdict} by {step.by}", step.reason]
        case s.Commanded():
            return [f"commanded  {step.command} {step.value} by {step.by}"]
        case s.Parked():
            return ["parked", step.why]
        case s.Ended():
            return [f"ended  {step.end.value}", step.reason]
        case s.Seen():
            return [f"seen  {step.probe} {step.status}", step.value[:2_000]]
        case s.Proposed():
            return [f"proposed  {step.call.id} {step.call.name} ({step.effect})"]
        case s.Started():
            return [f"started  {step.call_id}"]
        case _:
            return [_name(step)]


def _name(step: s.Step) -> str:
    return type(step).__name__.lower()


def _came(step: s.Finished) -> str:
    code = f", exit {step.exit_code}" if step.exit_code is not None else ""
    return f"{step.outcome.value}{code}, {step.duration:.1f} s"
