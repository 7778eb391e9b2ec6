"""The store's own folders and files: ours alone, written whole."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from agent.undo.blobs import NEW, sync_folder


def make_folder(path: Path) -> Path:
    """A folder of mode 0700. Raises OSError where something else stands there."""
    path.mkdir(mode=0o700, exist_ok=True)
    if path.is_symlink():
        raise NotADirectoryError(20, "a symbolic link stands where the undo store keeps its files", str(path))
    path.chmod(0o700)
    return path


def write_whole(path: Path, data: bytes, *, sync: bool) -> None:
    """Raises OSError; the old file then stands as it was."""
    temporary = path.with_name(f"{secrets.token_hex(8)}.tmp")
    try:
        with os.fdopen(os.open(temporary, NEW, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        temporary.rename(path)
        if sync:
            sync_folder(path.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
