"""Whether a sandbox really works on this machine: found out by running `true` in it, once a process."""

from __future__ import annotations

import subprocess

from agent.errors import ToolError
from agent.ports import Box, Sandbox

PATIENCE_S = 10.0
_verdicts: dict[str, bool] = {}  # by name: it depends on the kernel and what is installed, not on any folder


def works(sandbox: Sandbox) -> bool:
    """Blocks for some 20 ms the first time it is asked about a kind of sandbox."""
    if sandbox.name not in _verdicts:
        _verdicts[sandbox.name] = tried(sandbox)
    return _verdicts[sandbox.name]


def tried(sandbox: Sandbox) -> bool:
    try:
        argv = sandbox.wrap(["/bin/true"], Box(writable=(), hidden=(), cwd="/"))
        return subprocess.run(argv, capture_output=True, timeout=PATIENCE_S, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired, ToolError):
        return False
