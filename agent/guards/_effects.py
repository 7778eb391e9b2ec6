"""What a command line does by its verbs, asked only as far as guards need it: change, act out of sight, or wait.

A program that isn't known counts as changing nothing: counting it as a change costs the loop rule three points of
failed SUPER runs and gains none.
"""

from __future__ import annotations

import re
from functools import lru_cache

from agent.commandline import LONGEST, simple_commands
from agent.intent import DATABASES, MUTATIONS, Effect, effect_of, intent

OUTSIDE = frozenset({
    "git", "pip", "pip3", "apt", "apt-get", "npm", "yarn", "pnpm", "conda", "cargo", "make", "cmake", "useradd", "brew",
    "docker", "podman", "kubectl", "systemctl", "service", "kill", "pkill", "poetry", "uv", "gem", "dnf", "apk", "helm",
    "terraform", "psql", "mysql", "mariadb", "crontab", "mount", "umount", "curl", "scp", "rsync",
})  # fmt: skip
"""What they do, no look at the workspace's files can show: it is elsewhere, or in folders that are left out of it."""
SUSPECTS = frozenset(stem.split(" ")[0] for stem in MUTATIONS) | DATABASES | {"curl", "tar"}
EDITORS = frozenset({"sed", "perl", "gawk", "yq", "sort", "find", "fd", "python", "python3", "node"})
"""Without one of these words and without a redirection into a file nothing is changed; editors need an option."""

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*")
_SAVES = re.compile(r">\s*+(?!/dev/null|&)")
_EDITS = re.compile(r"\s-(?:[a-zA-Z]{0,5}i|-in-place|o\b|c\b|e\b|delete|exec)")
_WAITS = re.compile(
    r"s(?<![^;&|(\s]s)leep(?=\s|\Z)|w(?<![^;&|(\s]w)a(?:it|tch)(?=\s|\Z)"
    r"|t(?<!\wt)ail(?=\s)(?:[^;&|\nt]|t(?!ail\b)){0,60}?\s-[a-zA-Z]{0,4}[fF]\b"
)


@lru_cache(maxsize=512)
def changes(command: str) -> bool:
    """Whether one of its programs changes something, by its name and options."""
    text = command[:LONGEST]
    words = _WORD.findall(text)
    editing = not EDITORS.isdisjoint(words) and _EDITS.search(text)
    if not editing and SUSPECTS.isdisjoint(words) and not (">" in text and _SAVES.search(text)):
        return False
    return any(effect_of(part) is Effect.MUTATE for part in simple_commands(command))


@lru_cache(maxsize=256)
def acts_outside(command: str) -> bool:
    """Whether one of its programs changes something that no look at the workspace's files can show."""
    text = command[:LONGEST]
    if OUTSIDE.isdisjoint(_WORD.findall(text)):
        return False
    parts = [part for part in simple_commands(command) if part.stem.partition(" ")[0] in OUTSIDE]
    return any(effect_of(part) is Effect.MUTATE for part in parts)


def waits(command: str) -> bool:
    """Whether it sleeps, waits or follows a file."""
    if "sleep" in command or "wait" in command or "watch" in command or "tail -" in command:
        return _WAITS.search(command[:LONGEST]) is not None
    return False


def code_writes(code: str) -> bool:
    """Whether Python code writes, by the usual calls."""
    return intent("python", code).mutates
