"""Programs that only read, and the options that make some of them do more."""

from __future__ import annotations

from agent.acts import Act
from agent.policy.effects import Effects, Rule, changes, leaves, reads, unclear
from agent.policy.names import names
from agent.policy.options import Takes, means, parse
from agent.policy.script import Simple
from agent.policy.verdict import Finding

READERS = names(
    "ls dir vdir cat tac head tail wc stat file du df ps pstree pgrep pidof top htop free uptime nproc lscpu "
    "lsblk lsof lsmod lspci lsusb vmstat iostat mpstat ss netstat id whoami who w groups uname arch hostname "
    "date cal sort uniq cut tr comm cmp diff diff3 sdiff md5sum sha1sum sha224sum sha256sum sha384sum "
    "sha512sum b2sum cksum sum strings od xxd hexdump hd nl rev fold fmt column paste join expand unexpand "
    "tsort jq grep egrep fgrep zgrep zcat bzcat xzcat zless rg ag ack fd fdfind tree locate man info whatis "
    "apropos getent locale expr factor numfmt tput tty echo printf pwd true false test [ : seq sleep basename "
    "dirname realpath readlink which whereis type printenv yes base64 base32 iconv less more bat look pr ptx "
    "shuf nm objdump readelf size journalctl dmesg last lastlog findmnt blkid getconf ulimit umask times jobs "
    "wait set shift return exit break continue caller dirs cd pushd popd let local read mapfile readarray "
    "getopts export declare typeset readonly unset unalias shopt logname users lsb_release hostid cloc tokei "
    "scc shellcheck bc dc apt-cache ldconfig.real getfacl lsattr namei pathchk ldapwhoami sha3sum xxh64sum "
    "b3sum ncal numastat pmap sensors uname zipinfo col colrm cksum"
)

# What their content can't reach: names, sizes, modes, links.
METADATA = names(
    "ls dir vdir stat test [ [[ chmod chown chgrp touch mkdir rmdir realpath readlink basename dirname find "
    "du df cd pushd tree lsblk blkid findmnt echo printf pwd which type namei lsattr getfacl locate fd fdfind "
    "ln"
)

_WRITE, _RUN, _LEAVE, _CHANGE = "write", "run", "leave", "change"
_RISKY: dict[str, dict[str, str]] = {
    "sort": {"o": _WRITE, "output": _WRITE, "T": _WRITE, "temporary-directory": _WRITE, "compress-program": _RUN},
    "tree": {"o": _WRITE},
    "less": {"o": _WRITE, "O": _WRITE, "log-file": _WRITE, "LOG-FILE": _WRITE, "k": _RUN, "lesskey-file": _RUN},
    "date": {"s": _LEAVE, "set": _LEAVE},
    "file": {"C": _CHANGE, "compile": _CHANGE},
    "rg": {"pre": _RUN, "hostname-bin": _RUN},
    "ag": {"pager": _RUN},
    "ack": {"pager": _RUN, "ackrc": _RUN},
    "bat": {"pager": _RUN},
    "man": {"P": _RUN, "pager": _RUN, "H": _RUN, "html": _RUN, "C": _RUN, "config-file": _RUN},
    "dmesg": {"C": _LEAVE, "clear": _LEAVE, "c": _LEAVE, "read-clear": _LEAVE, "n": _LEAVE, "D": _LEAVE, "E": _LEAVE},
    "journalctl": dict.fromkeys(
        ("vacuum-size", "vacuum-time", "vacuum-files", "rotate", "flush", "sync", "relinquish-var", "setup-keys",
         "update-catalog"), _LEAVE,
    ),
    "iconv": {"o": _WRITE, "output": _WRITE},
    "shuf": {"o": _WRITE, "output": _WRITE},
    "ss": {"K": _LEAVE, "kill": _LEAVE, "D": _WRITE, "diag": _WRITE},
    "fd": {"x": _RUN, "X": _RUN, "exec": _RUN, "exec-batch": _RUN},
    "fdfind": {"x": _RUN, "X": _RUN, "exec": _RUN, "exec-batch": _RUN},
    "column": {},
    "printf": {},
    "pr": {},
}  # fmt: skip

_DEEP = {
    "grep": ("r", "R", "recursive", "dereference-recursive"), "egrep": ("r", "R", "recursive"),
    "fgrep": ("r", "R", "recursive"), "zgrep": ("r", "R", "recursive"), "diff": ("r", "recursive"),
}  # fmt: skip
_ALWAYS_DEEP = frozenset(("rg", "ag", "ack", "cloc", "tokei", "scc"))
_SECOND_IS_OUTPUT = frozenset(("uniq", "xxd"))
_SETTERS = frozenset(("hostname", "date"))


def reader(simple: Simple) -> Effects:
    """A program of READERS."""
    name = simple.words[0].rpartition("/")[2]
    risky = _RISKY.get(name, {})
    letters = "".join(option for option, kind in risky.items() if len(option) == 1 and kind == _WRITE)
    line = parse(simple.words[1:], Takes(letters, tuple(option for option in risky if len(option) > 1)))
    findings: list[Finding] = [reads()]
    writes: list[str] = []
    for given, value in line.options:
        for option, kind in risky.items():
            if means(given, option):
                findings.append(_FINDINGS[kind](name))
                writes += [value] if kind == _WRITE and value is not None else []
    if name in _SECOND_IS_OUTPUT and len(line.operands) > 1:
        findings.append(changes(Act.WRITES_FILES, name))
        writes += line.operands[1:]
    if (name == "hostname" and line.operands) or (name == "date" and _sets_clock(line.operands)):
        findings.append(leaves(Act.SYSTEM, name))
    if name in ("less", "more", "zless") and any(word.startswith("+") for word in simple.words[1:]):
        findings.append(leaves(Act.RUNS_FROM, name, once=True))
    deep = name in _ALWAYS_DEEP or (name in _DEEP and line.has(*_DEEP[name]))
    return Effects(tuple(findings), tuple(writes), deep=(line.operands or (".",)) if deep else ())


def _sets_clock(operands: tuple[str, ...]) -> bool:
    return any(not operand.startswith("+") and operand[:1].isdigit() for operand in operands)


_FINDINGS = {
    _WRITE: lambda name: changes(Act.WRITES_FILES, name),
    _RUN: lambda name: leaves(Act.RUNS_OTHER_FROM, name, once=True),
    _LEAVE: lambda name: leaves(Act.SYSTEM, name),
    _CHANGE: lambda name: changes(Act.WRITES_FILES, name),
}


def declaration(simple: Simple) -> Effects:
    """`export` and its like, where the grammar took them for an ordinary command."""
    if any(word.startswith("-") and "n" in word for word in simple.words[1:]) and simple.words[0] != "export":
        return unclear(Act.UNCLEAR, f"{simple.words[0]} -n")
    pairs = tuple(word.partition("=")[::2] for word in simple.words[1:] if "=" in word)
    return Effects((reads(),), assigned=pairs)


RULES: dict[str, Rule] = {
    **dict.fromkeys(READERS, reader),
    **dict.fromkeys(("export", "declare", "typeset", "local", "readonly"), declaration),
}
