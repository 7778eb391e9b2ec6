"""What a command line does by its verbs, asked only as far as guards need it: change, act out of sight, or wait.

A program that isn't known counts as changing nothing: counting it as a change costs the loop rule three points of
failed SUPER runs and gains none.
"""

from __future__ import annotations

import re
from functools import lru_cache

from agent.commandline import simple_commands
from agent.intent import DATABASES, MUTATIONS, Effect, effect_of, intent

LONGEST = 4_000  # characters of a command that are looked at

OUTSIDE = frozenset({
    "git", "pip", "pip3", "apt", "apt-get", "npm", "yarn", "pnpm", "conda", "cargo", "make", "cmake", "useradd", "brew",
    "docker", "podman", "kubectl", "systemctl", "service", "kill", "pkill", "poetry", "uv", "gem", "dnf", "apk", "helm",
    "terraform", "psql", "mysql", "mariadb", "crontab", "mount", "umount", "curl", "scp", "rsync",
})  # fmt: skip
"""What they do, no look at the workspace's files can show: it is elsewhere, or in folders that are left out of it."""
SUSPECTS = (
    frozenset(stem.split(" ")[0] for stem in MUTATIONS)
    | DATABASES
    | {"sed", "perl", "gawk", "yq", "sort", "curl", "tar", "find", "fd", "python", "python3", "node"}
)
"""Without one of these words and without a redirection into a file nothing is changed."""

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*")
_SAVES = re.compile(r">\s*+(?!/dev/null|&)")
_WAITS = re.compile(r"(?:^|[;&|(\s])(?:sleep|wait|watch)(?:\s|$)|\btail\s(?:-\w{1,6}\s)*-[a-zA-Z]{0,4}[fF]")
_WAITING = ("sleep", "wait", "watch", "tail -")

parsed = lru_cache(maxsize=64)(simple_commands)


@lru_cache(maxsize=256)
def changes(command: str) -> bool:
    """Whether one of its programs changes something, by its name and options."""
    text = command[:LONGEST]
    if SUSPECTS.isdisjoint(_WORD.findall(text)) and not _SAVES.search(text):
        return False
    return any(effect_of(part) is Effect.MUTATE for part in parsed(text))


@lru_cache(maxsize=256)
def acts_outside(command: str) -> bool:
    """Whether one of its programs changes something that no look at the workspace's files can show."""
    text = command[:LONGEST]
    if OUTSIDE.isdisjoint(_WORD.findall(text)):
        return False
    return any(part.stem.split(" ")[0] in OUTSIDE and effect_of(part) is Effect.MUTATE for part in parsed(text))


def waits(command: str) -> bool:
    """Whether it sleeps, waits or follows a file."""
    return any(word in command for word in _WAITING) and _WAITS.search(command[:LONGEST]) is not None


def code_writes(code: str) -> bool:
    """Whether Python code writes, by the usual calls."""
    return intent("python", code).mutates
