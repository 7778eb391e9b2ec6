"""Aliases of modules, as tsconfig.json and jsconfig.json declare them: extends, baseUrl, paths, references.

By the TypeScript handbook, "Modules - Reference", section paths: the pattern with the longest prefix counts; targets
are relative to baseUrl, else to the file that declares them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agent.drift.paths import folder_of, joined, upwards
from agent.drift.shape import Tree

NAMES = ("tsconfig.json", "jsconfig.json")
DEPTH = 8  # of extends and references

_TOKENS = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|,(?=\s*(?:(?://[^\n]*|/\*.*?\*/)\s*)*[}\]])', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Config:
    """`paths` are (pattern, targets), the targets relative to the workspace; `base` is baseUrl, None for none."""

    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()
    base: str | None = None
    rooted: bool = False  # rootDirs: relative imports may lead elsewhere


@dataclass(slots=True)
class Aliases:
    """`extra` are the settings' own, relative to the workspace; they come first."""

    tree: Tree
    extra: Mapping[str, Any] = field(default_factory=dict)
    _of_folder: dict[str, Config] = field(default_factory=dict, repr=False)

    def bases(self, folder: str, module: str) -> list[str]:
        """Where a module that isn't relative may stand, as seen from a file in `folder`; the first that is there
        counts."""
        config = self.config(folder)
        own = [(pattern, _targets("", given)) for pattern, given in self.extra.items()]
        found = _matched(own, module, whole=False) or _matched(config.paths, module)
        if not found and config.base is not None:
            found = [path for path in [joined(config.base, module)] if path]
        return found

    def config(self, folder: str) -> Config:
        """The nearest configuration above a file in `folder`."""
        if folder not in self._of_folder:
            self._of_folder[folder] = self._nearest(folder)
        return self._of_folder[folder]

    def _nearest(self, folder: str) -> Config:
        names = self.tree.names(folder)
        for name in NAMES:
            if name in names:
                return self._read(joined(folder, name), DEPTH)
        return self.config(folder_of(folder)) if folder else Config()

    def _read(self, path: str | None, depth: int) -> Config:
        given = _parsed(self.tree.text(path)) if path is not None and depth else None
        if path is None or given is None:
            return Config()
        folder = folder_of(path)
        merged = Config()
        for parent in _listed(given.get("extends")):
            inherited = self._read(self._named(folder, parent), depth - 1)
            merged = Config(
                inherited.paths or merged.paths,
                merged.base if inherited.base is None else inherited.base,
                inherited.rooted or merged.rooted,
            )
        config = _own(given.get("compilerOptions"), folder, merged)
        return config if config.paths else self._referenced(given, folder, config, depth)

    def _referenced(self, given: dict[str, Any], folder: str, config: Config, depth: int) -> Config:
        """A solution's own file declares nothing; its projects do."""
        references = given.get("references")
        entries = references if isinstance(references, list) else []
        names = [each.get("path") for each in entries if isinstance(each, dict)]
        projects = [self._read(self._named(folder, name), depth - 1) for name in _listed(names)]
        paths = tuple(pair for project in projects for pair in project.paths)
        bases = [project.base for project in projects if project.base is not None]
        base = bases[0] if config.base is None and bases else config.base
        return Config(paths, base, config.rooted or any(project.rooted for project in projects))

    def _named(self, folder: str, name: str) -> str | None:
        """The file that an extends or a reference means."""
        if not name.startswith("."):
            places = [joined(above, f"node_modules/{name}") for above in upwards(folder)]
        else:
            places = [joined(folder, name)]
        options = [f"{place}{end}" for place in places if place is not None for end in ("", ".json", "/tsconfig.json")]
        return next((path.lstrip("/") for path in options if self.tree.text(path.lstrip("/")) is not None), None)


def _own(options: Any, folder: str, inherited: Config) -> Config:
    if not isinstance(options, dict):
        return inherited
    base, paths = options.get("baseUrl"), options.get("paths")
    root = joined(folder, base) if isinstance(base, str) else inherited.base
    pairs = inherited.paths
    if isinstance(paths, dict):
        start = folder if root is None else root
        pairs = tuple((pattern, _targets(start, targets)) for pattern, targets in paths.items())
    return Config(pairs, root, inherited.rooted or bool(options.get("rootDirs")))


def _targets(folder: str, given: Any) -> tuple[str, ...]:
    found = (joined(folder, target) for target in _listed(given))
    return tuple(path for path in found if path is not None)


def _matched(pairs: Iterable[tuple[str, tuple[str, ...]]], module: str, whole: bool = True) -> list[str]:
    """The targets of the pattern that fits best. Not `whole`: one without a star also stands for what is in it."""
    best: tuple[int, list[str]] = (-1, [])
    for pattern, targets in pairs:
        if "*" not in pattern and not whole and module.startswith(f"{pattern}/"):
            rest = module[len(pattern) :]
            best = max(best, (len(pattern), [f"{target}{rest}".lstrip("/") for target in targets]))
        elif pattern == module:
            return list(targets)
        elif pattern.count("*") == 1:
            before, after = pattern.split("*")
            fits = len(module) >= len(before) + len(after) and module.startswith(before) and module.endswith(after)
            if fits:
                middle = module[len(before) : len(module) - len(after)]
                best = max(best, (len(before), [target.replace("*", middle, 1) for target in targets]))
    return best[1]


def _parsed(text: str | None) -> dict[str, Any] | None:
    """JSON with comments and trailing commas, as these files are written."""
    if text is None:
        return None
    try:
        found = json.loads(_TOKENS.sub(lambda match: match[0] if match[0][0] == '"' else "", text.lstrip("\ufeff")))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _listed(given: Any) -> list[str]:
    return [each for each in (given if isinstance(given, list) else [given]) if isinstance(each, str)]
