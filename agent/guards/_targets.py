"""What a command line was about: the program a person would name, with its object where that alone says little."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from agent.commandline import launched, unwrapped, verb
from agent.guards._effects import LONGEST, parsed

ASIDE = frozenset({
    "cd", "export", "set", "echo", "printf", "true", "false", "sleep", "wait", ":", "test", "[", "[[", "pwd", "which",
    "type", "unset", "alias", "ulimit", "trap", "exit", "return", "read", "source", ".", "command -v", "command -V",
    "hash", "date", "whoami", "id", "shopt", "umask", "pushd", "popd", "local", "declare", "fi", "done", "esac", "for",
    "case", "select", "function", "in", "}",
})  # fmt: skip
"""They stand beside what a command line is about."""
VIEWERS = frozenset({
    "cat", "head", "tail", "ls", "less", "more", "grep", "egrep", "fgrep", "rg", "find", "wc", "stat", "file", "diff",
    "sort", "uniq", "cut", "awk", "sed", "tr", "od", "xxd", "hexdump", "strings", "du", "df", "tree", "nl", "readlink",
    "realpath", "md5sum", "sha256sum", "cmp", "jq", "column",
})  # fmt: skip
"""They look at what another program left, so that one is what the line is about; alone, it is the file."""
WITH_OBJECT = VIEWERS | frozenset({
    "rm", "mv", "cp", "mkdir", "rmdir", "touch", "ln", "chmod", "chown", "tar", "unzip", "gunzip", "curl", "wget",
    "ssh", "scp", "rsync", "sqlite3", "psql", "mysql", "ping", "nc", "dig", "kill", "tee",
})  # fmt: skip

_HARD = re.compile(r"[\"'`\\(){}\n#]|<<|\$\(")  # what the quick reading can't do
_REDIRECTION = re.compile(r"\d?[<>]{1,2}&?\s*\S+|&>>?\s*\S+")
_OPERATOR = re.compile(r"\|\||&&|\||;|&")

Program = tuple[str, list[str], bool]  # name, further words, reads from a pipe


@lru_cache(maxsize=128)
def target(command: str) -> str:
    """Such as `scan.sh`, `npm run build`, `cat notes.txt`; "" where the line can't be read or says nothing."""
    text = command[:LONGEST]
    programs = [each for each in (_parsed(text) if _HARD.search(text) else _split(text)) if each[0] not in ASIDE]
    heads = [each for each in programs if not each[2]] or programs
    doers = [each for each in heads if each[0] not in VIEWERS] or heads
    return _named(*doers[-1][:2]) if doers else ""


def _parsed(text: str) -> Iterable[Program]:
    return ((each.stem, list(each.operands), each.piped) for each in parsed(text) if each.stem)


def _split(text: str) -> Iterable[Program]:
    """The same for a line without quotes, at a fifth of the cost."""
    place, piped = 0, False
    for operator in [*_OPERATOR.finditer(text := _REDIRECTION.sub(" ", text)), None]:
        part = text[place : operator.start()] if operator else text[place:]
        rest = launched(unwrapped(part.split()))
        if rest:
            yield verb(rest), [word for word in rest[1:] if word[0] != "-"], piped
        if operator:
            place, piped = operator.end(), operator[0] == "|"


def _named(stem: str, operands: list[str]) -> str:
    if stem not in WITH_OBJECT:
        return stem[:60]
    files = [word for word in operands if "." in word or "/" in word] or operands
    return f"{stem} {base(files[-1])}"[:60] if files else stem


def base(path: str) -> str:
    """The last name of a path."""
    return path.rstrip("/").rpartition("/")[2] or path
