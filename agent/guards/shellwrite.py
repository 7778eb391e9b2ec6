"""Shellwrite: files written through the shell, where quoting damages content: advice to use write_file or edit_file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from agent.commandline import LONGEST, simple_commands
from agent.guards._calls import UNHEARD, Calls, Done, Mark
from agent.ports import Nudge
from agent.steps import Level, Step

REST = 5  # calls between two cards
TOOLS = ("write_file", "edit_file")


@dataclass(slots=True)
class Shellwrite:
    name: str = "shellwrite"
    strict: bool = False
    deaf: ClassVar[frozenset[type[Step]]] = UNHEARD
    calls: Calls = field(default_factory=Calls, init=False, repr=False)
    _rest: int = field(default=0, repr=False)  # calls still to be silent

    def observe(self, step: Step) -> Nudge | None:
        what = self.calls.read(step)
        if isinstance(what, Done):
            return self._finished(what) if what.proposed else None
        if what is Mark.RUN:
            self._rest = 0
        return None

    def _finished(self, done: Done) -> Nudge | None:
        if self._rest:
            self._rest -= 1
            return None
        if done.tool != "shell" or not done.deed.effect or not _suspect(done.asked[1]):
            return None
        how = written(done.command)
        if not how or (self.calls.tools and not set(TOOLS) & set(self.calls.tools)):
            return None
        self._rest = REST - 1
        tool = "edit_file" if how == "sed -i" else "write_file"
        text = f"[shellwrite] Use {tool} rather than {how} for files: it writes every byte as given, no quoting needed."
        return Nudge(Level.NOTE, text, event="nudge.shellwrite")


def _suspect(text: str) -> bool:
    """Whether there is anything to look at, asked of the raw arguments, since nearly all commands have nothing."""
    if ">" in text and ("echo" in text or "printf" in text or "<<" in text):
        return True
    return "tee " in text or ("-i" in text and "sed" in text)


def written(command: str) -> str:
    """How a command line writes content of its own into a file; "" if it doesn't. Saved output is something else."""
    text = command[:LONGEST]
    said = False  # the program before gave content of the command line's own
    for simple in simple_commands(command):
        own = simple.stem in ("echo", "printf") or (simple.stem == "cat" and "<<" in text)
        if simple.stem == "sed" and any(word.startswith("-i") for word in simple.words):
            return "sed -i"
        if own and any(_is_file(path) for path in simple.writes):
            return "a heredoc" if simple.stem == "cat" else simple.stem
        if simple.stem == "tee" and (said or "<<" in text) and any(_is_file(path) for path in simple.operands):
            return "tee"
        said = own or (said and simple.piped)
    return ""


def _is_file(path: str) -> bool:
    return not path.startswith("/dev/") and not path.startswith("/tmp/")


guard = Shellwrite
