"""What of the store is still needed by a run whose undo isn't forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from agent.undo.history import Trees
from agent.undo.manifest import Based, Kept, Line, Noticed, read, run_of
from agent.undo.states import File, State


def goes_on(path: Path, running: frozenset[str]) -> bool:
    """Whether the manifest's run, or any of its session, is among the running ones."""
    run = run_of(path)
    return run in running or run.rpartition(":")[0] in running


def needed(manifests: Iterable[Path], trees: Trees) -> tuple[set[str], set[str]]:
    """Hashes of contents, and names of trees. Raises OSError."""
    contents: set[str] = set()
    names: set[str] = set()
    for path in manifests:
        for line in read(path):
            contents.update(state.sha256 for state in _states(line) if isinstance(state, File))
            if isinstance(line, Based):
                names.add(line.tree)
    for name in names:
        tree = trees(name)
        contents.update(state.sha256 for state in (tree.states.values() if tree else ()) if isinstance(state, File))
    return contents, names


def _states(line: Line) -> Iterator[State]:
    match line:
        case Kept(states):
            yield from (state for _, state in states)
        case Noticed(noticed):
            yield from (state for _, _, state in noticed)
