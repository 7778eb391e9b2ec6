"""What a rule says of one command: what it finds, which paths it writes, and what it runs in turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agent.policy.script import Simple
from agent.policy.verdict import Finding, Tier


@dataclass(frozen=True, slots=True)
class Effects:
    """`runs` are commands that it starts, `texts` shell scripts that it has read, `scripts` files that it executes.
    `deep` are folders of which it takes everything that is in them. `cwd`: where its commands run."""

    findings: tuple[Finding, ...] = ()
    writes: tuple[str, ...] = ()
    deep: tuple[str, ...] = ()
    runs: tuple[tuple[str, ...], ...] = ()
    texts: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    assigned: tuple[tuple[str, str], ...] = ()
    cwd: str | None = None


Rule = Callable[[Simple], Effects]


def reads(reason: str = "reads") -> Finding:
    return Finding(Tier.READ, reason)


def changes(reason: str, *, once: bool = False) -> Finding:
    return Finding(Tier.CHANGE, reason, once)


def leaves(reason: str, *, once: bool = False) -> Finding:
    return Finding(Tier.LEAVE, reason, once)


def unclear(what: str) -> Effects:
    return Effects((leaves(f"not understood: {what}", once=True),))
