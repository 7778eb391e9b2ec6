"""What the gate asks of the world about a claim that the work is done, and what it makes of the answer. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from agent.causes import Cause, because, load
from agent.complaint import pick
from agent.evidence import Deed, Evidence, touched
from agent.evidence import tested as tested_by
from agent.messages import clip
from agent.plan import Item
from agent.steps import Outcome, Seen
from agent.testruns import empty, failing, red, tests
from agent.why import Why

MOST = 5  # commands
SHOWN = 70  # bytes of a command in words
NAMES = 4  # of failing tests
_NO_RUNNER = ("No module named pytest", "No module named 'pytest'")

Where = tuple[str, str]  # command, folder


class Known(Enum):
    """What the run itself shows of a command, where that is no failure."""

    PASSED, UNRUN = range(2)


PASSED, UNRUN = Known.PASSED, Known.UNRUN


@dataclass(frozen=True, slots=True)
class Question:
    """`known` are commands whose state the run itself shows; `commands` have to be run; `find`: look for the project's
    own test command, since none is known."""

    commands: tuple[Where, ...] = ()
    known: tuple[tuple[str, Cause | None], ...] = ()  # (command, what is wrong)
    paths: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    find: bool = False

    @property
    def asks(self) -> bool:
        return bool(self.commands or self.paths or self.find)


@dataclass(frozen=True, slots=True)
class Judged:
    """What fails, what was seen to be right, what could not be checked. `ran` passed just now."""

    wrong: tuple[Cause, ...] = ()
    right: tuple[Cause, ...] = ()
    unknown: tuple[Cause, ...] = ()
    ran: tuple[str, ...] = field(default=(), repr=False)


def question(evidence: Evidence, items: Iterable[Item]) -> Question:
    """What has to be known before a claim holds."""
    plan = [item for item in items if item.status != "blocked"]
    deeds = evidence.of_run
    tested, changed = tested_by(deeds), any(deed.changed for deed in deeds)
    wanted: dict[Where, None] = {}
    for item in plan:
        if item.verify and (changed or "verify" not in item.guessed):
            wanted.setdefault(_placed(item.verify, evidence, tested))
    if changed:
        wanted |= dict.fromkeys(where for where, deed in tested.items() if _telling(deed, tested))
    if changed and not wanted:  # the run knows how to test, and hasn't seen what came of it
        wanted |= dict.fromkeys((deed.command, deed.cwd) for deed in deeds if deed.begun and tests(deed.meant))
    commands = list(wanted)[-MOST:]
    found = {where: _known(where, evidence, tested) for where in commands}
    known = {where: told for where, told in found.items() if told is not UNRUN}
    paths = [
        path
        for item in plan
        for path in item.artifacts
        if "artifacts" not in item.guessed or item.status == "completed"
    ]
    return Question(
        commands=tuple(where for where in commands if where not in known),
        known=tuple((where[0], told if isinstance(told, Cause) else None) for where, told in known.items()),
        paths=tuple(dict.fromkeys(paths)),
        files=tuple(touched(deeds))[-20:],
        find=not commands and any(deed.changed_code for deed in deeds),
    )


def _placed(command: str, evidence: Evidence, tested: dict[Where, Deed]) -> Where:
    """A command with the folder that it ran in, if it ran."""
    return next((where for where in reversed(tested) if where[0] == command), (command, evidence.cwd))


def _telling(deed: Deed, tested: dict[Where, Deed]) -> bool:
    """A test run that says something of the work, and isn't just a mistyped command that was put right."""
    newest = next(reversed(tested.values()))
    return deed is newest or deed.green or bool(failing(deed.output)) or red(deed.output)


def _known(where: Where, evidence: Evidence, tested: dict[Where, Deed]) -> Cause | Known:
    """PASSED for a command that did and none of whose inputs changed since, its failure if it was the last thing that
    the run did, UNRUN where it has to be run."""
    deed = tested.get(where)
    if deed is None:
        plain = [each for each in evidence.deeds if each.ran and not each.begun and (each.command, each.cwd) == where]
        deed = plain[-1] if plain else None
    if evidence.checked(*where):
        return PASSED
    if deed is None or evidence.stale(deed):
        return UNRUN
    if deed.green if deed.tests else deed.succeeded:
        return PASSED
    acted = [each.number for each in evidence.deeds if each.ran and each.call.name not in ("plan", "read_file")]
    if deed.number == max(acted, default=0) and deed.outcome is Outcome.FAILED and failing(deed.output):
        return failure(deed.command, deed.exit_code, deed.output)
    return UNRUN


def judged(asked: Question, seen: Seen | None) -> Judged:
    """What the answer comes to; without an answer, what was known before."""
    wrong = [told for _, told in asked.known if told]
    right = [because(Why.GREEN, short(command)) for command, told in asked.known if not told]
    unknown: list[Cause] = []
    ran: list[str] = []
    value = _value(seen)
    if seen is not None and value is None:
        unknown.append(because(Why.NO_ANSWER))
    for check in (value or {}).get("checks", ()):
        kind, told = _check(check)
        {"wrong": wrong, "right": right, "unknown": unknown}[kind].append(told)
        if kind == "right":
            ran.append(str(check["command"]))
    missing = [str(path) for path in (value or {}).get("missing", ())]
    wrong += [because(Why.NOT_THERE, path) for path in missing]
    if value is not None:
        right += [because(Why.IS_THERE, path) for path in asked.paths if path not in missing]
        if asked.find and not value.get("checks"):
            unknown.append(because(Why.NO_TEST))
    return Judged(tuple(wrong), tuple(right), tuple(unknown), tuple(ran))


def _check(check: dict[str, Any]) -> tuple[str, Cause]:
    command, outcome, output = str(check["command"]), check["outcome"], str(check.get("output", ""))
    code = check.get("exit_code")
    what = short(command)
    if outcome == "left_out":
        why = load(str(check.get("causes", "")))[:1] or (str(check.get("why", "")),)
        return "unknown", because(Why.NOT_RUN, what, *why)
    if outcome == Outcome.TIMED_OUT:
        return "unknown", because(Why.NO_END, what)
    if code == 127 or any(sign in output for sign in _NO_RUNNER):
        return "unknown", because(Why.NOT_INSTALLED, what)
    if outcome in (Outcome.OK, Outcome.WARNED) and not red(output):
        if empty(output):
            return "unknown", because(Why.FOUND_NO_TEST, what)
        return "right", because(Why.GREEN, what)
    if code == 5 and empty(output):  # pytest's word for "no test was collected"
        return "unknown", because(Why.FOUND_NO_TEST, what)
    return "wrong", failure(command, code, output)


def failure(command: str, code: int | None, output: str) -> Cause:
    """A red command: which tests fail, or the line that says why."""
    names, what = failing(output), short(command)
    status = because(Why.EXIT, code) if code is not None else because(Why.WAS_KILLED)
    if len(names) > NAMES:
        return because(Why.FAILS_IN, what, status, ", ".join(names[:NAMES]), len(names) - NAMES)
    if why := ", ".join(names) or clip(pick(output, "").line, 160):
        return because(Why.FAILS_WITH, what, status, why)
    return because(Why.FAILS, what, status)


def short(command: str) -> str:
    """A command within a sentence, to stand as code."""
    return clip(" ".join(command.replace("`", "'").split()), SHOWN)


def _value(seen: Seen | None) -> dict[str, Any] | None:
    if seen is None or seen.status != "ok":
        return None
    try:
        value = json.loads(seen.value)
    except ValueError:
        return None
    return value if isinstance(value, dict) and isinstance(value.get("checks"), list) else None
