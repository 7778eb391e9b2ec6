"""What a manifest says, line by line: what stood where before the run, and what the run left. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from agent.undo.manifest import Based, Begun, Blinded, Damaged, Entered, Kept, Left, Line, Noticed
from agent.undo.states import ABSENT, Sig, State, Unkept, Why
from agent.undo.tree import Tree

Trees = Callable[[str], Tree | None]  # by name; None: it is gone or damaged


@dataclass(slots=True)
class History:
    """A fold: `take` each line in order."""

    trees: Trees
    begun: Begun | None = None
    before: dict[str, State] = field(default_factory=dict)
    based: dict[str, Tree | None] = field(default_factory=dict)  # by workspace
    expected: dict[str, Sig | None] = field(default_factory=dict)  # as last known
    pending: set[str] = field(default_factory=set)  # about to be changed by a file tool, and not told since
    touched: dict[str, None] = field(default_factory=dict)  # in the order of the first touch
    foreign: set[str] = field(default_factory=set)  # changed by somebody else after the run had touched it
    shared: set[str] = field(default_factory=set)
    unlisted: set[str] = field(default_factory=set)
    blind: set[str] = field(default_factory=set)
    open: str = ""  # the workspace of a command that has begun and not ended
    damaged: bool = False

    def take(self, line: Line) -> None:
        match line:
            case Begun():
                self.begun = line
            case Kept(states):
                self._keep(states)
            case Based(workspace, name):
                self._base(workspace, self.trees(name))
            case Noticed(states):
                self._notice(states)
            case Entered(workspace):
                self.open = workspace
            case Left():
                self._leave(line)
            case Blinded(workspace):
                self.blind.add(workspace)
            case Damaged():
                self.damaged = True

    def was(self, path: str) -> State:
        """What stood at the path before the run touched it."""
        if path in self.before:
            return self.before[path]
        for workspace, tree in self.based.items():
            if tree is not None and within(path, workspace):
                if path in tree.states:
                    return tree.states[path]
                if tree.listing.lacks(path):
                    return ABSENT
        return Unkept(0, Why.UNKNOWN)

    def known(self, workspace: str) -> dict[str, Sig]:
        """All that is known to be in the workspace now."""
        below = workspace.rstrip("/") + "/"
        return {
            path: sig
            for path, sig in self.expected.items()
            if sig is not None and (path.startswith(below) or path == workspace)
        }

    def _keep(self, states: tuple[tuple[str, State], ...]) -> None:
        for path, state in states:
            if path not in self.touched:
                self.before[path] = state
                self.touched[path] = None
            self.pending.add(path)
            self.expected.pop(path, None)

    def _base(self, workspace: str, tree: Tree | None) -> None:
        self.based[workspace] = tree
        if tree is None:
            self.damaged = True
            return
        self.expected.update(tree.listing.found)
        self.unlisted |= tree.listing.unlisted

    def _notice(self, states: tuple[tuple[str, Sig | None, State], ...]) -> None:
        for path, sig, state in states:
            self.expected[path] = sig
            if path in self.touched:
                self.foreign.add(path)
            else:
                self.before[path] = state

    def _leave(self, line: Left) -> None:
        if line.workspace:
            self.open = ""
        self.unlisted.update(line.unlisted)
        for path, sig in line.states:
            self.expected[path] = sig
            self.touched[path] = None
            self.pending.discard(path)
            if line.shared:
                self.shared.add(path)


def within(path: str, root: str) -> bool:
    """Whether `path` is the folder `root` or below it."""
    return path == root or path.startswith(root.rstrip("/") + "/")
