"""Checks of this machine: folders, modes, disk, sandbox, user, what the service unit forbids, clock."""

from __future__ import annotations

import datetime
import os
import pwd
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

from bot import doctorwords as words
from bot.doctor.finding import Finding, fail, ok, warn
from bot.doctorwords import said

GB = 1 << 30
LOW, GONE = 1 * GB, 0.1 * GB  # free bytes


def home(path: Path) -> list[Finding]:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return [ok("home", said("home later", path))]
    if stat.S_ISLNK(found.st_mode) or not stat.S_ISDIR(found.st_mode):
        return [fail("home", said("home no folder", path), said("mend home no folder"))]
    if found.st_uid != os.geteuid():
        mend = said("mend home of another", _me(), path)
        return [fail("home", said("home of another", path, found.st_uid), mend)]
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o077:
        return [fail("home", said("home open", path, f"{mode:04o}"), f"chmod 700 {path}")]
    return [ok("home", said("home ours", path, f"{mode:04o}"))]


def files(path: Path) -> list[Finding]:
    """Everything in the home's first level: token, journal and audit are no one else's business."""
    if not path.is_dir():
        return []
    kept = [each for each in path.iterdir() if each.is_file() and not each.is_symlink()]
    loose = sorted(each.name for each in kept if each.stat().st_mode & 0o077)
    if loose:
        names = " ".join(str(path / name) for name in loose[:10])
        return [fail("files", said("files open", ", ".join(loose[:10])), f"chmod 600 {names}")]
    return [ok("files", said("files ours", len(kept)))]


def disk(paths: Sequence[Path]) -> list[Finding]:
    """Free space where we write, once a file system."""
    out, seen = [], set[int]()
    for path in paths:
        there = next((each for each in (path, *path.parents) if each.exists()), Path("/"))
        if (device := there.stat().st_dev) in seen:
            continue
        seen.add(device)
        free = shutil.disk_usage(there).free
        text = said("disk free", words.gigabytes(free / GB), there)
        if free < GONE:
            out.append(fail("disk", text, said("mend disk full")))
        elif free < LOW:
            out.append(warn("disk", text, said("mend disk low")))
        else:
            out.append(ok("disk", text))
    return out


def workspace(path: Path) -> list[Finding]:
    if not path.exists():
        return [ok("workspace", said("workspace later", path))]
    if not path.is_dir() or not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        mend = said("mend workspace")
        return [fail("workspace", said("workspace no folder", path, _me()), mend)]
    return [ok("workspace", f"{path}")]


def sandbox(home_path: Path) -> list[Finding]:
    """Blocks for some 20 ms: the sandbox is tried."""
    try:
        from agent.sandbox import choose
    except ImportError:
        return [warn("sandbox", said("sandbox unbuilt"), said("mend sandbox unbuilt"))]
    chosen = choose(str(home_path))
    if not chosen.confines:
        mend = said("mend sandbox none")
        return [warn("sandbox", said("sandbox none"), mend)]
    return [ok("sandbox", said("sandbox works", chosen.name))]


def user() -> list[Finding]:
    if os.geteuid() == 0:
        mend = said("mend user root")
        return [warn("user", said("user root"), mend)]
    return [ok("user", _me())]


def limits(status: Path = Path("/proc/self/status")) -> list[Finding]:
    """What the surroundings forbid. Source: proc_pid_status(5), NoNewPrivs and Seccomp."""
    try:
        lines = status.read_text().splitlines()
    except OSError:
        return [ok("limits", said("limits unknown"))]
    fields = {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}
    if fields.get("NoNewPrivs") == "1":
        mend = said("mend limits")
        return [warn("limits", said("limits set"), mend)]
    return [ok("limits", said("limits filtered" if fields.get("Seccomp") == "2" else "limits unset"))]


def clock(zone: str) -> list[Finding]:
    now = datetime.datetime.now().astimezone()
    if now.year < 2024:
        return [fail("clock", said("clock old", f"{now:%Y-%m-%d}"), said("mend clock old"))]
    text = f"{now:%Y-%m-%d %H:%M} {now.tzname()}"
    return [ok("clock", said("clock in", text, zone) if zone else said("clock", text))]


def _me() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"uid {os.geteuid()}"
