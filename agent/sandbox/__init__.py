"""The sandbox: a command confined to the workspace by bubblewrap, else by Landlock, else not at all."""

from __future__ import annotations

import shutil

from agent.ports import Sandbox
from agent.sandbox.bubblewrap import Bubblewrap
from agent.sandbox.landlock import Landlock
from agent.sandbox.trial import works
from agent.sandbox.unconfined import Unconfined

__all__ = ["Bubblewrap", "Landlock", "Unconfined", "choose"]


def choose(home: str) -> Sandbox:
    """The strongest sandbox that really works here; `home` is our own state folder, which also holds the boxes' /tmp.

    Installed is not enough: containers and some distributions forbid user namespaces, so each is tried on `true`.
    Blocks for some 20 ms the first time.
    """
    program = shutil.which("bwrap")
    candidates: list[Sandbox] = [Bubblewrap(program, home)] if program else []
    candidates += [Landlock(home, abi)] if (abi := Landlock.usable_abi()) else []
    return next((candidate for candidate in candidates if works(candidate)), Unconfined())
