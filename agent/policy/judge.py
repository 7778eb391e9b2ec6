"""Judges a call: to which tier it belongs and why. The same function judges again once the disk has answered."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from agent.acts import Act
from agent.arguments import read as arguments
from agent.causes import because
from agent.policy.notes import Notes
from agent.policy.verdict import Finding, Judgement, Scene, Tier
from agent.steps import Call

_OUTWARD = ("web_search", "web_fetch", "send_file")  # what they are told or given leaves the host

Rule = Callable[[dict[str, Any], Notes], None]


def judge(call: Call, effect: str, scene: Scene) -> Judgement:
    """The tier of a call with `effect` read or write. Never raises for a call of whatever content.

    Without `scene.world` what a path or a name leads to is not known: `questions` says what to look up.
    """
    # Only the shell runs in the sandbox: what other tools write to a scratch folder stays there for all to see.
    notes = Notes(scene if call.name == "shell" else replace(scene, scratch=()))
    try:
        _RULES.get(call.name, _other(call.name, effect))(arguments(call.arguments), notes)
    except (ValueError, TypeError, KeyError, RecursionError):
        notes.findings.append(Finding(Tier.NEVER, Act.UNREADABLE, once=True))
    found = notes.judgement()
    if scene.tainted and (found.tier == Tier.CHANGE or call.name in _OUTWARD):
        return replace(found, tier=max(found.tier, Tier.LEAVE), cause=because(Act.AFTER_OTHERS, found.cause))
    return found


def subject(call: Call, command: str) -> Call:
    """What is judged: the call itself, or the shell `command` that a custom tool's call comes to."""
    return Call(call.id, "shell", json.dumps({"command": command}, ensure_ascii=False)) if command else call


def command_of(call: Call) -> str:
    """What a person is shown of a call: the whole command, or the tool and its arguments as the model gave them."""
    try:
        args = arguments(call.arguments)
    except (ValueError, RecursionError):
        args = {}
    return str(args["command"]) if call.name == "shell" and "command" in args else f"{call.name} {call.arguments}"


def _shell(args: dict[str, Any], notes: Notes) -> None:
    from agent.policy import commands  # a tenth of a second at the start of the bot, which needs none of it

    command = str(args["command"])
    if args.get("background"):
        notes.findings.append(Finding(Tier.LEAVE, Act.BACKGROUND))
    commands.script(command, (notes.scene.cwd,), notes)


def _read_file(args: dict[str, Any], notes: Notes) -> None:
    notes.touch(str(args.get("path", ".")), (notes.scene.cwd,))


def _send_file(args: dict[str, Any], notes: Notes) -> None:
    _read_file(args, notes)
    notes.findings.append(Finding(Tier.READ, Act.SENDS_FILE, once=True))  # as it is now


def _list_dir(args: dict[str, Any], notes: Notes) -> None:
    notes.touch(str(args.get("path", ".")), (notes.scene.cwd,), names_only=True, ask=False)


def _search(args: dict[str, Any], notes: Notes) -> None:
    _read_file(args, notes)
    notes.take_all(str(args.get("path", ".")), (notes.scene.cwd,))


def _write_file(args: dict[str, Any], notes: Notes) -> None:
    notes.write(str(args["path"]), (notes.scene.cwd,))


def _jobs(args: dict[str, Any], notes: Notes) -> None:
    if args.get("action") in ("list", "tail", "wait"):
        notes.findings.append(Finding(Tier.READ, Act.OWN_JOBS))
    else:
        notes.findings.append(Finding(Tier.CHANGE, Act.ENDS_JOB))


def _fixed(tier: Tier, act: Act, what: str = "") -> Rule:
    return lambda args, notes: notes.findings.append(Finding(tier, act, what))


def _other(name: str, effect: str) -> Rule:
    """A tool that isn't ours: what it says of itself is all that is known."""
    return _fixed(Tier.READ if effect == "read" else Tier.LEAVE, Act.UNKNOWN_TOOL, name[:64])


_RULES: dict[str, Rule] = {
    "shell": _shell,
    "read_file": _read_file,
    "send_file": _send_file,
    "list_dir": _list_dir,
    "search": _search,
    "write_file": _write_file,
    "edit_file": _write_file,
    "jobs": _jobs,
    "subagent": _fixed(Tier.READ, Act.OF_A_RUN),
    "save_tool": _fixed(Tier.LEAVE, Act.ADDS_TOOL, "save_tool"),
    "delete_tool": _fixed(Tier.LEAVE, Act.REMOVES_TOOL, "delete_tool"),
}
