"""What a source file gives to others and takes from them, whatever its language."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from typing import Protocol


class Style(Enum):
    """How a file gives its names away."""

    MODULE = "import and export"
    COMMON = "require and module.exports"
    DECLARED = "a declaration file"
    PYTHON = "python"


class Take(Enum):
    """How a name is taken."""

    NAMED = "by name"
    NAMESPACE = "as a member of a namespace"
    FILE = "nothing by name: the file itself has to be there"


@dataclass(frozen=True, slots=True)
class Use:
    """`symbol` of `module`, as written, taken on `line` (from 1)."""

    line: int
    module: str
    symbol: str = ""
    take: Take = Take.NAMED


@dataclass(frozen=True, slots=True)
class Source:
    """`gives` are the names to be had by name, `passes` those that a star import gets, None where that is unknown;
    `stars` are modules whose names are passed on too. `open`: it may give more than can be told."""

    style: Style = Style.MODULE
    uses: tuple[Use, ...] = ()
    gives: frozenset[str] = frozenset()
    passes: frozenset[str] | None = frozenset()
    stars: tuple[str, ...] = ()
    open: bool = False
    augments: tuple[str, ...] = ()  # modules that it adds names to


UNKNOWN = Source(open=True, passes=None)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """On `line` of `file` `symbol` is taken from `module`, which stands in `target` and gives `gives` instead. Without
    a symbol there is no such file. Paths are relative to the workspace."""

    file: str
    line: int
    symbol: str
    module: str
    target: str = ""
    gives: tuple[str, ...] = ()


class Tree(Protocol):
    """The files of a workspace; paths are relative to it, with slashes, "" is its own folder."""

    def has(self, path: str) -> bool:
        """Whether a file stands there that isn't ignored."""

    def names(self, folder: str) -> Collection[str]:
        """The names of files and folders in it."""

    def text(self, path: str) -> str | None:
        """A small file's text, None where it can't be read; ignored ones may be read too."""

    def source(self, path: str) -> Source:
        """What a file gives and takes; UNKNOWN where it can't be told."""

    def absent(self, path: str) -> bool:
        """Whether it is sure that no file of this name, with whatever ending, is there or is going to be generated."""
