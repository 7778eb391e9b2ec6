"""Recorded runs of other projects, read as they stand in their files: one JSON object a line, gzip or plain.

The reader streams and is forgiving: a line that isn't a run is counted and left out, a file that breaks off gives what
came before.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from agent.errors import ConfigError

GZIP = b"\x1f\x8b"
LABELS = {"success": True, "failure": False}


@dataclass(frozen=True, slots=True)
class Recorded:
    """One call as it was recorded. `args` and `output` may be cut; the hashes are of the whole texts."""

    tool: str
    args: str
    ok: bool
    reported: bool  # `ok` comes from the run itself; False: somebody derived it from the text
    exit_code: int | None
    output: str
    args_sha: str
    out_sha: str
    out_len: int


@dataclass(frozen=True, slots=True)
class Run:
    """One recorded run. `success` is None where its outcome isn't known; `source` names the format it came from."""

    id: str
    source: str
    task: str
    success: bool | None
    calls: tuple[Recorded, ...]


def source_of(path: Path) -> str:
    """The name under which a file's figures stand: up to its first dot."""
    return path.name.split(".", 1)[0]


def read(path: Path, complain: Callable[[str], None]) -> Iterator[Run]:
    """The runs of a file, in order; `complain` is told, in sentences, what was left out.

    Raises ConfigError for a file that can't be opened or holds no run at all.
    """
    found, bad = 0, 0
    try:
        with _opened(path) as lines:
            for line in lines:
                run = _run(line)
                if run is not None:
                    found += 1
                    yield run
                elif line.strip():
                    bad += 1
    except (EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError) as error:
        complain(f"{path.name} breaks off after {found} runs ({error}); the rest is left out.")
    except OSError as error:
        raise ConfigError(
            f"{path} can't be read ({error.strerror or error}). Give recorded runs as JSON lines."
        ) from error
    if not found:
        raise ConfigError(
            f"{path.name} holds no recorded run. Give JSON lines with id, outcome and calls, gzip or plain."
        )
    if bad:
        lines_are = "1 line is no run and is" if bad == 1 else f"{bad} lines are no runs and are"
        complain(f"{path.name}: {lines_are} left out.")


def _opened(path: Path) -> TextIO:
    with path.open("rb") as raw:
        packed = raw.read(2) == GZIP
    return gzip.open(path, "rt", encoding="utf-8") if packed else path.open("r", encoding="utf-8")


def _run(line: str) -> Run | None:
    try:
        row = json.loads(line)
        calls = tuple(_call(each) for each in row["calls"])
        return Run(
            id=str(row["id"]),
            source=str(row.get("source", "")),
            task=str(row.get("task") or ""),
            success=LABELS.get(row.get("outcome")),
            calls=calls,
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _call(row: Any) -> Recorded:
    output = str(row.get("output") or "")
    args = row.get("args", "")
    text = args if isinstance(args, str) else json.dumps(args, sort_keys=True)
    code = row.get("exit_code")
    return Recorded(
        tool=str(row["tool"]),
        args=text,
        ok=bool(row.get("ok", True)),
        reported=row.get("ok_from") == "reported",
        exit_code=code if isinstance(code, int) and not isinstance(code, bool) else None,
        output=output,
        args_sha=str(row.get("args_sha", "")),
        out_sha=str(row.get("out_sha", "")),
        out_len=int(row.get("out_len", len(output))),
    )
