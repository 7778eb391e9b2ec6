"""From what the model typed to one real path, and to an open folder that no link can move (FAULTS section 1, rule 8).

A path is resolved first and judged as resolved; then it is walked from the root without following any link, so that
what was judged is what is opened, whatever another process does meanwhile.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from agent.errors import ToolError
from agent.ports import CallContext
from agent.tool import nearest
from agent.tools._wording import printable

LOOKED_THROUGH = 2_000  # names of a folder, for a near one

_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PROCESS = re.compile(r"/proc/(\d+)(?:/|\Z)")
_SECRETS_OF_PROCESSES = ("environ", "mem", "auxv", "kcore", "kmem")
_VARIABLE = re.compile(r"\$\{?[A-Za-z_]\w*\}?")


def locate(call: CallContext, typed: str, *, follow: bool) -> str:
    """The absolute real path that `typed` means, relative to the working directory of the call.

    Links in the folders are always resolved, a link at the end only if `follow`. Raises ToolError for a path that
    can't be one and for our own state.
    """
    _check(typed)
    full = Path(call.cwd, typed)
    if follow or full.name in ("", ".."):
        real = os.path.realpath(full)
    else:
        real = str(Path(os.path.realpath(full.parent), full.name))
    _allow(call, real)
    return real


@contextmanager
def folder(path: str, *, make: bool = False) -> Iterator[int]:
    """A descriptor of the folder `path` (absolute, without links), reached without following a link; for use as
    dir_fd. `make`: missing folders are made (0755). Raises OSError."""
    at = os.open("/", _FOLDER)
    try:
        for part in filter(None, path.split("/")):
            below = _step(at, part, make)
            os.close(at)
            at = below
        yield at
    finally:
        os.close(at)


def missing(path: str) -> ToolError:
    """The refusal for a path where nothing stands, with names that look like it."""
    wanted = Path(path)
    near: list[str] = []
    with suppress(OSError), os.scandir(wanted.parent) as entries:
        near = nearest(wanted.name, [entry.name for entry in islice(entries, LOOKED_THROUGH)])
    literal = variable(path)
    return ToolError(
        f"There is no {printable(path)}."
        + (f" Did you mean {' or '.join(map(printable, near))} in that folder?" if near else " Look with list_dir.")
        + (f" {literal} is taken literally: variables are not expanded in paths." if literal else "")
    )


def variable(path: str) -> str | None:
    """The first literal $NAME in a path or name, which nothing has expanded; or None."""
    found = _VARIABLE.search(path)
    return found[0] if found else None


def _step(at: int, part: str, make: bool) -> int:
    try:
        return os.open(part, _FOLDER, dir_fd=at)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):  # somebody else made it meanwhile
        os.mkdir(part, 0o755, dir_fd=at)
    return os.open(part, _FOLDER, dir_fd=at)


def _check(typed: str) -> None:
    if not typed.strip():
        raise ToolError("The path is empty. Give an absolute path or one relative to the working directory.")
    if typed.startswith("~"):
        raise ToolError("~ is not expanded here: give an absolute path or one relative to the working directory.")
    if "\0" in typed or any("\ud800" <= char <= "\udfff" for char in typed):
        raise ToolError("The path holds a NUL or half a character, which no file name here can have. Use the shell.")
    if len(typed.encode()) > 4095:
        raise ToolError("The path is longer than 4095 bytes, which is more than the system takes.")


def _allow(call: CallContext, real: str) -> None:
    for place in call.forbidden:
        own = os.path.realpath(place)
        if real == own or real.startswith(own.rstrip("/") + "/"):
            raise ToolError(f"{printable(real)} belongs to the agent's own state, which is out of reach of all tools.")
    if real.startswith("/proc/") and _private(real):
        raise ToolError(f"{printable(real)} can hold secrets of a running process and is out of reach of all tools.")


def _private(real: str) -> bool:
    """Memory or environment of any process; anything of our own process, under the id of any of its threads."""
    if Path(real).name in _SECRETS_OF_PROCESSES:
        return True
    process = _PROCESS.match(real)
    return bool(process and Path(f"/proc/self/task/{process[1]}").exists())
