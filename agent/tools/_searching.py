"""Runs a searcher, ripgrep or what stands in for it, as a child: until it has found enough or takes too long."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from agent.tools._hits import Hit, Hits

PATIENCE_S = 10.0
GOING_S = 2.0  # from the end of the output to the end of the program
CHUNK = 1 << 16
LONGEST = 1 << 22  # bytes of one printed line; a longer one is let go
COMPLAINT = 2_000  # bytes kept of stderr
PATH = "/usr/local/bin:/usr/bin:/bin"
WALKER = str(Path(__file__).with_name("_walker.py"))
BAD_QUESTION = 3  # the exit code of the walker


@dataclass(frozen=True, slots=True)
class Wanted:
    """`globs` as ripgrep has them, those that begin with ! leave out. `only`: one file of the folder."""

    pattern: str
    globs: tuple[str, ...] = ()
    fixed: bool = False
    ignore_case: bool = False
    only: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """`searched`: files, None where the end wasn't reached. `bad`: what is wrong with the pattern or a glob."""

    hits: tuple[Hit, ...] = ()
    more: bool = False
    searched: int | None = None
    late: bool = False
    partly: bool = False
    overlong: int = 0
    binary: int = 0
    bad: str = ""


class Searching:
    """One search, below a folder that is given as a descriptor. `run` in a thread, `stop` from anywhere."""

    def __init__(self, wanted: Wanted, most: int, room: int, patience_s: float = PATIENCE_S) -> None:
        self._wanted, self._most, self._room, self._patience_s = wanted, most, room, patience_s
        self._child: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def run(self, folder: int) -> Found:
        """Raises OSError where nothing can be started."""
        program = ripgrep()
        if program is None:
            return self._run(walker(self._wanted), folder)
        found = self._run(rg(program, self._wanted), folder)
        if found.bad:  # Python's syntax has what ripgrep's lacks, and says where the mistake is
            other = self._run(walker(self._wanted), folder)
            return other if not other.bad or "glob" not in found.bad else found
        if found.searched is not None and not found.hits:  # it counts those with a match alone
            return replace(found, searched=self._count(files(program, self._wanted), folder))
        return found

    def stop(self) -> None:
        self._stopped = True
        if self._child is not None:
            self._child.kill()

    def _run(self, argv: list[str], folder: int) -> Found:
        hits = Hits(self._most, self._room)
        with tempfile.TemporaryFile() as complaints:
            with self._started(argv, folder, complaints) as child:
                assert child.stdout is not None
                late, overlong = self._read(child.stdout, hits)
                if not (late or hits.full):
                    with suppress(subprocess.TimeoutExpired):
                        child.wait(GOING_S)
                child.kill()
            complaints.seek(0)
            said = complaints.read(COMPLAINT).decode("utf-8", "replace").strip()
        bad = not hits.ended and not late and not hits.full and not self._stopped and child.returncode > 0
        if bad and child.returncode not in (2, BAD_QUESTION):
            raise OSError(child.returncode, said or "the searcher failed")
        shown = tuple(hits.close())
        return Found(
            hits=shown,
            more=len(hits.found) > len(shown) or not (hits.ended or late or bad),
            searched=hits.searched if hits.ended else None,
            late=late,
            partly=child.returncode == 2,
            overlong=overlong,
            binary=hits.binary,
            bad=said or "it can't be read" if bad else "",
        )

    def _count(self, argv: list[str], folder: int) -> int | None:
        """How many lines it prints, None where that takes too long."""
        with self._started(argv, folder, subprocess.DEVNULL) as child:
            assert child.stdout is not None
            lines, deadline = 0, time.monotonic() + GOING_S
            while select.select([child.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
                data = os.read(child.stdout.fileno(), CHUNK)
                if not data:
                    return lines
                lines += data.count(b"\n")
            child.kill()
        return None

    def _started(self, argv: list[str], folder: int, stderr: int | IO[bytes]) -> subprocess.Popen[bytes]:
        # The folder by its descriptor: what was judged is what is searched, wherever a link points meanwhile.
        self._child = subprocess.Popen(
            argv,
            cwd=f"/proc/self/fd/{folder}",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={"PATH": PATH, "LC_ALL": "C.UTF-8"},
            start_new_session=True,
        )
        if self._stopped:
            self._child.kill()
        return self._child

    def _read(self, pipe: IO[bytes], hits: Hits) -> tuple[bool, int]:
        """Whether the time was over, and how many printed lines were too long."""
        deadline = time.monotonic() + self._patience_s
        held, overlong, skipping = b"", 0, False
        while (left := deadline - time.monotonic()) > 0:
            if not select.select([pipe], [], [], left)[0]:
                break
            data = os.read(pipe.fileno(), CHUNK)
            if not data:
                return False, overlong
            *lines, held = (held + data).split(b"\n")
            for line in lines:
                if not skipping:
                    hits.take(line)
                skipping = False
            if hits.full:
                return False, overlong
            if len(held) > LONGEST:
                overlong += not skipping
                held, skipping = b"", True
        return True, overlong


def ripgrep() -> str | None:
    return shutil.which("rg", path=PATH)


def rg(program: str, wanted: Wanted) -> list[str]:
    """As the walker does it: rules of .gitignore with or without a repository, hidden files too, no links."""
    switches = ["--json", "--sort=path", "--crlf", *(["--fixed-strings"] if wanted.fixed else [])]
    switches += ["--ignore-case"] if wanted.ignore_case else ["--case-sensitive"]
    where = f"./{wanted.only}" if wanted.only else "."
    return [program, *switches, *which(wanted), f"--regexp={wanted.pattern}", "--", where]


def files(program: str, wanted: Wanted) -> list[str]:
    """Prints the name of each file that `rg` would look into."""
    return [program, "--files", *which(wanted), "--", f"./{wanted.only}" if wanted.only else "."]


def which(wanted: Wanted) -> list[str]:
    switches = ["--no-config", "--hidden", "--no-require-git", "--no-messages"]
    switches += ["--no-ignore-dot", "--no-ignore-exclude", "--no-ignore-global"]
    return [*switches, *(f"--glob={glob}" for glob in wanted.globs)]


def walker(wanted: Wanted) -> list[str]:
    asked = {
        "pattern": wanted.pattern,
        "globs": wanted.globs,
        "fixed": wanted.fixed,
        "ignore_case": wanted.ignore_case,
        "only": wanted.only,
    }
    return [sys.executable, "-I", WALKER, json.dumps(asked)]
