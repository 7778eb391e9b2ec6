"""Probe claims: which paths are there, with which mode, and which ports somebody listens on; as found, without touching
any of them."""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agent.ports import CallContext

PATHS, PLACES, PORTS = 64, 16, 16
TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
LISTEN = "0A"  # TCP_LISTEN, include/net/tcp_states.h
LARGEST = 4 << 20  # bytes of such a table


class _Claims:
    name = "claims"
    timeout_s = 2.0

    async def look(self, call: CallContext, args: str) -> str:
        """`args` is {paths: {name: [absolute places]}, ports: [number]}. The answer: paths as name -> {there, mode}, or
        null where it can't be told; ports as number -> whether it is listened on, null where that can't be told.
        Raises ValueError for other arguments."""
        return json.dumps(await asyncio.to_thread(_answered, call, json.loads(args)), ensure_ascii=False)


def _answered(call: CallContext, asked: dict[str, Any]) -> dict[str, Any]:
    paths, ports = asked.get("paths") or {}, asked.get("ports") or []
    if len(paths) > PATHS or len(ports) > PORTS:
        raise ValueError(f"at most {PATHS} paths and {PORTS} ports")
    open_ports = _listened() if ports else None
    return {
        "paths": {name: _about(call, places[:PLACES]) for name, places in paths.items()},
        "ports": {str(port): None if open_ports is None else port in open_ports for port in ports},
    }


def _about(call: CallContext, places: Sequence[str]) -> dict[str, Any] | None:
    """Of the first place where it is; null if one of them is out of sight: our own state, a sandbox's /tmp, a home."""
    for place in places:
        if "~" in place or "\0" in place or not place.startswith("/") or (call.box and place.startswith("/tmp/")):
            return None
        if any(Path(place).is_relative_to(own) for own in call.forbidden):
            return None
        try:
            return {"there": True, "mode": stat.S_IMODE(Path(place).stat().st_mode)}
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError):
            return None
    return {"there": False, "mode": 0}


def _listened() -> frozenset[int] | None:
    """The TCP ports that are listened on (proc_net_tcp(5)); None where the kernel doesn't tell."""
    found: set[int] = set()
    read = 0
    for table in TABLES:
        try:
            with Path(table).open(encoding="ascii", errors="replace") as file:
                lines = file.read(LARGEST).splitlines()[1:]
        except OSError:
            continue
        read += 1
        rows = (line.split() for line in lines)
        found |= {int(row[1].rpartition(":")[2], 16) for row in rows if len(row) > 3 and row[3] == LISTEN}
    return frozenset(found) if read else None


probe = _Claims()
