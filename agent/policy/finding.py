"""find: its actions run commands, delete and write files."""

from __future__ import annotations

from agent.acts import Act
from agent.policy.effects import Effects, Rule, changes, reads, unclear
from agent.policy.marks import UNKNOWN, is_known
from agent.policy.script import Simple
from agent.policy.verdict import Finding

_EXEC = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
_WRITES = frozenset(("-fprint", "-fprint0", "-fls", "-fprintf"))


def find(simple: Simple) -> Effects:
    """The effects of a search: what it starts, with what it found as unknown words."""
    words = simple.words[1:]
    starts = _starts(words)
    findings: list[Finding] = [reads()]
    writes: list[str] = []
    runs: list[tuple[str, ...]] = []
    at = 0
    while at < len(words):
        word = words[at]
        if word in _EXEC:
            command, at = _command(words, at + 1, starts)
            if not command or not is_known(command[0]):
                return unclear(Act.RUNS_COMMAND, "find")
            runs.append(command)
        elif word in _WRITES:
            findings.append(changes(Act.WRITES_FILES, "find"))
            writes += words[at + 1 : at + 2]
        elif word == "-delete":
            findings.append(changes(Act.DELETES_FILES, "find"))
            writes += starts
        elif not is_known(word[:1]) and at >= len(starts):
            findings += unclear(Act.FILLED_BY_SHELL, "find").findings
        at += 1
    deep = starts if runs or "-delete" in words else ()
    return Effects(tuple(findings), tuple(writes), deep=deep, runs=tuple(runs))


def _starts(words: tuple[str, ...]) -> tuple[str, ...]:
    """The folders that the search begins in."""
    out: list[str] = []
    skip = False
    for word in words:
        if skip or word in ("-H", "-L", "-P") or word.startswith("-O"):
            skip = False
        elif word == "-D":
            skip = True
        elif word.startswith(("-", "(", "!", ")", ",")):
            break
        else:
            out.append(word)
    return tuple(out) or (".",)


def _command(words: tuple[str, ...], start: int, starts: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    """The command of an action, and where it ends; `{}` is something below one of the starts."""
    end = start
    while end < len(words) and words[end] != ";" and not (words[end] == "+" and words[end - 1] == "{}"):
        end += 1
    out: list[str] = []
    for word in words[start:end]:
        found = [word.replace("{}", f"{place}/{UNKNOWN}") for place in starts] if "{}" in word else [word]
        out += found
    return tuple(out), end


RULES: dict[str, Rule] = {"find": find}
