"""Which file a module's name leads to, as seen from the file that names it. Pure; no answer where it isn't sure."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

from agent.drift.paths import CODE, folder_of, joined, upwards
from agent.drift.shape import Tree
from agent.drift.tsconfig import Aliases

# A file is imported by the name that its compiled form will have (TypeScript handbook, "File extension substitution").
_WRITTEN = {".js": (".ts", ".tsx", ".d.ts", ".jsx"), ".jsx": (".tsx", ".d.ts"), ".mjs": (".mts", ".d.mts"),
            ".cjs": (".cts", ".d.cts")}  # fmt: skip
_QUERIED = re.compile(r"[?!\\]|.#")  # for a bundler: a query, a loader, a fragment
_ENDING = re.compile(r"\.[A-Za-z][\w-]*$")


def is_relative(module: str) -> bool:
    return module in (".", "..") or module.startswith(("./", "../"))


@dataclass(slots=True)
class ScriptPaths:
    """Modules of JavaScript and TypeScript."""

    tree: Tree
    aliases: Aliases

    def resolve(self, importer: str, module: str) -> tuple[str, ...]:
        """The files that may be meant, each of which is there; empty where it is unknown."""
        if _QUERIED.search(module) or module.startswith("/"):
            return ()
        folder = folder_of(importer)
        if is_relative(module):
            base = joined(folder, module)
            return () if base is None else self._at(base)
        return next(filter(None, map(self._at, self.aliases.bases(folder, module))), ())

    def _at(self, base: str) -> tuple[str, ...]:
        if self.tree.has(base):
            return tuple(path for path in (base, *self._written(base)) if path.endswith(CODE))
        found = self._written(base) or [base + end for end in CODE if base and self.tree.has(base + end)]
        if found or self.tree.has(f"{base}/package.json".lstrip("/")):
            return tuple(found)
        inside = [f"{base}/index{end}".lstrip("/") for end in CODE]
        return tuple(path for path in inside if self.tree.has(path))

    def _written(self, base: str) -> list[str]:
        for end, others in _WRITTEN.items():
            if base.endswith(end):
                return [base[: -len(end)] + other for other in others if self.tree.has(base[: -len(end)] + other)]
        return []

    def missing(self, importer: str, module: str) -> str | None:
        """Where a file should stand that is surely not there; None where that can't be told."""
        if not is_relative(module) or _QUERIED.search(module) or module.endswith("/") or module in (".", ".."):
            return None
        if self.aliases.config(folder_of(importer)).rooted or importer.endswith((".d.ts", ".d.mts", ".d.cts")):
            return None
        base = joined(folder_of(importer), module)
        if not base or base.endswith("/.") or self.resolve(importer, module):
            return None
        ending = _ENDING.search(base)
        if ending and ending[0] not in CODE:
            return None  # a style, a picture: whoever builds it may make it
        stem = base[: -len(ending[0])] if ending else base
        return stem if self.tree.absent(stem) else None


@dataclass(slots=True)
class PythonPaths:
    """Modules of Python, those of the standard library and of what is installed left out."""

    tree: Tree

    def resolve(self, importer: str, module: str) -> tuple[str, ...]:
        """As of ScriptPaths; modules are looked for in the workspace, its src, and where the file's package lies."""
        name = module.lstrip(".")
        parts, level = name.replace(".", "/"), len(module) - len(name)
        if level:
            above = upwards(folder_of(importer))
            return self._at(above[level - 1], parts) if level <= len(above) else ()
        if name.partition(".")[0] in sys.stdlib_module_names:
            return ()
        return tuple(dict.fromkeys(path for root in self._roots(importer) for path in self._at(root, parts)))

    def _roots(self, importer: str) -> tuple[str, ...]:
        outside = (folder for folder in upwards(folder_of(importer)) if "__init__.py" not in self.tree.names(folder))
        return tuple(dict.fromkeys(("", "src", next(outside, ""))))

    def _at(self, root: str, parts: str) -> tuple[str, ...]:
        base = f"{root}/{parts}".strip("/")
        options = (f"{base}.py" if parts else "", f"{base}/__init__.py".lstrip("/"))
        found = tuple(path for path in options if path and self.tree.has(path))
        compiled = parts and any(f"{base}{end}" for end in (".pyi", ".pyx", ".so", ".pyd") if self.tree.has(base + end))
        return () if compiled else found
