"""What a command line was about: the program a person would name, with its object where that alone says little."""

from __future__ import annotations

from functools import lru_cache

from agent.commandline import Simple, simple_commands

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


@lru_cache(maxsize=512)
def target(command: str) -> str:
    """Such as `scan.sh`, `npm run build`, `cat notes.txt`; "" where the line can't be read or says nothing."""
    ran = [simple for simple in simple_commands(command) if simple.stem and simple.stem not in ASIDE]
    if len(ran) > 1:
        ran = [simple for simple in ran if not simple.piped] or ran
        ran = [simple for simple in ran if simple.stem not in VIEWERS] or ran
    return _named(ran[-1]) if ran else ""


def _named(simple: Simple) -> str:
    if simple.stem not in WITH_OBJECT:
        return simple.stem[:60]
    operands = simple.operands
    file = next((word for word in reversed(operands) if "." in word or "/" in word), operands[-1] if operands else "")
    return f"{simple.stem} {base(file)}"[:60] if file else simple.stem


def base(path: str) -> str:
    """The last name of a path."""
    return path.rstrip("/").rpartition("/")[2] or path
