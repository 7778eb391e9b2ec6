"""One short text for one kind of error, whatever path, line, time or process it came with (SPEC 2.2, `repeated`).

The last exception line of a traceback, else the line of error shape; the program's own prefix dropped; an errno phrase
reduced to `target: phrase`; paths to base name; times, hex, line:col and numbers masked; quoted tokens kept.
"""

from __future__ import annotations

import re

from agent.complaint import Complaint, Rank, complaint, pick
from agent.errno import errno
from agent.masking import masked, plain

LONGEST = 200  # characters of a signature, and of a line that is quoted

_PREFIXES = (
    r"[\s│|*]++", r"E (?=\S)", "● ", r"\[(?:error|warn|fatal|ERROR|WARN|FATAL)\]\s", r">\s",
    r"npm (?:ERR!|error)\s+(?:(?:e[a-z]{3,20}|code|\d{3}|JSON\.parse)\s)?",
    r"(?:-?(?:ba|da|z|k|a)?sh|/\S{1,80}/(?:ba|da|z)?sh): ?(?:(?:line|Zeile|ligne) )?(?:\d{1,6}: ?)?",
    r"<internal:\S{1,200}>:\d{1,6}:in '[^']{0,80}': ", r"Exception in thread \S{1,80} ",
    # a severity, with a place before it or a code after it
    r"(?:\d{1,6}:\d{1,6}\s+)?(?:(?:PHP )?(?:Fatal|Parse) error|fatal error|Caused by|\[cause\]|Uncaught(?: \w{1,60})?"
    r"|ERROR|[Ee]rror|[Ff]atal|FATAL|FAILED|CRITICAL|E|panic|Schwerwiegend|Fehler|[Ee]rreur)"
    r"(?:\[\w{1,12}\]|\s\(at [^)]{0,80}\))?(?:\s*:\s*|\s{1,2}(?=')|\s(?=\S+::))",
    r"curl: \(\d{1,3}\)\s", r"\d{4}-\d\d-\d\d[T ][\d:.,]{5,16}\s", r"make(?:\[\d{1,3}\])?: \*\*\* ",
    r"\(\w{1,12}\)\s(?=[A-Z])", r"(?:/[\w.+-]{1,60}){0,8}/bin/[\w.+-]{1,60}: (?=\S)",
    # any program's name, unless it is a word of the message itself
    r"(?!un(?!zip|xz)|invalid|incorrect|err|no\b|not\b|bad\b|missing|warn|syntax|expected|duplicate|exc|import|assert)"
    r"[a-z][a-z0-9+_-]{1,24}(?:\.exe|\d\.\d)?(?: \(child\))?: (?=\S)",
)  # fmt: skip
_PREFIX = re.compile(rf"\A(?:{'|'.join(_PREFIXES)})")


def signature(text: str) -> str:
    """The signature of the error that `text` (either stream, or both together) tells of; "" if it tells of none."""
    return reduced(complaint(text))


def signature_of(stdout: str, stderr: str) -> str:
    """The same where the streams are known apart: the line that says more decides, stderr's of two equals."""
    return reduced(pick(stdout, stderr))


def salient(text: str) -> str:
    """The line a person would quote, at most 200 characters: that of the signature, else the last that isn't empty."""
    return shown(complaint(text)) or _cut(next((ln for ln in reversed(text[-2_000:].splitlines()) if ln.strip()), ""))


def salient_of(stdout: str, stderr: str) -> str:
    """The same where the streams are known apart."""
    return shown(pick(stdout, stderr)) or salient(stderr) or salient(stdout)


def first_line(stderr: str) -> str:
    """The first line of stderr that isn't empty, trimmed (the seed's key of an error)."""
    return stderr[:4_000].lstrip().split("\n", 1)[0].strip()


def shown(found: Complaint) -> str:
    """A complaint as a person reads it, at most 200 characters."""
    return _cut(f"{found.line.strip()} {found.more}" if found.more and not found.more.startswith("-->") else found.line)


def reduced(found: Complaint) -> str:
    """The signature of a complaint."""
    if found.rank is Rank.NONE:
        return ""
    line, more = plain(found.line), plain(found.more)
    if "panicked at" in line and more:
        return masked(more)[:LONGEST]
    if line.startswith("terminate called"):
        line, more = line.rpartition(" of ")[2].strip("'"), more.removeprefix("what():").strip()
    return (errno(line) or masked(_joined(without_prefix(line), more)) or masked(line))[:LONGEST]


def without_prefix(line: str) -> str:
    """The line without what its program puts before every error."""
    for _ in range(8):
        found = _PREFIX.match(line)
        if found is None or found.end() == len(line):
            break
        line = line[found.end() :]
    return line


def _joined(line: str, more: str) -> str:
    if more.startswith("--> "):
        return f"{more[4:].partition(':')[0]}: {line}"
    return f"{line.rstrip(':')}: {more}" if more else line.rstrip(":")


def _cut(line: str) -> str:
    line = " ".join(line.replace("\x00", " ").split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
