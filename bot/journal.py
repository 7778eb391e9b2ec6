"""A session's journal as plain text for a person: a line or a few for each step. Pure."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator

from agent import steps as s
from bot import words
from bot.because import because


def told(journal: Iterable[tuple[int, s.Step]], zone: datetime.tzinfo) -> str:
    """The whole as text, oldest first. Times are of `zone`."""
    return "".join(f"{line}\n" for seq, step in journal for line in _entry(seq, step, zone))


def _entry(seq: int, step: s.Step, zone: datetime.tzinfo) -> Iterator[str]:
    head, *body = _parts(step, zone)
    yield f"{seq:>5}  {_at(step.at, zone)}  {head}"
    for text in body:
        yield from (f"         {line}" for line in text.splitlines())


def _at(when: float, zone: datetime.tzinfo) -> str:
    return datetime.datetime.fromtimestamp(when, zone).strftime("%Y-%m-%d %H:%M:%S")


def _head(step: s.Step, *values: object) -> str:
    return words.LOG[type(step).__name__.lower()].format(*values).rstrip()


def _parts(step: s.Step, zone: datetime.tzinfo) -> list[str]:
    """First what happened, in one line; then its texts."""
    match step:
        case s.Opened():
            return [_head(step, step.model, step.panel, step.mode, step.cwd)]
        case s.Asked() | s.Corrected():
            return [_head(step, step.author), step.text, *([step.context] if step.context else [])]
        case s.Said():
            calls = [f"{call.id} {call.name} {call.arguments}" for call in step.calls]
            return [_head(step, step.model, step.usage.tokens, words.seconds(step.duration)), step.text, *calls]
        case s.Failed():
            return [_head(step, step.trouble.value, step.model), because(step.text, step.causes)]
        case s.Finished():
            came = words.outcome(step.outcome.value, step.exit_code)
            return [_head(step, step.call_id, step.tool, came, words.seconds(step.duration)), step.text]
        case s.Nudged():
            return [_head(step, step.level.name, step.event), step.text]
        case s.Parked():
            head = words.LOG["parked until"].format(_at(step.until, zone)) if step.until else _head(step)
            return [head, because(step.why, step.causes)]
        case s.Ended():
            return [_head(step, words.ENDS[step.end.value]), because(step.reason, step.causes)]
        case _:
            return _rest(step)


def _rest(step: s.Step) -> list[str]:
    match step:
        case s.Handed():
            return [_head(step, step.cause), step.text]
        case s.Decided():
            return [_head(step, step.call_id, step.verdict, step.by), step.reason]
        case s.Commanded():
            return [_head(step, step.command, step.value, step.by)]
        case s.Seen():
            return [_head(step, step.probe, step.status), step.value[:2_000]]
        case s.Looking():
            return [_head(step, step.probe, step.guard)]
        case s.Proposed():
            return [_head(step, step.call.id, step.call.name, step.effect)]
        case s.Offered():
            return [_head(step, ", ".join(spec.name for spec in step.added) or "-", ", ".join(step.dropped) or "-")]
        case s.Resumed(cause=what) | s.Started(call_id=what):
            return [_head(step, what)]
        case s.Purged():
            return [_head(step, step.what, step.upto)]
        case _:
            return [_head(step)]
