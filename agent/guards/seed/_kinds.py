"""What kind of call it was: does it only read, did it change something, was it stale.

What changed on disk decides where that is known; where it isn't (a recorded run has no disk), the verbs of the command.
"""

from __future__ import annotations

import json
import re

from agent.guards.seed._iteration import Done
from agent.steps import Change, Outcome

LONGEST = 2_000  # characters of a command that are looked at
READERS = frozenset({
    "awk", "cat", "cd", "cmp", "cut", "df", "diff", "du", "echo", "egrep", "fd", "fgrep", "file", "find", "grep",
    "head", "id", "jq", "less", "ls", "more", "nl", "od", "printenv", "ps", "pwd", "rg", "sort", "stat", "strings",
    "tail", "tr", "tree", "type", "uname", "uniq", "wc", "whereis", "which", "whoami", "xxd",
})  # fmt: skip
_HARMLESS = re.compile(r"\d?>\s*+(?:&\d|/dev/null)|&\d?>\s*+/dev/null")
_ACTS = re.compile(r"\s-(?:delete|exec|execdir|ok|okdir)\b")  # of find
_BETWEEN = re.compile(r"[;|&\n]+")


def command(done: Done) -> str:
    """The command line of a shell call; "" of any other."""
    if done.call.name != "shell":
        return ""
    try:
        arguments = json.loads(done.call.arguments)
    except (ValueError, RecursionError):
        return ""
    text = arguments.get("command") if isinstance(arguments, dict) else None
    return text if isinstance(text, str) else ""


def reads(done: Done) -> bool:
    """Whether it can only have looked at something."""
    return done.effect == "read" or only_reads(command(done)[:LONGEST])


def only_reads(text: str) -> bool:
    """Whether each program of a command line is one that reads, and none writes into a file."""
    text = _HARMLESS.sub(" ", text)
    if ">" in text or _ACTS.search(text):
        return False
    verbs = [words[0].rpartition("/")[2] for piece in _BETWEEN.split(text) if (words := piece.split(None, 1))]
    return bool(verbs) and READERS.issuperset(verbs)


def mutates(done: Done) -> bool:
    """Whether it changed something; unknown counts as yes if the call succeeded and can do more than read."""
    if done.end.files is None:
        return done.succeeded and not reads(done)
    return any(_changed(change) for change in done.end.files) and done.effect != "read"


def is_idle(done: Done) -> bool:
    """A file tool that wrote what was there already, or a call that was answered without being run."""
    files = done.end.files
    writes = done.effect == "write" and done.succeeded and done.call.name != "shell"
    return done.end.outcome == Outcome.HELD or (writes and bool(files) and not mutates(done))


def _changed(change: Change) -> bool:
    return change.before != change.after or change.before is None
