"""Large sources are read in a process of their own: a parser keeps the interpreter to itself for as long as it takes,
and meanwhile no chat would be served."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from agent.drift.shape import UNKNOWN, Source, Style, Take, Use

LARGE = 1 << 15  # bytes; below it, reading takes some ten milliseconds
MOST_S = 60.0
ROOT = Path(__file__).parent.parent.parent

# The package without its __init__, so that it is up in some tens of milliseconds.
_BOOT = """
import sys, types
for name in ("agent", "agent.probes"):
    package = sys.modules[name] = types.ModuleType(name)
    package.__path__ = [sys.argv[1] + "/" + name.replace(".", "/")]
from agent.probes._apart import main
main()
"""


@dataclass(slots=True)
class Apart:
    """One process for as many sources as are read; `deadline` is monotonic. Close it. Blocking."""

    deadline: float
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def read(self, data: bytes, path: str) -> Source:
        """What a source gives and takes; UNKNOWN where the process ended over it. Raises TimeoutError past the
        deadline."""
        process = self._process = self._process or _started()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps([path, len(data)]).encode() + b"\n" + data)
            process.stdin.flush()
        except OSError:
            self.close()
            return UNKNOWN
        left = min(max(0.0, self.deadline - time.monotonic()), MOST_S)
        if not select.select([process.stdout], [], [], left)[0]:
            self.close()
            raise TimeoutError
        line = process.stdout.readline()
        if not line:
            self.close()
        return _source(json.loads(line)) if line else UNKNOWN

    def close(self) -> None:
        """End the process; the next read starts another one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def _started() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-I", "-c", _BOOT, str(ROOT)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={})


def plainly(data: bytes, path: str) -> Source:
    """What a source gives and takes, read here and now."""
    from agent.drift import javascript, python

    return python.read(data) if path.endswith(".py") else javascript.read(data, path)


def _told(source: Source) -> str:
    """The fields in order, as JSON."""
    uses = [(use.line, use.module, use.symbol, use.take.name) for use in source.uses]
    passes = None if source.passes is None else sorted(source.passes)
    fields = (source.style.name, uses, sorted(source.gives), passes, source.stars, source.open, source.augments)
    return json.dumps(fields)


def _source(told: list[Any]) -> Source:
    style, uses, gives, passes, stars, is_open, augments = told
    return replace(
        UNKNOWN,
        style=Style[style],
        uses=tuple(Use(line, module, symbol, Take[take]) for line, module, symbol, take in uses),
        gives=frozenset(gives),
        passes=None if passes is None else frozenset(passes),
        stars=tuple(stars),
        open=is_open,
        augments=tuple(augments),
    )


def main(asked: BinaryIO | None = None, answers: BinaryIO | None = None) -> None:
    """The process: a line [path, size] and so many bytes at a time, each answered in a line, until the input ends."""
    asked, answers = asked or sys.stdin.buffer, answers or sys.stdout.buffer
    os.nice(5)
    while line := asked.readline():
        path, size = json.loads(line)
        answers.write(_told(plainly(asked.read(size), path)).encode() + b"\n")
        answers.flush()
