"""The folders that a script may be in, as far as its text tells."""

from __future__ import annotations

from agent.policy.marks import UNKNOWN, joined
from agent.policy.paths import home_put_in

MOST = 16


class Folders:
    """`now` is never empty; `ever` are all folders that were possible at some time."""

    def __init__(self, now: tuple[str, ...], home: str) -> None:
        self.now = now
        self.ever = dict.fromkeys(now)
        self._home = home

    def may_be(self, folders: tuple[str, ...]) -> None:
        """From here on it is one of these. Beyond MOST: anywhere."""
        both = tuple(dict.fromkeys(folders))
        self.now = both if len(both) <= MOST else (*both[:MOST], "/" + UNKNOWN)
        self.ever.update(dict.fromkeys(self.now))

    def enter(self, targets: list[str]) -> None:
        """A `cd` to one of these has succeeded."""
        if targets:
            self.may_be(tuple(joined(cwd, home_put_in(to, self._home)) for cwd in self.now for to in targets))
