"""Runs for tests of guards and of the backtest: calls in short form, shown to a guard step by step."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.ports import Guard, Nudge
from agent.steps import Asked, Call, Finished, Outcome, Proposed, Started, Step


@dataclass(frozen=True)
class Made:
    """A call: arguments, what came back, whether it failed, whether it only reads."""

    args: str
    result: str = "r"
    failed: bool = False
    reads: bool = False
    tool: str = "shell"


def made(short: str, **fields: Any) -> list[Made]:
    """One call a word: "a" (arguments a, result r), "a=x" (result x), "a!" (failed with result r)."""
    out = []
    for word in short.split():
        args, _, result = word.removesuffix("!").partition("=")
        out.append(Made(args, result or "r", failed=word.endswith("!"), **fields))
    return out


def asked() -> Asked:
    return Asked(at=0.0, text="go on", author="test:1")


def steps(number: int, call: Made) -> tuple[Step, ...]:
    name = f"call-{number}"
    outcome = Outcome.FAILED if call.failed else Outcome.OK
    return (
        Proposed(at=0.0, call=Call(name, call.tool, call.args), effect="read" if call.reads else "write"),
        Started(at=0.0, call_id=name),
        Finished(at=0.0, call_id=name, tool=call.tool, outcome=outcome, text=call.result),
    )


def spoke(guard: Guard, calls: Iterable[Made | Asked]) -> list[tuple[int, str]]:
    """The numbers of the calls (from 1) on which the guard spoke, and at which level."""
    out: list[tuple[int, str]] = []
    number = 0
    for each in calls:
        if isinstance(each, Asked):
            guard.observe(each)
            continue
        number += 1
        for step in steps(number, each):
            said = guard.observe(step)
            if isinstance(said, Nudge):
                out.append((number, said.level.name))
    return out


def row(run: str, outcome: str, calls: list[dict[str, Any]], source: str = "plain", **more: Any) -> dict[str, Any]:
    """A recorded run as a line of a file holds it; calls need only what differs from a plain good one."""
    whole = [recorded(**call) for call in calls]
    return {"id": run, "source": source, "model": "m", "task": "t", "outcome": outcome, "calls": whole, **more}


def recorded(**call: Any) -> dict[str, Any]:
    args, output = call.get("args", "ls"), call.get("output", "a b")
    plain = {"tool": "shell", "ok": True, "ok_from": "reported", "exit_code": None}
    text = {"args": args, "output": output, "args_sha": args, "out_sha": output, "out_len": len(output)}
    return {**plain, **text, **call}


def written(file: Path, rows: Iterable[Any]) -> Path:
    """The rows as JSON lines, gzip if the name says so. A string is written as it is."""
    text = "".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in rows)
    data = text.encode()
    file.write_bytes(gzip.compress(data) if file.suffix == ".gz" else data)
    return file
