"""Commands in bubblewrap (bwrap(1)): a read-only view of the machine in namespaces of its own.

What it doesn't do: a copy of a hidden path under another name (a hard link, a second mount) stays readable; with
`network`, abstract sockets and all of the machine's loopback are reachable; boxes don't share a loopback, so that a
server and its client must be one command; user and group databases are the machine's.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.ports import Box
from agent.sandbox.paths import hidden, inside, private, writable
from agent.sandbox.sockets import listening

# The caller's descriptor with this number stays open in the box's first process and nowhere else in it: a shell finds
# it as /proc/$PPID/fd/101 and reports on it, while no command inherits it. Nothing happens where it isn't open.
KEPT_FD = "101"
# Not --die-with-parent: what a command leaves running shall live until the caller ends it, and the caller's watcher
# is a child subreaper that ends all of it, also where it dies itself.
ISOLATED = (
    "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--new-session", "--sync-fd", KEPT_FD,
    "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
)  # fmt: skip
RESOLVER = "/etc/resolv.conf"


@dataclass(frozen=True, slots=True)
class Mount:
    """What stands at a path of the box: a writable `source`, nothing ("" and a folder), or an unreadable file."""

    source: str = ""
    folder: bool = True

    @property
    def empty(self) -> bool:
        return self.folder and not self.source

    def options(self, path: str) -> tuple[str, ...]:
        if self.source:
            return ("--bind", self.source, path)
        return ("--tmpfs", path) if self.folder else ("--ro-bind", "/dev/null", path)


class Bubblewrap:
    """agent.ports.Sandbox by `program`, bwrap's path. Boxes' private folders lie in `home`."""

    name = "bubblewrap"
    confines = True
    complaint = "bwrap: "

    def __init__(self, program: str, home: str) -> None:
        self._program = program
        self._home = home
        # Root drops all capabilities and keeps its user namespace: in one of its own every other owner would look like
        # nobody. Anybody else needs the namespace to be allowed to do all this, and holds no capability in it.
        self._privileges = ("--cap-drop", "ALL") if os.geteuid() == 0 else ("--unshare-user",)

    def wrap(self, argv: Sequence[str], box: Box) -> list[str]:
        """See agent.ports.Sandbox. Raises ToolError for a workspace that can't be confined to."""
        mounts = self._mounts(box)
        return [
            self._program,
            *self._privileges,
            *ISOLATED,
            *(() if box.network else ("--unshare-net",)),
            # Shallow ones first: what lies in a hidden folder and is writable all the same comes back on top of it.
            *(word for path in sorted(mounts, key=depth) for word in mounts[path].options(path)),
            *(resolver() if box.network else ()),
            *(word for path in ("/dev", *mounts) if path == "/dev" or mounts[path].empty for word in ro(path)),
            *("--chdir", os.path.realpath(box.cwd), "--", *argv),
        ]

    def _mounts(self, box: Box) -> dict[str, Mount]:
        mounts = {
            # A socket accepts whoever may write to it, on a read-only mount too: the service manager's and the
            # container engines' in /run would run any command outside.
            "/run": Mount(),
            "/tmp": Mount(private(self._home, box, "tmp")),
            "/dev/shm": Mount(private(self._home, box, "shm")),
        }
        mounts |= {path: Mount(path) for path in writable(box)}
        for path in sorted(hidden(box), key=depth):
            over = covering(path, mounts)
            if not over or mounts[over].source == over:  # else it isn't there already
                mounts[path] = Mount(folder=Path(path).is_dir())
        mounts |= {path: Mount(folder=False) for path in listening() if not covering(path, mounts)}
        return mounts


def covering(path: str, mounts: Mapping[str, Mount]) -> str:
    """The deepest mount that `path` lies in, "" if it is in the read-only root."""
    return max((mount for mount in mounts if inside(path, mount)), key=len, default="")


def depth(path: str) -> int:
    return path.count("/")


def ro(path: str) -> tuple[str, str]:
    return ("--remount-ro", path)


def resolver() -> Iterator[str]:
    """The name server's address, where its file is a link into the hidden /run."""
    path = os.path.realpath(RESOLVER)
    if path.startswith("/run/") and Path(path).exists():
        yield from ("--ro-bind", path, path)
