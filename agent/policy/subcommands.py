"""Programs whose first operand decides what they reach: package tools, build tools, services."""

from __future__ import annotations

from dataclasses import dataclass

from agent.acts import Act
from agent.policy.effects import Effects, Rule, changes, leaves, reads
from agent.policy.marks import is_known
from agent.policy.names import names
from agent.policy.options import NONE, Takes, parse
from agent.policy.script import Simple


@dataclass(frozen=True, slots=True)
class _Tool:
    """Subcommands by tier; what is in neither leaves the box for its `act`. `runs`: the rest is a command of its own.
    `bare`: what it does without a subcommand. `risky` options always leave."""

    act: Act
    read: str = ""
    change: str = ""
    runs: str = ""
    takes: Takes = NONE
    script: str = ""
    risky: tuple[str, ...] = ()
    bare: str = "read"


_NPM = _Tool(
    Act.INSTALLS,
    "ls list ll la root prefix bin help why explain help-search",
    "run run-script test t tst start stop restart pack version pkg build lint typecheck format dev",
    "",
    Takes("Cw", ("prefix", "workspace", "cwd", "filter", "dir")),
    "package.json",
)
_PIP = _Tool(Act.INSTALLS, "list show freeze check help debug inspect hash", takes=Takes("", ("python", "log")))
_SYSTEMD = (
    "status show cat is-active is-enabled is-failed get-default help list-units list-unit-files list-timers "
    "list-sockets list-jobs list-dependencies list-machines show-environment list-sessions list-users "
    "session-status user-status timesync-status list-timezones list-locales query"
)
TOOLS = {
    "npm": _NPM,
    "yarn": _Tool(Act.INSTALLS, _NPM.read, _NPM.change, takes=_NPM.takes, script="package.json", bare="leave"),
    "pnpm": _Tool(Act.INSTALLS, _NPM.read, _NPM.change, "exec", _NPM.takes, "package.json"),
    "bun": _Tool(Act.INSTALLS, _NPM.read, _NPM.change, takes=_NPM.takes, script="package.json"),
    "pip": _PIP,
    "uv": _Tool(Act.INSTALLS, "version tree help", "build venv", "run", Takes("p", ("python", "with", "project"))),
    "poetry": _Tool(Act.INSTALLS, "show check version env about", "build init", "run", Takes("CP")),
    "pipenv": _Tool(Act.INSTALLS, "graph verify", runs="run"),
    "pdm": _Tool(Act.INSTALLS, "list show info", "build", "run"),
    "hatch": _Tool(Act.INSTALLS, "version status", "build test fmt", "run", Takes("ep")),
    "rye": _Tool(Act.INSTALLS, "list show version", "build test fmt lint", "run"),
    "bundle": _Tool(Act.INSTALLS, "list show info check", runs="exec", bare="leave"),
    "cargo": _Tool(
        Act.INSTALLS,
        "metadata tree version help locate-project pkgid read-manifest verify-project",
        (
            "build b test t run r check c clippy fmt doc d clean bench new init rustc rustdoc nextest expand "
            "package fix miri"
        ),
        takes=Takes("CpFjZ", ("manifest-path", "target", "target-dir", "color", "package", "features", "jobs")),
        script="Cargo.toml",
        risky=("config",),
    ),
    "go": _Tool(
        Act.INSTALLS,
        "list env version help doc",
        "build test run vet fmt clean generate fix tool work",
        takes=Takes("C"),
        risky=("exec", "toolexec", "vettool", "w"),
    ),
    "dotnet": _Tool(Act.INSTALLS, change="build test run clean format new msbuild"),
    "gem": _Tool(Act.INSTALLS, "list which help environment"),
    "composer": _Tool(Act.INSTALLS, "show validate licenses depends", "run-script dump-autoload test"),
    "conda": _Tool(Act.INSTALLS, "list info", runs="run", takes=Takes("np", ("name", "prefix"))),
    "rustup": _Tool(Act.INSTALLS, "show which"),
    "apt": _Tool(
        Act.INSTALLS,
        "list search show policy depends rdepends showsrc",
        takes=Takes("otc"),
        risky=("o", "c", "option", "config-file"),
    ),
    "apt-get": _Tool(Act.INSTALLS, "indextargets", takes=Takes("otc"), risky=("o", "c", "option", "config-file")),
    "apt-mark": _Tool(Act.INSTALLS, "showmanual showauto showhold"),
    "yum": _Tool(Act.INSTALLS, "list info search provides repolist history"),
    "dnf": _Tool(Act.INSTALLS, "list info search provides repolist history repoquery"),
    "brew": _Tool(Act.INSTALLS, "list info search config deps leaves"),
    "snap": _Tool(Act.INSTALLS, "list info find version services"),
    "flatpak": _Tool(Act.INSTALLS, "list info search history"),
    "systemctl": _Tool(
        Act.SERVICES,
        _SYSTEMD,
        takes=Takes("tHMnopsP", ("type", "state", "property", "lines", "output")),
        risky=("H", "M", "host", "machine"),
    ),
    "loginctl": _Tool(Act.SERVICES, _SYSTEMD),
    "timedatectl": _Tool(Act.SERVICES, _SYSTEMD),
    "hostnamectl": _Tool(Act.SERVICES, _SYSTEMD),
    "localectl": _Tool(Act.SERVICES, _SYSTEMD),
    "resolvectl": _Tool(Act.SERVICES, "status statistics"),
    "networkctl": _Tool(Act.SERVICES, "list status lldp"),
    "crontab": _Tool(Act.SCHEDULES, risky=("e", "r", "i"), bare="crontab"),
    "swapon": _Tool(Act.SYSTEM, bare="swapon"),
    "openssl": _Tool(
        Act.NETWORK,
        "version help list ciphers errstr",
        (
            "rand dgst enc req x509 genrsa rsa genpkey pkey ec ecparam pkcs12 pkcs8 verify base64 passwd asn1parse "
            "sha256 md5 prime speed crl ca"
        ),
        risky=("engine", "provider", "provider-path"),
    ),
    "update-alternatives": _Tool(Act.SYSTEM, risky=("install", "set", "remove", "auto", "config"), bare="leave"),
}
_ALSO = {"apt": ("aptitude",), "dnf": ("microdnf",), "conda": ("mamba", "micromamba"), "systemctl": ()}


