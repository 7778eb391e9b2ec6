"""What a command line was about: the program a person would name, with its object where that alone says little."""

from __future__ import annotations

from functools import lru_cache

from agent.commandline import Simple
from agent.guards._reading import programs

ASIDE = frozenset({
    "cd", "export", "set", "echo", "printf", "true", "false", "sleep", "wait", ":", "test", "[", "[[", "pwd", "which",
    "type", "unset", "alias", "ulimit", "trap", "exit", "return", "read", "source", ".", "command -v", "command -V",
    "hash", "date", "whoami", "id", "shopt", "umask", "pushd", "popd", "local", "declare",
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


@lru_cache(maxsize=128)
def target(command: str) -> str:
    """Such as `scan.sh`, `npm run build`, `cat notes.txt`; "" where the line can't be read or says nothing."""
    ran = [simple for simple in programs(command) if simple.stem and simple.stem not in ASIDE]
    heads = [simple for simple in ran if not simple.piped] or ran
    doers = [simple for simple in heads if simple.stem not in VIEWERS] or heads
    return _named(doers[-1]) if doers else ""


def _named(simple: Simple) -> str:
    if simple.stem not in WITH_OBJECT:
        return simple.stem[:60]
    operands = simple.operands
    files = [word for word in operands if "." in word or "/" in word] or operands
    return f"{simple.stem} {base(files[-1])}"[:60] if files else simple.stem


def base(path: str) -> str:
    """The last name of a path."""
    return path.rstrip("/").rpartition("/")[2] or path
