"""Places where a test can let the process die, as FAULTS names them (K0 to K14). Off, they cost one call of nothing."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable

from agent.errors import ConfigError


def reach_of(spec: str) -> Callable[[str], None]:
    """The hook for `spec`: NAME, NAME:N (die when it is reached the nth time) or NAME+S (die S seconds after).

    Dying is SIGKILL to ourselves, as an OOM kill or a power cut would. Raises ConfigError for another shape.
    """
    if not spec:
        return lambda name: None
    target, _, delay = spec.partition("+")
    target, _, times = target.partition(":")
    try:
        left, seconds = int(times or 1), float(delay or 0)
    except ValueError:
        raise ConfigError(f"JARVIS_FAILPOINT: {spec!r} isn't NAME, NAME:TIMES or NAME+SECONDS.") from None

    def reach(name: str) -> None:
        nonlocal left
        if name != target:
            return
        left -= 1
        if left == 0 and seconds:
            threading.Timer(seconds, _die).start()
        elif left == 0:
            _die()

    return reach


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
