"""The folder of the bot's own state: ours alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from agent.errors import ConfigError


def prepare_home(path: Path) -> None:
    """Make the folder if it isn't there, and take it from everybody else (mode 0700).

    Raises ConfigError where it is a link, not a folder, somebody else's, or can't be made.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
        found = path.lstat()
        _check(path, found)
        if stat.S_IMODE(found.st_mode) != 0o700:
            path.chmod(0o700)
    except FileExistsError:
        raise _refused(path, "is not a folder") from None
    except OSError as error:
        raise _refused(path, f"can't be made or used: {error.strerror}") from None


def _check(path: Path, found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise _refused(path, "is a symbolic link, which somebody could point elsewhere")
    if not stat.S_ISDIR(found.st_mode):
        raise _refused(path, "is not a folder")
    if found.st_uid != os.geteuid():
        raise _refused(path, f"belongs to another user (uid {found.st_uid})")


def _refused(path: Path, why: str) -> ConfigError:
    return ConfigError(f"JARVIS_HOME ({path}) {why}. Set JARVIS_HOME to a folder of your own.")
