"""Probe verify: runs the commands that show whether the work is done, and looks whether files are there.

The commands are judged like any call: what would need a person's OK, or a sandbox that isn't there, is left out and
named. They share one time limit, and each runs in the box that a call of the session would run in.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agent.causes import Cause, because, dump
from agent.errors import ToolError
from agent.policy import Answer, Scene, answer, judge
from agent.ports import CallContext, Command
from agent.probes._project import find
from agent.steps import Call, Stream
from agent.why import Why

ALL_S = 90.0  # seconds for all commands of a look
LEAST_S = 1.0
MOST = 6  # commands
PATHS = 64
TAIL = 6_000  # characters kept of the end of a stream


@dataclass(frozen=True, slots=True)
class Check:
    """What came of one command: `outcome` as of any command, or "left_out" with the reason in `why`."""

    command: str
    cwd: str
    outcome: str
    exit_code: int | None = None
    output: str = ""
    why: str = ""
    causes: str = ""  # `why` as JSON text


class _Verify:
    name = "verify"
    timeout_s = ALL_S + 20.0  # ending a command takes a while too

    async def look(self, call: CallContext, args: str) -> str:
        """`args` is {commands: [[command, cwd]], paths, find: bool, files, mode, role, tainted, within_s, inside}.
        With `find` and no commands the project's own test command is taken; `within_s` shortens the time for all;
        with `inside` nothing runs that leaves the workspace, whatever the mode. The answer: {checks: [Check],
        missing: paths}. Raises ValueError for other arguments."""
        asked = json.loads(args)
        commands = [(str(command), str(cwd)) for command, cwd in asked["commands"][:MOST]]
        if asked.get("find") and not commands:
            starts = [call.cwd, *(str(Path(_absolute(call, path)).parent) for path in asked.get("files", ())[:PATHS])]
            found = await asyncio.to_thread(find, call.workspace, starts)
            commands = [found] if found else []
        missing = await asyncio.to_thread(_missing, call, asked.get("paths", ())[:PATHS])
        checks = await _checked(call, commands, asked)
        return json.dumps({"checks": [asdict(check) for check in checks], "missing": missing}, ensure_ascii=False)


async def _checked(call: CallContext, commands: list[tuple[str, str]], asked: dict[str, Any]) -> list[Check]:
    loop = asyncio.get_running_loop()
    within_s = min(ALL_S, float(asked.get("within_s") or ALL_S))
    end = loop.time() + within_s
    checks: list[Check] = []
    for number, (command, cwd) in enumerate(commands, start=1):
        left = end - loop.time()
        if why := _barred(call, command, cwd, asked):
            checks.append(_left_out(command, cwd, why))
        elif left < LEAST_S:
            checks.append(_left_out(command, cwd, because(Why.NO_TIME, within_s)))
        else:
            checks.append(await _run(call, command, cwd or call.cwd, left, number))
    return checks


def _left_out(command: str, cwd: str, why: Cause) -> Check:
    return Check(command, cwd, "left_out", why=str(why), causes=dump(why))


def _barred(call: CallContext, command: str, cwd: str, asked: dict[str, Any]) -> Cause | None:
    """Why the command must not run by itself; None if it may."""
    mode = str(asked.get("mode", "ask"))
    scene = Scene(cwd or call.cwd, call.workspace, "", call.forbidden, (), bool(asked.get("tainted")))
    judged = judge(Call("", "shell", json.dumps({"command": command})), "write", scene)
    role, modes = str(asked.get("role", "viewer")), (mode, "sandbox") if asked.get("inside") else (mode,)
    if any(answer(each, role, judged.tier) is not Answer.RUN for each in modes):
        return because(Why.NEEDS_OK)
    return None if mode == "full" or call.box else because(Why.NO_SANDBOX)


async def _run(call: CallContext, command: str, cwd: str, seconds: float, number: int) -> Check:
    wanted = Command(
        text=command,
        cwd=cwd,
        workspace=call.workspace,
        timeout_s=min(seconds, call.timeout_s),
        owner=call.session,
        id=f"{call.call_id}-{number}",
        box=call.box,
    )
    try:
        ran = await call.host.run(wanted)
    except ToolError as error:
        return Check(command, cwd, "left_out", why=str(error))
    output = f"{_end(ran.stdout)}\n{_end(ran.stderr)}"
    return Check(command, cwd, ran.outcome.value, ran.exit_code, output)


def _end(stream: Stream) -> str:
    return (f"{stream.head}\n{stream.tail}" if stream.tail else stream.head)[-TAIL:]


def _missing(call: CallContext, paths: Iterable[str]) -> list[str]:
    """Those that are surely not there. What lies in a sandbox's own /tmp, or is out of reach, can't be told."""
    return [path for path in paths if not any(_there(call, place) for place in _places(call, str(path)))]


def _places(call: CallContext, path: str) -> list[str]:
    absolute = _absolute(call, path)
    return [absolute] if path.startswith("/") else [absolute, str(Path(call.workspace, path))]


def _there(call: CallContext, place: str) -> bool:
    if "~" in place or "\0" in place or (call.box and place.startswith("/tmp/")):
        return True
    return any(Path(place).is_relative_to(own) for own in call.forbidden) or os.path.lexists(place)


def _absolute(call: CallContext, path: str) -> str:
    return os.path.normpath(Path(call.cwd, str(path)))


probe = _Verify()
