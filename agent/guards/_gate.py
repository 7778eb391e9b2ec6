"""What the gate asks of the world about a claim that the work is done, and what it makes of the answer. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from agent.complaint import pick
from agent.evidence import Deed, Evidence, touched
from agent.evidence import tested as tested_by
from agent.messages import clip
from agent.plan import Item
from agent.steps import Outcome, Seen
from agent.testruns import empty, failing, red, tests

MOST = 5  # commands
SHOWN = 70  # bytes of a command in words
NAMES = 4  # of failing tests
_NO_RUNNER = ("No module named pytest", "No module named 'pytest'")

Where = tuple[str, str]  # command, folder


@dataclass(frozen=True, slots=True)
class Question:
    """`known` are commands whose state the run itself shows; `commands` have to be run; `find`: look for the project's
    own test command, since none is known."""

    commands: tuple[Where, ...] = ()
    known: tuple[tuple[str, str], ...] = ()  # (command, "" or what is wrong)
    paths: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    find: bool = False

    @property
    def asks(self) -> bool:
        return bool(self.commands or self.paths or self.find)


@dataclass(frozen=True, slots=True)
class Judged:
    """In words: what fails, what was seen to be right, what could not be checked. `ran` passed just now."""

    wrong: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
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
    known = {where: told for where in commands if (told := _known(where, evidence, tested)) is not None}
    paths = [
        path
        for item in plan
        for path in item.artifacts
        if "artifacts" not in item.guessed or item.status == "completed"
    ]
    return Question(
        commands=tuple(where for where in commands if where not in known),
        known=tuple((where[0], told) for where, told in known.items()),
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


def _known(where: Where, evidence: Evidence, tested: dict[Where, Deed]) -> str | None:
    """ "" for a command that passed and none of whose inputs changed since, its failure if it was the last thing that
    the run did, None where it has to be run."""
    deed = tested.get(where)
    if deed is None:
        plain = [each for each in evidence.deeds if each.ran and not each.begun and (each.command, each.cwd) == where]
        deed = plain[-1] if plain else None
    if deed is None or evidence.stale(deed):
        return None
    if deed.green if deed.tests else deed.succeeded:
        return ""
    acted = [each.number for each in evidence.deeds if each.ran and each.call.name not in ("plan", "read_file")]
    if deed.number == max(acted, default=0) and deed.outcome is Outcome.FAILED and failing(deed.output):
        return failure(deed.command, deed.exit_code, deed.output)
    return None


def judged(asked: Question, seen: Seen | None) -> Judged:
    """What the answer comes to; without an answer, what was known before."""
    wrong = [told for _, told in asked.known if told]
    right = [f"{ticked(command)} green after the last change" for command, told in asked.known if not told]
    unknown: list[str] = []
    ran: list[str] = []
    value = _value(seen)
    if seen is not None and value is None:
        unknown.append("the check itself came to no answer")
    for check in (value or {}).get("checks", ()):
        kind, told = _check(check)
        {"wrong": wrong, "right": right, "unknown": unknown}[kind].append(told)
        if kind == "right":
            ran.append(str(check["command"]))
    missing = [str(path) for path in (value or {}).get("missing", ())]
    wrong += [f"{path} is not there" for path in missing]
    if value is not None:
        right += [f"{path} is there" for path in asked.paths if path not in missing]
        if asked.find and not value.get("checks"):
            unknown.append("no test was found for what changed")
    return Judged(tuple(wrong), tuple(right), tuple(unknown), tuple(ran))


def _check(check: dict[str, Any]) -> tuple[str, str]:
    command, outcome, output = str(check["command"]), check["outcome"], str(check.get("output", ""))
    code = check.get("exit_code")
    if outcome == "left_out":
        return "unknown", f"{ticked(command)} was not run: {check.get('why', '')}"
    if outcome == Outcome.TIMED_OUT:
        return "unknown", f"{ticked(command)} came to no end in its time"
    if code == 127 or any(sign in output for sign in _NO_RUNNER):
        return "unknown", f"{ticked(command)} can't be run here: its program is not installed"
    if outcome in (Outcome.OK, Outcome.WARNED) and not red(output):
        if empty(output):
            return "unknown", f"{ticked(command)} found no test"
        return "right", f"{ticked(command)} green after the last change"
    if code == 5 and empty(output):  # pytest's word for "no test was collected"
        return "unknown", f"{ticked(command)} found no test"
    return "wrong", failure(command, code, output)


def failure(command: str, code: int | None, output: str) -> str:
    """A red command in words: which tests fail, or the line that says why."""
    names = failing(output)
    more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
    why = ", ".join(names[:NAMES]) + more if names else clip(pick(output, "").line, 160)
    status = f"exit {code}" if code is not None else "it was killed"
    return f"{ticked(command)} fails ({status}){f': {why}' if why else ''}"


def ticked(command: str) -> str:
    """A command within a sentence, as code."""
    return f"`{clip(' '.join(command.replace('`', chr(39)).split()), SHOWN)}`"


def _value(seen: Seen | None) -> dict[str, Any] | None:
    if seen is None or seen.status != "ok":
        return None
    try:
        value = json.loads(seen.value)
    except ValueError:
        return None
    return value if isinstance(value, dict) and isinstance(value.get("checks"), list) else None
