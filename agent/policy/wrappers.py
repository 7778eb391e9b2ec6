"""Commands that run another command: what is left when they are taken off."""

from __future__ import annotations

from dataclasses import dataclass

from agent.acts import Act
from agent.policy.effects import Effects, Rule, leaves, reads, unclear
from agent.policy.marks import MARKS, UNKNOWN, is_known
from agent.policy.options import NONE, Line, Takes, parse
from agent.policy.script import Simple
from agent.policy.verdict import Finding


@dataclass(frozen=True, slots=True)
class _Wrapper:
    """`skip` operands stand before the command; `writes` and `folder` name options whose values are that;
    `text` those whose value is a shell script; `act` is why it leaves the box by itself."""

    takes: Takes = NONE
    skip: int = 0
    writes: tuple[str, ...] = ()
    folder: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    act: Act | None = None
    assigns: bool = False
    joins: bool = False  # its operands are one shell script
    permutes: bool = False  # its options may stand after its operands


def _long(names: str) -> tuple[str, ...]:
    return tuple(names.split())


WRAPPERS = {
    "env": _Wrapper(Takes("uCS", _long("unset chdir split-string")), assigns=True, folder=("C", "chdir")),
    "nice": _Wrapper(Takes("n", ("adjustment",))),
    "ionice": _Wrapper(Takes("cnpPu", _long("class classdata pid pgid uid"))),
    "timeout": _Wrapper(Takes("ks", _long("kill-after signal")), skip=1),
    "stdbuf": _Wrapper(Takes("ioe", _long("input output error"))),
    "chrt": _Wrapper(Takes("TPDp"), skip=1),
    "taskset": _Wrapper(Takes("p"), skip=1),
    "numactl": _Wrapper(Takes("iNCmpl")),
    "cpulimit": _Wrapper(Takes("lpPec")),
    "time": _Wrapper(Takes("of", _long("output format")), writes=("o", "output")),
    "command": _Wrapper(),
    "builtin": _Wrapper(),
    "eatmydata": _Wrapper(),
    "chronic": _Wrapper(),
    "unbuffer": _Wrapper(),
    "catchsegv": _Wrapper(),
    "dbus-run-session": _Wrapper(),
    "xvfb-run": _Wrapper(Takes("efnps")),
    "prlimit": _Wrapper(Takes("po")),
    "setarch": _Wrapper(skip=1),
    "linux64": _Wrapper(),
    "linux32": _Wrapper(),
    "faketime": _Wrapper(Takes("f"), skip=1),
    "flock": _Wrapper(Takes("wEc", _long("wait timeout conflict-exit-code command")), skip=1, text=("c", "command")),
    "watch": _Wrapper(Takes("nq", _long("interval equexit")), joins=True),
    "script": _Wrapper(
        Takes("cIOBTtmoE", _long("command log-in log-out log-io log-timing output-limit")),
        text=("c", "command"), writes=("I", "O", "B", "T", "log-in", "log-out", "log-io", "log-timing"), skip=99,
        permutes=True,
    ),
    "strace": _Wrapper(Takes("abeEIoOpPsSuUX", ("output",)), writes=("o", "output")),
    "ltrace": _Wrapper(Takes("aDeFlnopsuwx", ("output",)), writes=("o", "output")),
    "valgrind": _Wrapper(),
    "busybox": _Wrapper(),
    "toybox": _Wrapper(),
    "nohup": _Wrapper(act=Act.BACKGROUND_BY),
    "setsid": _Wrapper(act=Act.BACKGROUND_BY),
    "daemonize": _Wrapper(Takes("aceoplu"), act=Act.BACKGROUND_BY),
    "sudo": _Wrapper(
        Takes("ugpCcrtThUDRa", _long("user group prompt chdir chroot host role type other-user close-from")),
        act=Act.OTHER_RIGHTS, assigns=True, folder=("D", "chdir"),
    ),
    "doas": _Wrapper(Takes("uCa"), act=Act.OTHER_RIGHTS, assigns=True),
    "pkexec": _Wrapper(Takes("u", ("user",)), act=Act.OTHER_RIGHTS),
    "su": _Wrapper(
        Takes("cgGsw", _long("command group supp-group shell whitelist-environment session-command")),
        text=("c", "command", "session-command"), act=Act.OTHER_RIGHTS, skip=99, permutes=True,
    ),
    "runuser": _Wrapper(
        Takes("cgGsuw", _long("command group supp-group shell user session-command")),
        text=("c", "command", "session-command"), act=Act.OTHER_RIGHTS,
    ),
    "chroot": _Wrapper(Takes("", _long("userspec groups")), skip=1, act=Act.OTHER_VIEW),
    "unshare": _Wrapper(Takes("SGRw", _long("setuid setgid root wd")), act=Act.OTHER_VIEW),
    "nsenter": _Wrapper(Takes("tSGW", _long("target setuid setgid wdns")), act=Act.OTHER_VIEW),
    "bwrap": _Wrapper(skip=99, act=Act.OTHER_VIEW),
    "setpriv": _Wrapper(act=Act.OTHER_RIGHTS),
    "capsh": _Wrapper(skip=99, act=Act.OTHER_RIGHTS),
    "systemd-run": _Wrapper(Takes("HMpEu", _long("unit property setenv")), act=Act.SERVICES),
    "systemd-inhibit": _Wrapper(act=Act.SERVICES),
    "gdb": _Wrapper(skip=99, act=Act.PROCESS),
}  # fmt: skip


