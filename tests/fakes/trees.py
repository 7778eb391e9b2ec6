"""Trees of files for tests of the undo: what stands in a folder, byte for byte, and the ways to change it."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

Snapshot = dict[bytes, tuple[object, ...]]


def snapshot(root: Path, *, times: bool = False) -> Snapshot:
    """Everything below root by relative path: kind, mode, and content or target."""
    out: Snapshot = {}
    for folder, folders, files in os.walk(os.fsencode(root)):
        for name in folders + files:
            path = os.path.join(folder, name)
            found = os.lstat(path)
            kind, mode = stat.S_IFMT(found.st_mode), stat.S_IMODE(found.st_mode)
            what: object = None
            if kind == stat.S_IFREG:
                what = (Path(os.fsdecode(path)).read_bytes(), found.st_mtime_ns if times else 0)
            elif kind == stat.S_IFLNK:
                mode, what = 0, os.readlink(path)
            out[os.path.relpath(path, os.fsencode(root))] = (kind, mode, what)
    return out


def clear(path: Path) -> None:
    """Remove whatever stands there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()


def make_room(path: Path) -> None:
    """Nothing stands at the path any more, and nothing but folders on the way to it."""
    for above in reversed(path.parents):
        if os.path.lexists(above) and (above.is_symlink() or not above.is_dir()):
            above.unlink()
    clear(path)
    path.parent.mkdir(parents=True, exist_ok=True)


def put(path: Path, content: bytes, mode: int = 0o644) -> None:
    """A file, in place of whatever stood there; a file that did is written in place."""
    if not path.is_file() or path.is_symlink():
        make_room(path)
    path.write_bytes(content)
    path.chmod(mode)
