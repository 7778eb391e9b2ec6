"""Commands under Landlock (landlock(7)) and a seccomp filter, where namespaces are forbidden: kernel 6.2 and later.

What it doesn't do that bubblewrap does: modes, owners and times of files outside can be changed; names in hidden
folders can be listed, only their contents can't be read; a folder that holds a hidden path can't be written to
directly, only below; what is created beside a hidden path while a command runs can't be read by it; /tmp isn't
writable, TMPDIR names a private folder; without `network` there is no loopback and no UNIX socket by name; other
processes are seen in /proc, and below kernel 6.12 can be sent signals. The command's shell inherits the caller's report
descriptor, and so does what it starts.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

from agent.ports import Box
from agent.sandbox.paths import hidden, private, writable

CREATE_RULESET = 444
VERSION = 1  # LANDLOCK_CREATE_RULESET_VERSION
LEAST_ABI = 3  # the first that keeps truncate(2) from files outside
MACHINES = ("x86_64", "aarch64")  # whose system calls the filter knows
SCRIPT = str(Path(__file__).with_name("_landlock.py"))


class Landlock:
    """agent.ports.Sandbox by an exec helper, `_landlock.py`. Boxes' private folders lie in `home`."""

    name = "landlock"
    confines = True
    complaint = "The sandbox could not be set up: "

    def __init__(self, home: str, abi: int) -> None:
        """`abi` is the highest version of the kernel's interface to use."""
        self._home = home
        self._abi = abi

    @staticmethod
    def usable_abi() -> int:
        """The version that this kernel speaks, 0 where it can't confine a command."""
        abi: int = ctypes.CDLL(None).syscall(CREATE_RULESET, None, ctypes.c_size_t(0), VERSION)
        return abi if abi >= LEAST_ABI and platform.machine() in MACHINES else 0

    def wrap(self, argv: Sequence[str], box: Box) -> list[str]:
        """See agent.ports.Sandbox. Raises ToolError for a workspace that can't be confined to."""
        allowed, barred = writable(box), hidden(box)
        flags = [str(self._abi), str(int(box.network)), private(self._home, box, "tmp")]
        # The first words are those by which the host knows a script that it may run in a fork of its own.
        return [
            *(sys.executable, "-I", "-S", "-E", SCRIPT, *flags),
            *(str(len(allowed)), *allowed, str(len(barred)), *barred, os.path.realpath(box.cwd), *argv),
        ]
