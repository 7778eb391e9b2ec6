"""Claims in worlds: a final text at the end of a session that did this, on a disk that holds that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agent.outcome import ending
from agent.panel import Panel
from agent.ports import Guard
from agent.steps import (
    Asked,
    Call,
    Change,
    Finished,
    Looking,
    Nudged,
    Opened,
    Outcome,
    Proposed,
    Said,
    Seen,
    Step,
    Stream,
)

DATA: dict[str, Any] = json.loads((Path(__file__).parent.parent / "data" / "claims.json").read_text("utf-8"))
World = dict[str, Any]
EMPTY: World = {"did": []}
TOOLS = {"shell": "shell", "write": "write_file", "edit": "edit_file", "read": "read_file"}


def said_of(text: str, world: World, *guards: Guard, times: int = 1) -> list[Nudged]:
    """What the guards say to this text, given `times` times, in this world; looks are answered from its disk."""
    panel = Panel(guards)
    out: list[Nudged] = []

    def show(step: Step) -> None:
        waiting = [step]
        while waiting:
            for each in panel.observe(waiting.pop(0)):
                if isinstance(each, Nudged):
                    out.append(each)
                elif each.probe == "claims":
                    waiting.append(Seen(at=1, look=each.look, probe=each.probe, value=answer(each, world)))

    for step in steps_of(world):
        show(step)
    out.clear()
    for _ in range(times):
        show(Said(at=9, text=text))
    assert not panel.faults, panel.faults[0].error
    return out


def steps_of(world: World) -> list[Step]:
    steps: list[Step] = [
        Opened(at=0, prompt="", tools=(), model="", panel="ours", day="", cwd="/w", nonce="n", workspace="/w"),
        Asked(at=0, text="do it", author="t:1"),
    ]
    for number, did in enumerate(world["did"]):
        steps += _call(f"c{number}", did)
    return steps


def _call(name: str, did: dict[str, Any]) -> list[Step]:
    kind = next(key for key in TOOLS if key in did)
    value, tool = did[kind], TOOLS[kind]
    call = Call(name, tool, json.dumps({"command": value} if kind == "shell" else {"path": value}))
    code, printed = did.get("exit", 0), did.get("out", "")
    outcome = ending(value, code << 8, (), printed, "").outcome if kind == "shell" else Outcome.OK
    before, after = ("h", "h") if kind == "read" else ("h" if kind == "edit" else "", f"h{name}")
    finished = Finished(
        at=1, call_id=name, tool=tool, outcome=outcome, text=printed or "ok",
        exit_code=code if kind == "shell" else None,
        stdout=Stream(head=printed, size=len(printed)) if kind == "shell" else None,
        files=() if kind == "shell" else (Change(value, before, after),),
    )  # fmt: skip
    return [Said(at=1, text="", calls=(call,)), Proposed(at=1, call=call, effect="write"), finished]


def answer(look: Looking, world: World) -> str:
    """What the probe would say on this world's disk."""
    asked, disk = json.loads(look.args), world.get("disk", {})
    paths = {}
    for name, places in asked["paths"].items():
        mode = next((disk[place] for place in places if place in disk), None)
        paths[name] = {"there": mode is not None, "mode": int(mode or "0", 8)}
    return json.dumps({"paths": paths, "ports": {str(port): port in world.get("ports", []) for port in asked["ports"]}})
