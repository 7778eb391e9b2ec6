"""Starts one command, bash as it is or what wraps it, with exactly the environment and descriptors it shall have."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from agent.host import tree
from agent.host.census import Limits
from agent.host.children import DEFAULTED, LIBC

PRELUDE_FD = 100
REPORT_FD = 101
# Bash reads this before the command and forgets it: `bash -c` stays exact, the line numbers in its messages too. It
# reports through the descriptor of its parent (the watcher, or the first process of a sandbox), so that no command
# inherits it; only where a sandbox forbids that does the shell hold it itself.
BEGUN = "begun"  # told first: without it, nothing of a command in a box has run
PRELUDE = f"""exec {PRELUDE_FD}<&-
unset BASH_ENV
if [ -e /proc/self/fd/{REPORT_FD} ]; then
builtin printf "{BEGUN} " >&{REPORT_FD}
trap '{{ builtin printf "%s " "${{PIPESTATUS[@]}}"; builtin echo; builtin pwd -P; }} 2>/dev/null >&{REPORT_FD}' EXIT
else
builtin printf "{BEGUN} " 2>/dev/null >|"/proc/$PPID/fd/{REPORT_FD}"
trap '{{ builtin printf "%s " "${{PIPESTATUS[@]}}"; builtin echo; builtin pwd -P; }} 2>/dev/null \
>|"/proc/$PPID/fd/{REPORT_FD}"' EXIT
fi
"""
# A wrapper that is a script for our own interpreter runs in a fork of us: a new interpreter takes ten milliseconds.
OURS = (sys.executable, "-I", "-S", "-E")
UNSTARTED = 126
BEFORE = {kind: resource.getrlimit(kind) for kind in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE)}
OOM_SCORE = "/proc/self/oom_score_adj"
OOM_FIRST = "500"  # a command goes before the bot when memory runs out, whoever of them asked for it (proc(5))


@dataclass(frozen=True, slots=True)
class Request:
    """A command as the keeper gets it. `boxed`: its argv confines it, and the report descriptor is passed on."""

    cwd: bytes
    limits: Limits
    boxed: bool
    argv: tuple[bytes, ...]
    environment: tuple[bytes, ...]

    def packed(self) -> list[bytes]:
        counted = (b"%d" % len(self.argv), *self.argv)
        return [b"run", self.cwd, self.limits.packed(), b"%d" % self.boxed, *counted, *self.environment]

    @classmethod
    def unpacked(cls, fields: Sequence[bytes]) -> Request:
        _, cwd, limits, boxed, count, *rest = fields
        split = int(count)
        return cls(cwd, Limits.unpacked(limits), boxed == b"1", tuple(rest[:split]), tuple(rest[split:]))


def prelude() -> int:
    """A descriptor of the prelude's text, the same for all commands and changed by none (memfd_create(2))."""
    fd = os.memfd_create("prelude", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(fd, PRELUDE.encode())
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE)
    return fd


def started(request: Request, pipes: Sequence[int], report: int, text: int) -> int:
    """The pid of the command. `pipes` are stdout, stderr and, if it has one, stdin; `text` is the prelude's descriptor.
    Raises OSError."""
    limit(request.limits)
    os.umask(0o022)
    os.chdir(request.cwd)
    variables, given = list(request.environment), dict(zip((1, 2, 0), pipes, strict=False))
    if 0 not in given:  # a program that is talked with is no command of bash's
        variables.append(b"BASH_ENV=/proc/self/fd/%d" % PRELUDE_FD)
        given[PRELUDE_FD] = text
    if request.boxed:
        given[REPORT_FD] = report
    before = swapped(OOM_SCORE, OOM_FIRST)
    try:
        if request.argv[: len(OURS)] == tuple(map(os.fsencode, OURS)):
            return forked(request.argv[len(OURS) :], variables, given)
        return spawned(request.argv, variables, given)
    finally:
        swapped(OOM_SCORE, before)
        os.chdir("/")  # else we would keep the command's folder busy


def limit(limits: Limits) -> None:
    """Of this process, for its children to inherit."""
    room = tree.tasks() + limits.tasks  # the kernel counts all of a user's, and all users together have no more
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    room = room if hard == resource.RLIM_INFINITY else min(room, hard)
    resource.setrlimit(resource.RLIMIT_NPROC, (room, hard))
    if limits.file_bytes:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_bytes,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def unlimited() -> bool:
    """Take the limits on files off again for the next command. False where that isn't allowed: only root may raise what
    was lowered for good (setrlimit(2))."""
    try:
        for kind, values in BEFORE.items():
            resource.setrlimit(kind, values)
    except ValueError:
        return False
    return True


def swapped(path: str, value: str) -> str:
    """Write a /proc file and return what it held."""
    try:
        with open(path, "r+") as file:
            held = file.read().strip()
            if held != value and value:
                file.write(value)
            return held
    except OSError:
        return ""


def spawned(argv: Sequence[bytes], variables: Sequence[bytes], given: dict[int, int]) -> int:
    return os.posix_spawn(
        argv[0],
        list(argv),
        dict(entry.split(b"=", 1) for entry in variables),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            *((os.POSIX_SPAWN_DUP2, fd, number) for number, fd in given.items()),
        ],
        setsid=True,
        setsigmask=(),
        setsigdef=DEFAULTED,
    )


def forked(words: Sequence[bytes], variables: Sequence[bytes], given: dict[int, int]) -> int:
    """The pid of a fork that runs the script `words[0]` with the rest as its arguments."""
    pid = os.fork()
    if pid:
        return pid
    try:
        as_spawned(variables, given)
        as_script(list(map(os.fsdecode, words)))
    except BaseException as error:
        os.write(2, f"The sandbox could not be set up: {error}. Nothing ran.\n".encode(errors="replace"))
        os._exit(UNSTARTED)


def as_spawned(variables: Sequence[bytes], given: dict[int, int]) -> None:
    """What posix_spawn does for a child, done to this process."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in DEFAULTED:
        signal.signal(number, signal.SIG_DFL)
    null = os.open("/dev/null", os.O_RDONLY)
    for target, fd in {0: null, **given}.items():
        os.dup2(fd, target)
    LIBC.clearenv()
    for entry in variables:
        LIBC.setenv(*entry.split(b"=", 1), 1)


def as_script(words: list[str]) -> NoReturn:
    folder, _, name = words[0].rpartition("/")
    sys.path.insert(0, folder)
    __import__(name.removesuffix(".py")).main(words[1:])
    raise RuntimeError("it came back")