def unwrap(simple: Simple) -> Effects:
    """The effects of a command whose name is in WRAPPERS."""
    name = simple.words[0].rpartition("/")[2]
    wrapper = WRAPPERS[name]
    line = parse(simple.words[1:], wrapper.takes, stop=not wrapper.permutes)
    if name == "env" and line.has("S", "split-string"):
        return unclear(Act.UNCLEAR, "env -S")
    options = simple.words[1 : len(simple.words) - len(line.operands)]
    if any(not MARKS.isdisjoint(word[:1]) for word in options):
        return unclear(Act.FILLED_BY_SHELL, name)
    if name == "command" and line.has("v", "V"):
        return Effects((reads(),))
    return _effects(name, wrapper, line, simple)


def _effects(name: str, wrapper: _Wrapper, line: Line, simple: Simple) -> Effects:
    inner, assigned = list(line.operands), []
    if wrapper.assigns and inner[:1] == ["-"]:  # env's old word for -i
        del inner[0]
    while wrapper.assigns and inner and "=" in inner[0] and not inner[0].startswith("="):
        variable, _, value = inner.pop(0).partition("=")
        assigned.append((variable, value))
    texts = list(line.values(*wrapper.text)) if wrapper.text else []
    if wrapper.joins:
        texts, inner = [*texts, " ".join(inner)], []
    runs, skipped = tuple(inner[wrapper.skip :]), inner[: wrapper.skip]
    if name == "flock" and skipped and line.operands[1:2] == ("-c",):
        texts, runs = list(line.operands[2:3]), ()
    unread = [text for text in texts if not is_known(text)]
    findings: list[Finding] = [leaves(wrapper.act, name)] if wrapper.act else []
    findings += unclear(Act.FILLED_BY_SHELL, name).findings if unread else ()
    return Effects(
        findings=tuple(findings) or (reads(),),
        writes=(*line.values(*wrapper.writes), *_own_operands(name, skipped)),
        runs=(runs,) if runs else (),
        texts=tuple(text for text in texts if is_known(text)),
        assigned=tuple(assigned),
        cwd=next(line.values(*wrapper.folder), None) if wrapper.folder else None,
    )


def _own_operands(name: str, skipped: list[str]) -> list[str]:
    """Operands of the wrapper itself that are files it writes."""
    return skipped if name in ("script", "flock") else []


def exec_(simple: Simple) -> Effects:
    """`exec`: another name for the program hides what it is."""
    line = parse(simple.words[1:], Takes("a"), stop=True)
    if line.has("a"):
        return unclear(Act.UNCLEAR, "exec -a")
    return Effects((reads(),), runs=(line.operands,) if line.operands else ())


def xargs(simple: Simple) -> Effects:
    """`xargs`: the command, with what is fed to it as further words."""
    names = _long("arg-file delimiter max-lines max-args max-procs max-chars replace process-slot-var eof")
    line = parse(simple.words[1:], Takes("adEILnPs", names), stop=True)
    fed = simple.fed
    more = tuple(fed.split()) if fed is not None and is_known(fed) and not line.options else (UNKNOWN,)
    command = line.operands or ("echo",)
    replaced = [*line.values("I", "replace")] or ["{}"] * line.has("i")
    if replaced:
        command = tuple(word.replace(replaced[0], UNKNOWN) for word in command)
    if not is_known(command[0]):
        return unclear(Act.FILLED_BY_SHELL, "xargs")
    shell = command[0].rpartition("/")[2] in ("sh", "bash", "dash", "zsh", "ksh") and "-c" in command
    if shell and replaced and not all(map(is_known, command)):
        return unclear(Act.FILLED_BY_SHELL, "xargs")
    return Effects((reads(),), runs=(command, (*command, *more)))  # fed with nothing, it may still run once


def parallel(simple: Simple) -> Effects:
    """GNU parallel: its command is a shell script with gaps."""
    head = list(simple.words[1:])
    for mark in (":::", ":::+", "::::"):
        if mark in head:
            head = head[: head.index(mark)]
    line = parse(head, Takes("jSIaN"), stop=True)
    return Effects((leaves(Act.UNCLEAR, "parallel", once=True),), runs=((*line.operands, UNKNOWN),))


RULES: dict[str, Rule] = {
    **dict.fromkeys(WRAPPERS, unwrap),
    "exec": exec_,
    "xargs": xargs,
    "parallel": parallel,
}
