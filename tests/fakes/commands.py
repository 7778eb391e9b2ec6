"""The tables of commands and of what can be put around them, and a scene to judge them in."""

from __future__ import annotations

import json
import shlex
from functools import cache
from pathlib import Path

from agent.policy import Judgement, Scene, Tier, judge
from agent.policy.grammar import tree
from agent.steps import Call

DATA = Path(__file__).parent.parent / "data"
HOME, WORKSPACE, OWN = "/home/u", "/home/u/ws", "/home/u/.jarvis"
SCENE = Scene(cwd=WORKSPACE, workspace=WORKSPACE, home=HOME, forbidden=(OWN,))


def shell(command: str) -> Call:
    return Call("c", "shell", json.dumps({"command": command}))


def judged(command: str, scene: Scene = SCENE) -> Judgement:
    return judge(shell(command), "write", scene)


@cache
def rows() -> tuple[tuple[int, str, str], ...]:
    """(tier, why, command) of each line of the table."""
    return tuple((int(tier), why, command) for tier, why, command in _lines("commands.tsv"))


@cache
def pieces(kind: str) -> tuple[str, ...]:
    """The texts of this kind: what can be put around a command (quoted, plain, prefix), or parts to make one of."""
    return tuple(line[1] for line in _lines("wrappings.tsv") if line[0] == kind)


def wrapped(template: str, command: str) -> str:
    return template.format(shlex.quote(command) if template in pieces("quoted") else command)


def leaving() -> list[str]:
    """Commands that leave the box and that text may be put around: no here-document, no comment, no open end."""
    return [
        command
        for tier, _, command in rows()
        if tier >= Tier.LEAVE and tree(command) is not None and not any(odd in command for odd in ("<<", "#"))
        if not command.endswith("&")
    ]


def _lines(name: str) -> list[list[str]]:
    lines = (DATA / name).read_text("utf-8").splitlines()[1:]
    return [line.replace("␤", "\n").split("\t") for line in lines]
