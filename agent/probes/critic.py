"""Probe critic: one request to a model for a review of what a run changed. Its evidence is looked up on the disk; what
doesn't stand there doesn't count."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from dataclasses import asdict, replace
from pathlib import Path

from agent.critic.request import Material, View, messages
from agent.critic.vote import APPROVE, Finding, Vote, parse, place_of
from agent.ports import CallContext
from agent.steps import Failed

LARGEST = 1 << 20  # bytes of a file that is read
ALL_S = 660.0  # the settings' time-out is within the look; this is for a disk that hangs
MOST_S = 600.0


class _Critic:
    name = "critic"
    timeout_s = ALL_S

    async def look(self, call: CallContext, args: str) -> str:
        """`args` is {goal, claim, plan, failures, files, left_out, nonce, preview, room, timeout_s, max_tokens, model}.
        The answer: {vote: approve | request_changes | reject | null, severity, findings: [Finding], why}; `why` says
        why there is no vote. Raises ValueError for other arguments."""
        asked = json.loads(args)
        if call.ask is None:
            return _none("there is no model to ask")
        views = await asyncio.gather(*(_view(call, str(path)) for path in asked["files"]))
        material = Material(
            goal=str(asked["goal"]), claim=str(asked["claim"]), plan=tuple(asked["plan"]),
            failures=tuple(asked["failures"]), files=tuple(views), left_out=int(asked["left_out"]),
        )  # fmt: skip
        request = await asyncio.to_thread(messages, material, str(asked["nonce"]), asked["preview"], asked["room"])
        seconds = min(float(asked["timeout_s"]), MOST_S)
        try:
            said = await call.ask(request, seconds, int(asked["max_tokens"]), str(asked["model"]))
        except TimeoutError:
            return _none(f"no answer within {seconds:.0f} s")
        if isinstance(said, Failed):
            return _none(f"the model could not be asked: {said.text}")
        if (vote := parse(said.text)) is None:
            return _none("the answer is no vote")
        return await asyncio.to_thread(_checked, call, vote, "\n".join(material.failures))


def _none(why: str) -> str:
    return json.dumps({"vote": None, "severity": "none", "findings": [], "why": why}, ensure_ascii=False)


async def _view(call: CallContext, path: str) -> View:
    after, why = await asyncio.to_thread(_read, call, path)
    before = await call.undo.was(call.run, path) if call.undo else None
    if before is not None and b"\0" in before:
        before = None
    note = f"can't be shown: {why}" if why else ""
    name = path.removeprefix(call.workspace.rstrip("/") + "/")
    return View(name, None if before is None else before[:LARGEST].decode(errors="replace"), after, note)


def _read(call: CallContext, path: str) -> tuple[str | None, str]:
    """(text, ""), "" where there is no file; or (None, why it can't be read). Nothing of our own state is read."""
    real = os.path.realpath(path)
    if any(Path(real).is_relative_to(own) for own in call.forbidden):
        return None, "out of reach"
    try:
        handle = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return None, "no plain file"
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        return "", ""
    except OSError as error:
        return None, (error.strerror or "unreadable").lower()
    if len(data) > LARGEST or b"\0" in data:
        return None, "too large" if len(data) > LARGEST else "binary"
    return data.decode(errors="replace"), ""


def _checked(call: CallContext, vote: Vote, failures: str) -> str:
    """The vote with those findings whose evidence is there; none at all if it blames and has nothing to show."""
    found = [kept for finding in vote.findings if (kept := _proven(call, finding, failures))]
    if vote.vote != APPROVE and not found:
        return _none("what it quotes doesn't stand there")
    told = {"vote": vote.vote, "severity": vote.severity, "findings": [asdict(each) for each in found], "why": ""}
    return json.dumps(told, ensure_ascii=False)


def _proven(call: CallContext, finding: Finding, failures: str) -> Finding | None:
    root = os.path.realpath(call.workspace)
    for start in dict.fromkeys((call.workspace, call.cwd)) if finding.file and "\0" not in finding.file else ():
        path = os.path.normpath(Path(start, finding.file))
        if not Path(os.path.realpath(path)).is_relative_to(root):
            continue
        if finding.missing:
            return None if os.path.lexists(path) else finding
        text, _ = _read(call, path)
        if text and (line := place_of(finding.quote, text, finding.line)):
            return replace(finding, line=line)
    if not finding.missing and finding.quote and place_of(finding.quote, failures):
        return replace(finding, line=0)
    return None


probe = _Critic()
