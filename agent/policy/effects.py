"""What a rule says of one command: what it finds, which paths it writes, and what it runs in turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agent.acts import Act
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


def reads() -> Finding:
    return Finding(Tier.READ, Act.READS)


def changes(act: Act, what: str = "", *, once: bool = False) -> Finding:
    return Finding(Tier.CHANGE, act, what, once)


def leaves(act: Act, what: str = "", *, once: bool = False) -> Finding:
    return Finding(Tier.LEAVE, act, what, once)


def unclear(act: Act, what: str = "") -> Effects:
    return Effects((leaves(act, what, once=True),))
