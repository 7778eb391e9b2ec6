"""From a word of a command to the absolute paths that it may mean."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent.policy.marks import is_known, joined
from agent.policy.quoting import home_of
from agent.policy.verdict import Scene

LONGEST = 4096
_PROC = re.compile(r"/++(?:\./++)*+proc/++[^/]++/++(?:task/++[^/]++/++)?+(cwd|root)(?:/++|\Z)")


def resolved(word: str, cwds: tuple[str, ...], scene: Scene) -> Iterator[str]:
    """By name from each folder; and by what the disk says of it, if that was asked."""
    word = home_put_in(word, scene.home)
    for cwd in cwds:
        yield joined(cwd, _through_proc(word, cwd))
        if (real := on_disk(word, cwd, scene)) is not None:
            yield real


def on_disk(word: str, cwd: str, scene: Scene) -> str | None:
    return scene.world.paths.get(asked(word, cwd)) if scene.world is not None else None


def asked(word: str, cwd: str) -> str:
    """A path as the disk is asked for it: not shortened, since `..` behind a link leads elsewhere."""
    return word if word.startswith("/") else f"{cwd.rstrip('/')}/{word}"


def home_put_in(word: str, home: str) -> str:
    """A tilde at the beginning, which the shell or the program itself may fill in."""
    if not word.startswith("~"):
        return word
    user, slash, rest = word[1:].partition("/")
    return f"{home_of(user, home)}{slash}{rest}"


def candidates(word: str) -> Iterator[str]:
    """Which parts of a word may be paths: it, and what stands behind =, :, @, a comma, or an option's letter."""
    if len(word) > LONGEST or "\n" in word:
        return
    yield word
    if word.startswith("-") and len(word) > 2 and word[1] != "-":
        yield word[2:]
    for at, char in enumerate(word[:-1]):
        if char in "=:@,":
            yield word[at + 1 :]


def askable(word: str) -> bool:
    """Whether the disk can be asked what it means."""
    return bool(word) and len(word) <= LONGEST and is_known(word) and "\n" not in word and not word.startswith("-")


def _through_proc(word: str, cwd: str) -> str:
    """/proc/X/root and /proc/X/cwd lead back to where we are, and `..` behind them goes on from there."""
    while found := _PROC.match(word):
        word = (f"{cwd}/" if found[1] == "cwd" else "/") + word[found.end() :]
    return word
