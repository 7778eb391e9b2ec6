"""Programs that change files, and which of their words are the files."""

from __future__ import annotations

import re

from agent.acts import Act
from agent.policy.effects import Effects, Rule, changes, leaves, reads, unclear
from agent.policy.marks import is_known
from agent.policy.names import names
from agent.policy.options import Line, Takes, parse
from agent.policy.script import Simple

_ALL = names(
    "touch mkdir rmdir rm unlink shred truncate mkfifo chmod chown chgrp tee mv rename gzip gunzip bzip2 bunzip2 "
    "xz unxz lzma zstd unzstd compress uncompress dos2unix unix2dos sponge fallocate setfacl setfattr chattr "
    "split csplit patch install ln cp mktemp vipe rmlint"
)
_TAKES = {
    "touch": Takes("drt", ("date", "reference", "time")),
    "mkdir": Takes("mZ", ("mode",)),
    "truncate": Takes("rs", ("reference", "size")),
    "cp": Takes("tS", ("target-directory", "suffix")),
    "mv": Takes("tS", ("target-directory", "suffix")),
    "ln": Takes("tS", ("target-directory", "suffix")),
    "install": Takes("tSmgo", ("target-directory", "suffix", "mode", "group", "owner")),
    "patch": Takes("dorpBDFgiVYz", ("directory", "output", "reject-file", "input", "strip")),
    "split": Takes("abCln", ("suffix-length", "bytes", "lines", "number", "filter", "additional-suffix")),
    "mktemp": Takes("p", ("suffix", "tmpdir")),
    "chmod": Takes("", ("reference",)),
    "chown": Takes("", ("reference", "from")),
    "shred": Takes("ns", ("iterations", "size", "random-source")),
}
_LAST_ONLY = frozenset(("cp", "ln", "install"))
_FIRST_IS_NOT = frozenset(("chmod", "chown", "chgrp", "setfacl", "chattr"))
_RECURSIVE = {"cp": ("r", "R", "a", "recursive", "archive"), "rm": ("r", "R", "recursive")}
_RECURSES = ("R", "recursive")


def writer(simple: Simple) -> Effects:
    """One of the plain ones: operands are files that it changes."""
    name = simple.words[0].rpartition("/")[2]
    line = parse(simple.words[1:], _TAKES.get(name, Takes()))
    if name == "split" and line.has("filter"):
        return unclear(Act.UNCLEAR, "split --filter")
    writes = (*_changed(name, line), *line.values("t", "target-directory", "tmpdir", "directory", "reject-file"))
    if name == "patch":
        writes = (*writes, *line.values("o", "d", "r", "output"))
    deep = name == "mv" or line.has(*_RECURSIVE.get(name, _RECURSES))
    return Effects((changes(Act.CHANGES_FILES_WITH, name),), writes, deep=line.operands if deep else ())


def _changed(name: str, line: Line) -> tuple[str, ...]:
    """The operands that are written."""
    operands = line.operands
    if name in _FIRST_IS_NOT:
        return operands if line.has("reference") else operands[1:]
    if name not in _LAST_ONLY or (name == "install" and line.has("d", "directory")):
        return operands
    if line.has("t", "target-directory"):
        return ()
    return operands[-1:] if len(operands) > 1 else ()


def dd(simple: Simple) -> Effects:
    outputs = tuple(word[3:] for word in simple.words[1:] if word.startswith("of="))
    return Effects((changes(Act.CHANGES_FILES_WITH, "dd"),), outputs)


_TAR_VALUES = names(
    "file directory files-from exclude exclude-from checkpoint-action to-command use-compress-program info-script "
    "new-volume-script rsh-command rmt-command strip-components transform owner group mode mtime newer "
    "listed-incremental level occurrence tape-length blocking-factor record-size sort format warning "
    "starting-file label add-file one-top-level"
)
_TAR_RUNS = ("I", "F", "checkpoint-action", "to-command", "use-compress-program", "info-script", "new-volume-script",
             "rsh-command", "rmt-command")  # fmt: skip


