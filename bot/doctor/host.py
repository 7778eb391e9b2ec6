"""Checks of this machine: folders, modes, disk, sandbox, user, what the service unit forbids, clock."""

from __future__ import annotations

import datetime
import os
import pwd
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

from bot.doctor.finding import Finding, fail, ok, warn

GB = 1 << 30
LOW, GONE = 1 * GB, 0.1 * GB  # free bytes


def home(path: Path) -> list[Finding]:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return [ok("home", f"{path} isn't there yet; the first start makes it")]
    if stat.S_ISLNK(found.st_mode) or not stat.S_ISDIR(found.st_mode):
        return [fail("home", f"{path} is no folder of its own", "Set JARVIS_HOME to a real folder, not a link.")]
    if found.st_uid != os.geteuid():
        mend = f"Run me as its owner, or: chown -R {_me()} {path}"
        return [fail("home", f"{path} belongs to another user (uid {found.st_uid})", mend)]
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o077:
        return [fail("home", f"{path} is open to others ({mode:04o})", f"chmod 700 {path}")]
    return [ok("home", f"{path} is ours alone ({mode:04o})")]


def files(path: Path) -> list[Finding]:
    """Everything in the home's first level: token, journal and audit are no one else's business."""
    if not path.is_dir():
        return []
    kept = [each for each in path.iterdir() if each.is_file() and not each.is_symlink()]
    loose = sorted(each.name for each in kept if each.stat().st_mode & 0o077)
    if loose:
        names = " ".join(str(path / name) for name in loose[:10])
        return [fail("files", f"others may read or write {', '.join(loose[:10])}", f"chmod 600 {names}")]
    return [ok("files", f"{len(kept)} files, none of them open to others")]


def disk(paths: Sequence[Path]) -> list[Finding]:
    """Free space where we write, once a file system."""
    out, seen = [], set[int]()
    for path in paths:
        there = next((each for each in (path, *path.parents) if each.exists()), Path("/"))
        if (device := there.stat().st_dev) in seen:
            continue
        seen.add(device)
        free = shutil.disk_usage(there).free
        text = f"{free / GB:.1f} GB free at {there}"
        if free < GONE:
            out.append(fail("disk", text, "Make room: without it nothing can be written down, so nothing runs."))
        elif free < LOW:
            out.append(warn("disk", text, "Make room soon."))
        else:
            out.append(ok("disk", text))
    return out


def workspace(path: Path) -> list[Finding]:
    if not path.exists():
        return [ok("workspace", f"{path} isn't there yet; it is made when it is first needed")]
    if not path.is_dir() or not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        mend = "Give this user the right to it, or set JARVIS_RUN__WORKSPACE to another folder."
        return [fail("workspace", f"{path} is no folder that {_me()} may write to", mend)]
    return [ok("workspace", f"{path}")]


def sandbox(home_path: Path) -> list[Finding]:
    """Blocks for some 20 ms: the sandbox is tried."""
    try:
        from agent.sandbox import choose
    except ImportError:
        return [warn("sandbox", "this release has none", "Changes are asked for, unless the mode is full.")]
    chosen = choose(str(home_path))
    if not chosen.confines:
        mend = "apt-get install bubblewrap (or a kernel with Landlock); until then each change is asked for."
        return [warn("sandbox", "none works on this machine", mend)]
    return [ok("sandbox", f"{chosen.name} works")]


def user() -> list[Finding]:
    if os.geteuid() == 0:
        mend = "Give me a user of my own; deploy/jarvis.service shows how."
        return [warn("user", "I run as root, and so does every command", mend)]
    return [ok("user", _me())]


def limits(status: Path = Path("/proc/self/status")) -> list[Finding]:
    """What the surroundings forbid. Source: proc_pid_status(5), NoNewPrivs and Seccomp."""
    try:
        lines = status.read_text().splitlines()
    except OSError:
        return [ok("limits", "this system doesn't tell")]
    fields = {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}
    if fields.get("NoNewPrivs") == "1":
        mend = "Wanted in most cases; else take NoNewPrivileges out of the service unit."
        return [warn("limits", "NoNewPrivileges is set: sudo and other setuid programs won't work", mend)]
    filtered = " (under a seccomp filter)" if fields.get("Seccomp") == "2" else ""
    return [ok("limits", f"NoNewPrivileges is not set here{filtered}; a service unit may set it")]


def clock(zone: str) -> list[Finding]:
    now = datetime.datetime.now().astimezone()
    if now.year < 2024:
        return [fail("clock", f"this machine believes it is {now:%Y-%m-%d}", "Set the clock; timedatectl set-ntp true")]
    return [ok("clock", f"{now:%Y-%m-%d %H:%M} {now.tzname()}{f', days counted in {zone}' if zone else ''}")]


def _me() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"uid {os.geteuid()}"
