"""Which files have to be compared after some have changed: those, and whoever takes names of them, also through star
exports. Found by the names of modules in the text, so that most files of a large tree are never parsed."""

from __future__ import annotations

from collections.abc import Collection

from agent.drift.find import Offers
from agent.drift.paths import folder_of, is_source, joined, stem_of
from agent.drift.resolve import is_relative
from agent.probes._sources import Sources


def affected(tree: Sources, offers: Offers, changed: Collection[str]) -> tuple[list[str], set[str]]:
    """(files to compare, files whose names count): what was deleted is among the latter."""
    touched = set(filter(is_source, changed))
    takers: dict[str, set[str]] = {path: set() for path in tree.paths}
    waiting = set(touched)
    while waiting:
        passing: set[str] = set()
        stems = {stem for path in waiting for stem in _last_names(path)}
        for path in takers:
            parsed = tree.parsed(path)
            if parsed is None:
                continue
            may_mean = _python_may_mean if path.endswith(".py") else _may_mean
            named = [module for module in parsed.modules if may_mean(module, stems)]
            if any(_meets(offers, path, module, waiting) for module in named):
                takers[path] |= waiting
                if parsed.passes_on and path not in touched:
                    passing.add(path)
        touched |= passing
        waiting = passing
    return [path for path, of in takers.items() if of or path in touched], touched


def _last_names(path: str) -> tuple[str, str]:
    """By which last part of a module's name a file can be meant: its own, or its folder's."""
    folder, _, name = path.rpartition("/")
    return name.partition(".")[0], folder.rpartition("/")[2]


def _python_may_mean(module: str, stems: set[str]) -> bool:
    """A module is its file's name, or its folder's where the file is one of a package."""
    last = module.rpartition(".")[2]
    return not last or last in stems


def _may_mean(module: str, stems: set[str]) -> bool:
    if not is_relative(module):
        return True  # an alias may lead anywhere
    last = module.rpartition("/")[2]
    return last.partition(".")[0] in stems or last in ("", ".", "..")


def _meets(offers: Offers, path: str, module: str, files: set[str]) -> bool:
    targets = offers.resolve(path, module)
    if targets:
        return not files.isdisjoint(targets)
    base = joined(folder_of(path), module) if is_relative(module) else None
    return base is not None and stem_of(base) in map(stem_of, files)