def tar(simple: Simple) -> Effects:
    """tar, with its old form (`tar xf a`), in which the first word is a cluster of letters."""
    words = list(simple.words[1:])
    takes = Takes("fCTXIFgbNVLHK", tuple(_TAR_VALUES))
    if words and not words[0].startswith("-"):
        words = _old_style(words, takes.letters)
    line = parse(words, takes)
    for option, value in line.options:
        if any(option == run or (len(option) > 2 and run.startswith(option)) for run in _TAR_RUNS) and not (
            option == "I" and value in ("zstd", "pigz", "gzip", "xz", "bzip2", "lz4")
        ):
            return unclear(Act.RUNS_COMMAND, f"tar --{option}" if len(option) > 1 else f"tar -{option}")
    files = tuple(line.values("f", "file"))
    if any(":" in file for file in files) and not line.has("force-local"):
        return Effects((leaves(Act.NETWORK, "tar"),))
    creates = line.has("c", "r", "u", "A", "create", "append", "update", "delete", "catenate")
    places = tuple(line.values("C", "directory", "one-top-level")) or (".",)
    writes = files if creates else places if line.has("x", "extract", "get") else ()
    writes += tuple(line.values("g", "listed-incremental"))
    absolute = line.has("P", "absolute-names") and line.has("x", "extract", "get")
    lists = line.has("t", "list") and not creates
    findings = (
        reads() if lists else changes(Act.CHANGES_FILES_WITH, "tar"),
        *((leaves(Act.ABSOLUTE_NAMES, "tar -P"),) if absolute else ()),
    )
    return Effects(findings, writes, deep=_below(line) if creates else ())


def _below(line: Line) -> tuple[str, ...]:
    """What is packed, seen from the folders of -C as well."""
    folders = tuple(line.values("C", "directory"))
    return (*line.operands, *(f"{folder}/{each}" for folder in folders for each in line.operands))


def _old_style(words: list[str], letters: str) -> list[str]:
    out: list[str] = []
    rest = words[1:]
    for letter in words[0]:
        out.append(f"-{letter}")
        if letter in letters and rest:
            out[-1] += rest.pop(0)
    return out + rest


def archive(simple: Simple) -> Effects:
    """zip, unzip, 7z, cpio, ar and their like: operands may be written."""
    name = simple.words[0].rpartition("/")[2]
    line = parse(simple.words[1:], Takes("dTOI", ("directory",)))
    if name in ("zip", "cpio") and line.has("TT", "unzip-command", "T", "rsh-command", "I", "F"):
        return unclear(Act.RUNS_COMMAND, name)
    writes = (*line.operands[:1], *line.values("d", "directory", "o")) if name != "cpio" else (".",)
    writes += tuple(word[2:] for word in simple.words[1:] if word.startswith("-o") and len(word) > 2)
    writes += (".",) if name in ("unzip", "7z", "7za", "unrar") and not line.has("d", "l", "t", "p", "Z") else ()
    return Effects((changes(Act.CHANGES_FILES_WITH, name),), writes, deep=line.operands[1:])


def rsync(simple: Simple) -> Effects:
    line = parse(simple.words[1:], Takes("efBMT", ("rsh", "rsync-path", "filter", "exclude", "include", "files-from",
                                                    "temp-dir", "log-file", "backup-dir")))  # fmt: skip
    if line.has("e", "rsh", "rsync-path", "M", "remote-option"):
        return Effects((leaves(Act.NETWORK, "rsync", once=True),), line.operands[-1:], deep=line.operands)
    if any(":" in operand.partition("/")[0] for operand in line.operands):
        return Effects((leaves(Act.NETWORK, "rsync"),), line.operands[-1:], deep=line.operands)
    writes = (*line.operands[-1:], *line.values("log-file", "backup-dir", "temp-dir"))
    return Effects((changes(Act.CHANGES_FILES_WITH, "rsync"),), writes, deep=line.operands)


_SQLITE_REACHES = re.compile(
    r"(?:^|\s)\.(?:sh|system|once|output|import|load|excel|open|backup|save|read|clone|log|trace|archive|cd)"
    r"|writefile|readfile|edit\s*\(|load_extension|attach|vacuum\s+into",
    re.IGNORECASE,
)


def sqlite(simple: Simple) -> Effects:
    """sqlite3: a file of its own, unless its commands reach further."""
    line = parse(simple.words[1:], Takes())
    fed = simple.fed if simple.fed is not None and is_known(simple.fed) else ""
    text = "\n".join((*line.operands[1:], fed))
    if _SQLITE_REACHES.search(text) or not is_known(text) or simple.fed not in (None, fed) or line.has("cmd", "init"):
        return unclear(Act.UNCLEAR, "sqlite3")
    return Effects((changes(Act.CHANGES_FILES_WITH, "sqlite3"),), line.operands[:1])


RULES: dict[str, Rule] = {
    "sqlite3": sqlite,
    **dict.fromkeys(_ALL, writer),
    **dict.fromkeys(("zip", "unzip", "7z", "7za", "unrar", "cpio", "ar"), archive),
    "dd": dd,
    "tar": tar,
    "bsdtar": tar,
    "rsync": rsync,
}
