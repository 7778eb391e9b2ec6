"""What all sandboxes ask of paths: real ones, a private /tmp, and a workspace that can be confined to."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from agent.errors import ToolError
from agent.ports import Box

UNCONFINABLE = ("/", "/proc", "/sys", "/dev")


def inside(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or below it. Both are real paths."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def hidden(box: Box) -> list[str]:
    """The real paths of what is to be hidden and exists."""
    return [path for path in map(os.path.realpath, box.hidden) if os.path.lexists(path)]


def writable(box: Box) -> list[str]:
    """The real paths of the writable folders. Raises ToolError where one can't be a sandbox's."""
    found = [os.path.realpath(path) for path in box.writable]
    for path in found:
        if path == "/" or any(inside(path, folder) for folder in UNCONFINABLE[1:]):
            raise ToolError(f"The workspace is {path}: no sandbox can confine a command to that. Set another one.")
        if path in map(os.path.realpath, box.hidden):
            raise ToolError(f"The workspace {path} is where our own state or a credential is kept. Set another one.")
    return found


def private(home: str, box: Box, name: str) -> str:
    """A folder that boxes of the same workspace share and nothing else sees: their /tmp ("tmp"), or /dev/shm ("shm").

    A /tmp for each command would break work that goes on over several of them. It lies in our home and not in the
    workspace: there a command could put a symlink in its place, and have the next box's /tmp be any folder it likes.
    Raises ToolError where it can't be made.
    """
    digest = hashlib.sha256(os.fsencode("\0".join(box.writable))).hexdigest()[:16]
    folder = Path(home, "box", digest, name)
    try:
        if not folder.is_dir():
            for above in (Path(home), Path(home, "box"), folder.parent):  # `parents` would make them as the umask says
                above.mkdir(0o700, exist_ok=True, parents=True)
            folder.mkdir(exist_ok=True)
            folder.chmod(0o1777)
    except OSError as error:
        raise ToolError(f"The sandbox's own {name} folder {folder} can't be made: {error.strerror}.") from error
    return os.path.realpath(folder)
