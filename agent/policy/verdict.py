"""What a judgement is made of: tiers, findings, the questions it leaves open, and the scene it is made in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from agent.acts import Act
from agent.causes import Cause, because


class Tier(IntEnum):
    """FAULTS, threat model: what a call reaches."""

    READ = 0
    CHANGE = 1  # in the workspace
    LEAVE = 2  # the box: network, installs, writes outside, services, whatever was not understood
    NEVER = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was noticed: an `act`, and what does it or what it is done to. `once`: no standing permission may
    cover it."""

    tier: Tier
    act: Act
    what: str = ""
    once: bool = False

    @property
    def cause(self) -> Cause:
        return because(self.act, self.what) if self.what else because(self.act)


@dataclass(frozen=True, slots=True)
class Questions:
    """What only the disk knows: what names and paths lead to, and the content of files that will be executed."""

    executables: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.executables or self.paths or self.scripts)


@dataclass(frozen=True, slots=True)
class World:
    """The answers: name -> real path or None, path -> real path, script -> SHA-256 in hex or None."""

    executables: Mapping[str, str | None] = field(default_factory=dict)
    paths: Mapping[str, str] = field(default_factory=dict)
    scripts: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a call would run. All paths are absolute; `forbidden` is our own state, `scratch` are folders beside the
    workspace that the sandbox keeps private. `world` is None until the questions were answered."""

    cwd: str
    workspace: str
    home: str = ""
    forbidden: tuple[str, ...] = ()
    scratch: tuple[str, ...] = ()
    tainted: bool = False  # somebody else's words are among those that the model acts on
    world: World | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The highest tier found and why. `argv` are the commands as resolved; `session_ok` says whether a person may
    allow exactly this for the rest of the session."""

    tier: Tier
    cause: Cause
    argv: tuple[tuple[str, ...], ...] = ()
    session_ok: bool = True
    questions: Questions = Questions()

    @property
    def reason(self) -> str:
        """The cause in English."""
        return str(self.cause)


def highest(findings: Iterable[Finding]) -> Finding:
    """The first of the highest tier; a read where nothing was found."""
    return max(findings, key=lambda finding: finding.tier, default=Finding(Tier.READ, Act.READS))
