"""One process a home: an advisory file lock that dies with its holder, so nothing stale can ever look alive."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType

from agent.errors import AlreadyRunning, ConfigError


class HomeLock:
    """Hold it for as long as the process serves. Raises AlreadyRunning on entering, ConfigError if it can't be made."""

    def __init__(self, home: Path) -> None:
        self._path = home / "lock"
        self._handle = -1

    def __enter__(self) -> HomeLock:
        try:
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._handle)
            raise AlreadyRunning(
                f"Another Jarvis is running on {self._path.parent}. Stop it first, or give this one a home of its own "
                "(JARVIS_HOME) and a token of its own."
            ) from None
        except OSError as error:
            raise ConfigError(f"{self._path} can't be locked: {error.strerror}.") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._handle)
