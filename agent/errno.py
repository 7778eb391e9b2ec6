"""Reduces a line that ends in an operating system's phrase to `target: phrase`, whatever program and locale said it."""

from __future__ import annotations

import re

from agent.masking import QUOTED, base
from agent.phrases import canonical

_SHELL = re.compile(r"\A(?:\S{1,80}: )?\d{1,6}: (\S{1,80}): not found$")  # dash and busybox
_SHELL_PREFIX = re.compile(r"\A-?(?:ba|da|z|k|a)?sh:(?: (?:line|Zeile|ligne))? ?\d{1,6}: ?")
# Each alternative begins with a character of its own, so that a search passes over all others at once.
_SPLIT = re.compile(r" : |: |:\s|,\s|\(|\)|\[|\]|<|>| @ | - | at (?=\S{1,200} line \d)")
# What stands next to a phrase and isn't its target: system calls, words for "failed".
_SKIPPED = frozenset({
    "open", "stat", "lstat", "read", "write", "connect", "mkdir", "unlink", "rename", "exec", "fork/exec", "listen",
    "failed", "error", "fatal", "fehlgeschlagen", "échec", "stdin", "cannot execute", "scandir", "access", "spawn",
    "bind", "accept", "tcp", "udp", "write error", "read error", "schreibfehler", "lesefehler", "rmdir", "chdir",
    "chmod", "enoent", "eacces", "syscall", "line", "zeile", "ligne", "errno",
})  # fmt: skip
_ACTION = re.compile(
    r"\A(?:can(?:no|')t|could(?: not|n't)|failed|unable|open|create|impossible|kann|konnte)\b", re.IGNORECASE
)
_NO_TARGET = frozenset({"file", "reading", "writing", "directory"})  # "cannot open ... for reading"
_PATHLIKE = re.compile(
    r"(?<![\w/.$~@%+=-])(?:[\w$~@%+=-]{0,200}+[./][\w$~@%+=./-]{1,300}+|-l\w{1,60}|\$\{?\w{1,60}\}?)"
)
_HOST = re.compile(r"(?:host|to|at|tcp|zu|à|auf|sur)\s([\w-]{1,63}(?:\.[\w-]{1,63}){0,8})")


def errno(line: str) -> str:
    """`target: phrase` of such a line, in English; "" of any other. `line` is plain (agent.masking)."""
    if found := _SHELL.match(line):
        return f"{base(found[1])}: command not found"
    line = _SHELL_PREFIX.sub("", line, count=1)
    if not _has_phrase(line):
        return ""
    place = 0
    before: list[str] = []
    for gap in [*_SPLIT.finditer(line), None]:
        end = gap.start() if gap else len(line)
        segment = line[place:end].strip()
        if phrase := _phrase(segment):
            rest = segment[len(phrase) :] + line[end:]
            target = _after(rest) if "@ rb_" in rest else _before(before) or _after(rest)
            return f"{target}: {phrase}" if target else phrase
        before.append(segment)
        place = gap.end() if gap else end
    return ""


def _has_phrase(line: str) -> bool:
    for segment in _SPLIT.split(line):  # noqa: SIM110 - asked of each line, and nearly always in vain
        if _phrase(segment.strip()):
            return True
    return False


def _phrase(segment: str) -> str:
    return canonical(segment if segment[:1] in ("'", '"') else segment.rstrip("'\">"))


def _before(segments: list[str]) -> str:
    """The nearest thing before the phrase that it can be about."""
    for number in range(len(segments) - 1, -1, -1):
        program = number == 0 and len(segments) > 1
        if target := _target(segments[number], program):
            return target
    return ""


def _target(segment: str, program: bool) -> str:
    bare = segment.strip(" .'\"")
    low = bare.lower()
    if not bare or low in _SKIPPED or low.endswith(("error", "exception")) or low.replace(".", "").isdigit():
        return ""
    if quoted := [a or b for a, b in QUOTED.findall(segment)]:
        return base(quoted[-1].strip())
    if " " not in bare:
        return base(bare)
    if program and not ("/" in bare or _ACTION.match(bare) or _HOST.search(bare)):
        return ""
    return _in_prose(bare)


def _in_prose(text: str) -> str:
    """The path, the host or the last word of a phrase such as `cannot open lock file /x`."""
    if found := [name for name in (n.rstrip(".") for n in _PATHLIKE.findall(text)) if name.strip("0123456789")]:
        return base(found[-1])
    if host := _HOST.findall(text):
        return str(host[-1])
    words = text.split()
    return base(words[-1]) if _ACTION.match(text) and len(words) > 2 and words[-1].lower() not in _NO_TARGET else ""


def _after(text: str) -> str:
    """What the phrase is about where it stands first: `command not found: x`, `[Errno 2] ...: 'x'`, `..., open 'x'`."""
    if found := QUOTED.search(text.replace("(", " ")):
        return base(found[1] or found[2])
    words = text.replace("(", " ( ").replace(" - ", " ").strip(" :.").split()
    words = [word for word in words[:8] if word[-1:].isalnum() and not word.startswith("rb_")]
    if not words or words[0] in ("at", "os", "error"):
        return ""
    return base(words[0]) if "/" in words[0] or "." in words[0] or len(words) == 1 else ""
