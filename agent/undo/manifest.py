"""The journal of one run's undo: JSON lines, each written before the change that it is about, and read by a fold."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from agent.undo.blobs import sync_folder
from agent.undo.states import Sig, State, decoded, encoded, sig_decoded

ENDING = ".jsonl"
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Begun:
    """The first line. `at` is wall time; `undoes` is the run that this one undid, if it did."""

    run: str
    at: float
    undoes: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """The run is about to change these paths, each as it stands now."""

    states: tuple[tuple[str, State], ...]


@dataclass(frozen=True, slots=True)
class Based:
    """Everything in a workspace, before the run's first command there; the states are in the tree of this name."""

    workspace: str
    tree: str


@dataclass(frozen=True, slots=True)
class Noticed:
    """Somebody else changed these paths while no command of the run was at work."""

    states: tuple[tuple[str, Sig | None, State], ...]


@dataclass(frozen=True, slots=True)
class Entered:
    """A command of the run begins."""

    workspace: str


@dataclass(frozen=True, slots=True)
class Left:
    """What the run changed, as it left it; None is nothing there. `workspace` is "" for a file tool; `unlisted` are
    folders beyond the bounds; `shared`: another session's command was at work too."""

    states: tuple[tuple[str, Sig | None], ...]
    workspace: str = ""
    unlisted: tuple[str, ...] = ()
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Blinded:
    """A command ran without a baseline."""

    workspace: str


@dataclass(frozen=True, slots=True)
class Damaged:
    """A line that can't be read."""


Line = Begun | Kept | Based | Noticed | Entered | Left | Blinded | Damaged


def written(line: Line) -> str:
    """A line as JSON text; `read_line` is its inverse."""
    return json.dumps(_values(line), separators=(",", ":"))


def _values(line: Line) -> list[Any]:
    match line:
        case Begun(run, at, undoes):
            return ["begun", run, at, undoes]
        case Kept(states):
            return ["kept", [[path, encoded(state)] for path, state in states]]
        case Based(workspace, tree):
            return ["based", workspace, tree]
        case Noticed(noticed):
            return ["noticed", [[path, sig, encoded(state)] for path, sig, state in noticed]]
        case Entered(workspace):
            return ["entered", workspace]
        case Left(left, workspace, unlisted, shared):
            return ["left", left, workspace, unlisted, shared]
        case Blinded(workspace):
            return ["blinded", workspace]
        case Damaged():
            return ["damaged"]


def read_line(text: str) -> Line:
    """Damaged for anything that no release has written."""
    try:
        return _line(json.loads(text))
    except (ValueError, TypeError):
        return Damaged()


def _line(values: Any) -> Line:
    match values:
        case ["begun", str(run), float(at), str(undoes)]:
            return Begun(run, at, undoes)
        case ["kept", list(states)]:
            return Kept(tuple((path, decoded(state)) for path, state in states))
        case ["based", str(workspace), str(tree)]:
            return Based(workspace, tree)
        case ["noticed", list(states)]:
            return Noticed(tuple((path, sig_decoded(sig), decoded(state)) for path, sig, state in states))
        case ["entered", str(workspace)]:
            return Entered(workspace)
        case ["left", list(states), str(workspace), list(unlisted), bool(shared)]:
            return Left(tuple((path, sig_decoded(sig)) for path, sig in states), workspace, tuple(unlisted), shared)
        case ["blinded", str(workspace)]:
            return Blinded(workspace)
    return Damaged()


class Manifest:
    """The file of one run. Used by one thread at a time."""

    def __init__(self, folder: Path, run: str) -> None:
        self.path = folder / (quote(run, safe="") + ENDING)

    def load(self) -> list[Line]:
        """All lines; a torn one at the end is cut off: its change has not happened. Raises OSError."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return []
        *lines, torn = data.split(b"\n")
        if torn:
            os.truncate(self.path, len(data) - len(torn))
        return [read_line(line.decode("ascii", "replace")) for line in lines]

    def append(self, *lines: Line, sync: bool) -> None:
        """`sync`: they survive a power cut. Raises OSError; then nothing of the lines is there."""
        data = "".join(written(line) + "\n" for line in lines).encode("ascii")
        fresh = not self.path.exists()
        with os.fdopen(os.open(self.path, _APPEND, 0o600), "ab", buffering=0) as file:
            end = os.fstat(file.fileno()).st_size
            try:
                view = memoryview(data)
                while view:
                    view = view[file.write(view) :]
                if sync:
                    os.fdatasync(file.fileno())
            except OSError:
                os.ftruncate(file.fileno(), end)
                raise
        if fresh and sync:
            sync_folder(self.path.parent)


def run_of(path: Path) -> str:
    """The run whose manifest this is."""
    return unquote(path.name.removesuffix(ENDING))


def read(path: Path) -> list[Line]:
    """All whole lines of a manifest, without changing it. Raises OSError."""
    lines = path.read_bytes().split(b"\n")
    return [read_line(line.decode("ascii", "replace")) for line in lines[:-1]]
