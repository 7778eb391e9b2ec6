"""Finds the names that are taken and not given, among the files that a change can have touched."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from agent.drift.paths import folder_of, stem_of
from agent.drift.resolve import PythonPaths, ScriptPaths
from agent.drift.shape import Mismatch, Source, Style, Take, Tree, Use

GIVEN = 12  # real names that a mismatch lists

_OF_EACH_OBJECT = frozenset({"constructor", "hasOwnProperty", "toString", "valueOf", "then", "__esModule", "prototype"})


@dataclass(slots=True)
class Offers:
    """The names that files give, their star exports followed."""

    tree: Tree
    scripts: ScriptPaths
    python: PythonPaths
    augmented: set[str] = field(default_factory=set)  # files that others add names to
    _resolved: dict[tuple[str, bool, str], tuple[str, ...]] = field(default_factory=dict, repr=False)
    _known: dict[tuple[str, bool], tuple[frozenset[str], bool]] = field(default_factory=dict, repr=False)

    def resolve(self, importer: str, module: str) -> tuple[str, ...]:
        """The files that a module's name may mean; the same for all files of a folder."""
        key = (folder_of(importer), importer.endswith(".py"), module)
        if key not in self._resolved:
            paths = self.python if key[1] else self.scripts
            self._resolved[key] = paths.resolve(importer, module)
        return self._resolved[key]

    def of(self, path: str, starred: bool = False) -> tuple[frozenset[str], bool]:
        """The names of a file, or those that a star gets of it, and whether these are all."""
        return self._of(path, starred, frozenset())

    def _of(self, path: str, starred: bool, through: frozenset[str]) -> tuple[frozenset[str], bool]:
        if path in through:  # a circle gives what its members give
            return frozenset(), True
        if (known := self._known.get((path, starred))) is not None:
            return known
        source = self.tree.source(path)
        own = source.passes if starred else source.gives
        names, whole = set(own or ()), own is not None and not source.open and path not in self.augmented
        if source.style is Style.PYTHON and not starred and path.endswith("__init__.py"):
            names |= {name.partition(".")[0] for name in self.tree.names(path.rpartition("/")[0])}
        for module in source.stars:
            more, all_of_it = self._star(path, module, through | {path})
            names |= more
            whole = whole and all_of_it
        found = frozenset(names), whole
        if not through:  # within a circle it isn't the whole answer yet
            self._known[path, starred] = found
        return found

    def _star(self, path: str, module: str, through: frozenset[str]) -> tuple[frozenset[str], bool]:
        targets = self.resolve(path, module)
        parts = [self._of(target, True, through) for target in targets]
        return frozenset().union(*(names for names, _ in parts)), bool(parts) and all(whole for _, whole in parts)


def mismatches(offers: Offers, files: Collection[str], touched: Collection[str] | None = None) -> Iterator[Mismatch]:
    """Of `files`, in order, each name that is taken from a file that surely doesn't give it. With `touched` only what
    comes from those files, or stands in them."""
    for path in files:
        for module in offers.tree.source(path).augments:
            offers.augmented |= set(offers.resolve(path, module))
    gone = frozenset(map(stem_of, touched or ()))
    for path in files:
        source = offers.tree.source(path)
        inside = touched is None or path in touched
        for use in source.uses:
            if (found := _held(offers, path, source, use)) is not None and (
                inside or _of(offers, found, touched, gone)
            ):
                yield found


def _of(offers: Offers, found: Mismatch, touched: Collection[str] | None, gone: frozenset[str]) -> bool:
    """Whether the name would come from a touched file, or the file that is missing was one."""
    if found.symbol:
        return not frozenset(touched or ()).isdisjoint(offers.resolve(found.file, found.module))
    missing = offers.scripts.missing(found.file, found.module)
    return missing is not None and stem_of(missing) in gone


def _held(offers: Offers, path: str, source: Source, use: Use) -> Mismatch | None:
    if use.take is Take.FILE:
        missing = offers.scripts.missing(path, use.module)
        return Mismatch(path, use.line, "", use.module) if missing else None
    targets = offers.resolve(path, use.module)
    if not targets or path in targets or use.symbol in _OF_EACH_OBJECT:
        return None
    given: set[str] = set()
    for target in targets:
        style = offers.tree.source(target).style
        if not _tells(style, source.style, use):
            return None
        names, whole = offers.of(target)
        if not whole or use.symbol in names:
            return None
        given |= names
    real = sorted(name for name in given if not name.startswith("__"))[:GIVEN]
    return Mismatch(path, use.line, use.symbol, use.module, targets[0], tuple(real))


def _tells(given: Style, taking: Style, use: Use) -> bool:
    """Whether the lack of a name says anything: what a bundler or compiler makes up of a default isn't known."""
    if given is Style.PYTHON:
        return True
    if use.take is Take.NAMESPACE:
        return given is Style.MODULE
    if use.symbol == "default":
        return given is Style.MODULE and taking is Style.MODULE
    return True