def subcommand(simple: Simple) -> Effects:
    """The effects of a program in TOOLS."""
    name = simple.words[0].rpartition("/")[2]
    kind = TOOLS[_MAIN.get(name, name)]
    line = parse(simple.words[1:], kind.takes, stop=True)
    everything = parse(simple.words[1:], kind.takes)
    leaving = Effects((leaves(kind.act, name),))
    # Some take long names behind one dash (`go build -toolexec x`).
    single = {word.lstrip("-").partition("=")[0] for word in simple.words[1:] if word.startswith("-")}
    if everything.has(*kind.risky) or not single.isdisjoint(kind.risky):
        return leaving
    operands = line.operands[1:] if line.operands[:1] and line.operands[0].startswith("+") else line.operands
    if not operands:
        return _bare(kind, everything.has("l", "list", "version", "help", "V", "v", "h", "show"), leaving)
    sub, rest = operands[0], operands[1:]
    if not is_known(sub):
        return leaving
    if sub in names(kind.runs):
        return Effects((changes(Act.RUNS_PROGRAM, name),), runs=(_command(rest),) if _command(rest) else ())
    if sub in names(kind.read):
        return Effects((reads(),))
    if sub in names(kind.change) and not any("@" in word for word in rest if name == "go"):
        return Effects((changes(Act.BUILDS, f"{name} {sub}"),), scripts=(kind.script,) if kind.script else ())
    return leaving


def _bare(kind: _Tool, asks: bool, leaving: Effects) -> Effects:
    if asks or kind.bare == "read":
        return Effects((reads(),))
    return leaving


def _command(rest: tuple[str, ...]) -> tuple[str, ...]:
    while rest and rest[0].startswith("-"):
        rest = rest[1:]
    return rest


def go_mod(simple: Simple) -> Effects:
    """`go mod`: some of it downloads."""
    if simple.words[1:2] == ("mod",):
        local = simple.words[2:3] and simple.words[2] in ("init", "edit", "graph", "verify", "why")
        return Effects((changes(Act.BUILDS, "go mod") if local else leaves(Act.INSTALLS, "go mod"),))
    return subcommand(simple)


def service(simple: Simple) -> Effects:
    """`service NAME status` reads."""
    asks = simple.words[2:] == ("status",) or simple.words[1:] == ("--status-all",)
    return Effects((reads() if asks else leaves(Act.SERVICES, "service"),))


def ip(simple: Simple) -> Effects:
    """`ip`: showing is reading; everything else changes the network, or runs a command in another one."""
    words = [word for word in simple.words[1:] if not word.startswith("-")]
    known = ("a", "addr", "address", "l", "link", "r", "route", "n", "neigh", "neighbour", "rule", "maddr", "route")
    shows = not words or (words[0] in known and (len(words) == 1 or words[1] in ("show", "list", "ls", "s", "get")))
    batch = any(
        word.startswith(("-b", "-f")) and word not in ("-br", "-brief", "-f", "-family") for word in simple.words
    )
    return Effects((reads() if shows and not batch else leaves(Act.SYSTEM, "ip"),))


def sysctl(simple: Simple) -> Effects:
    line = parse(simple.words[1:])
    sets = line.has("w", "write", "p", "load", "system", "f") or any("=" in word for word in line.operands)
    return Effects((leaves(Act.SYSTEM, "sysctl") if sets or not line.operands + line.options else reads(),))


def packages(simple: Simple) -> Effects:
    """dpkg and rpm: queries read."""
    name = simple.words[0].rpartition("/")[2]
    first = simple.words[1] if len(simple.words) > 1 else "--help"
    queries = ("-l", "-L", "-s", "-S", "-p", "-V", "--list", "--listfiles", "--status", "--search", "--verify",
               "--print-architecture", "--version", "--help", "--get-selections", "--audit")  # fmt: skip
    asks = first in queries if name == "dpkg" else first.startswith(("-q", "--query", "--version", "--help"))
    return Effects((reads() if asks and "--pipe" not in simple.words else leaves(Act.INSTALLS, name),))


def mount(simple: Simple) -> Effects:
    return Effects((reads() if len(simple.words) == 1 else leaves(Act.SYSTEM, "mount"),))


def crontab(simple: Simple) -> Effects:
    line = parse(simple.words[1:], Takes("u"))
    asks = line.has("l") and not line.operands and not line.has("e", "r", "u")
    return Effects((reads() if asks else leaves(Act.SCHEDULES, "crontab"),))


_MAIN = {other: main for main, others in _ALSO.items() for other in others}
RULES: dict[str, Rule] = {
    **dict.fromkeys((*TOOLS, *_MAIN), subcommand),
    "go": go_mod,
    "service": service,
    "ip": ip,
    "sysctl": sysctl,
    "dpkg": packages,
    "rpm": packages,
    "mount": mount,
    "crontab": crontab,
}
