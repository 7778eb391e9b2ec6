"""What a script comes down to: its simple commands, each with all that its words may be and where it may run."""

from __future__ import annotations

from dataclasses import dataclass

from agent.policy.marks import UNKNOWN
from agent.policy.verdict import Finding


@dataclass(frozen=True, slots=True)
class Simple:
    """One command. `fed` is what stands on its standard input: None is nothing, a mark is not known. `cwds` are the
    folders it may run in; `writes` and `reads` are the targets of its redirections."""

    words: tuple[str, ...] = ()
    assigned: tuple[tuple[str, str], ...] = ()
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    fed: str | None = None
    cwds: tuple[str, ...] = ()
    dynamic: bool = False  # its name is filled in by the shell


@dataclass(frozen=True, slots=True)
class Script:
    commands: tuple[Simple, ...] = ()
    findings: tuple[Finding, ...] = ()
    functions: frozenset[str] = frozenset()
    parsed: bool = True


def folder_after(words: tuple[str, ...], home: str) -> tuple[str, ...] | None:
    """Where `cd` and its like may lead, as typed; None for another command."""
    if not words or words[0] not in ("cd", "pushd", "popd"):
        return None
    rest = [word for word in words[1:] if word not in ("-L", "-P", "-e", "-@", "--", "-n")]
    if words[0] == "popd" or any(word.startswith(("-", "+")) for word in rest):
        return (UNKNOWN,)
    return tuple(rest) or ((home or UNKNOWN,) if words[0] == "cd" else (UNKNOWN,))


def set_by(words: tuple[str, ...]) -> tuple[str, ...]:
    """The variables that a builtin fills with what it reads."""
    match words[:1]:
        case ("read" | "mapfile" | "readarray" | "getopts",):
            return tuple(word for word in words[1:] if word.isidentifier()) or ("REPLY", "MAPFILE")
        case ("printf",) if "-v" in words:
            return words[words.index("-v") + 1 :][:1]
        case ("let",):
            return tuple(name for word in words[1:] if (name := word.partition("=")[0].rstrip("+-*/")).isidentifier())
        case _:
            return ()
