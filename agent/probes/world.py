"""Probe world: where names and paths lead on this disk, and what the files that would be executed hold."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import stat
from pathlib import Path
from typing import Any

from agent.ports import CallContext

MOST = 128  # of a kind
LARGEST = 16 << 20  # bytes of a file that is hashed
CHUNK = 1 << 20
# As the host sets it for every command.
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class _World:
    name = "world"
    timeout_s = 2.0

    async def look(self, call: CallContext, args: str) -> str:
        """`args` is {executables, paths, scripts, cwd, home}. The answer: executables as name -> real path or null,
        paths as path -> real path, scripts as path -> SHA-256 in hex, or null for what is no file of at most 16 MB.
        Raises ValueError for other arguments."""
        return json.dumps(await asyncio.to_thread(_answered, json.loads(args)))


def _answered(asked: dict[str, Any]) -> dict[str, Any]:
    cwd, home = str(asked.get("cwd") or "/"), str(asked.get("home") or "")
    return {
        "executables": {name: _executable(name, cwd, home) for name in _names(asked, "executables")},
        "paths": {path: os.path.realpath(Path(cwd, path)) for path in _names(asked, "paths")},
        "scripts": {path: _digest(Path(cwd, path)) for path in _names(asked, "scripts")},
    }


def _names(asked: dict[str, Any], kind: str) -> list[str]:
    names = asked.get(kind) or []
    if not isinstance(names, list) or len(names) > MOST or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{kind} must be a list of at most {MOST} names")
    return [name for name in names if name and "\0" not in name]


def _executable(name: str, cwd: str, home: str) -> str | None:
    if "/" in name:
        path = Path(cwd, name)
        return os.path.realpath(path) if path.exists() else None
    found = shutil.which(name, path=f"{PATH}:{home.rstrip('/')}/.local/bin")
    return os.path.realpath(found) if found else None


def _digest(path: Path) -> str | None:
    """Of a regular file only: a pipe or a device would be waited for."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError):
        return None
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or about.st_size > LARGEST:
            return None
        digest, left = hashlib.sha256(), LARGEST
        while left >= 0 and (chunk := os.read(handle, CHUNK)):
            digest.update(chunk)
            left -= len(chunk)
        return digest.hexdigest() if left >= 0 else None
    except OSError:
        return None
    finally:
        os.close(handle)


probe = _World()
