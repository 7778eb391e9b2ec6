"""A project's own test command, read from the files that declare it. Bounded: a few small files in a few folders."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

FOLDERS = 24
ENTRIES = 2_000  # of a folder
LARGEST = 1 << 20  # bytes read of a file

_MAKE_TEST = re.compile(r"^test[ \t]*:(?!=)", re.MULTILINE)
_PYTEST = re.compile(r"^\[(?:tool\.pytest|pytest|tool:pytest)", re.MULTILINE)
_NODE_LOCKS = {"pnpm-lock.yaml": "pnpm test", "yarn.lock": "yarn test", "bun.lockb": "bun test"}
_PLACEHOLDER = "no test specified"  # what `npm init` writes


def folders(workspace: str, starts: Iterable[str]) -> list[str]:
    """The folders of `starts` and their parents up to the workspace, the nearest first; none outside of it."""
    root = os.path.realpath(workspace)
    found: dict[str, None] = {}
    for start in starts:
        at = Path(os.path.realpath(start))
        chain = [at, *at.parents]
        inside = [str(folder) for folder in chain if folder.is_relative_to(root)]
        found |= dict.fromkeys(inside)
    return [folder for folder in islice(found, FOLDERS) if Path(folder).is_dir()]


def find(workspace: str, starts: Iterable[str]) -> tuple[str, str] | None:
    """(test command, folder to run it in) of the nearest project; None if none declares any. Blocking, short."""
    for folder in folders(workspace, starts):
        if command := _declared(folder):
            return command, folder
    return None


def _declared(folder: str) -> str:
    try:
        with os.scandir(folder) as entries:
            names = frozenset(entry.name for entry in islice(entries, ENTRIES))
    except OSError:
        return ""
    return _python(folder, names) or _node(folder, names) or _others(folder, names)


def _python(folder: str, names: frozenset[str]) -> str:
    configured = "pytest.ini" in names or any(
        name in names and _PYTEST.search(_text(folder, name)) for name in ("pyproject.toml", "setup.cfg", "tox.ini")
    )
    has_project = not names.isdisjoint(("pyproject.toml", "setup.py", "setup.cfg"))
    loose = any(name.startswith("test_") and name.endswith(".py") for name in names)
    if not (configured or loose or (has_project and _has_python_tests(folder, names))):
        return ""
    python = next((path for path in (".venv/bin/python", "venv/bin/python") if Path(folder, path).exists()), "python3")
    return f"{python} -m pytest -q"


def _has_python_tests(folder: str, names: frozenset[str]) -> bool:
    for name in ("tests", "test"):
        if name in names:
            try:
                with os.scandir(Path(folder, name)) as entries:
                    return any(entry.name.endswith(".py") for entry in islice(entries, ENTRIES))
            except OSError:
                continue
    return False


def _node(folder: str, names: frozenset[str]) -> str:
    if "package.json" not in names:
        return ""
    try:
        script = json.loads(_text(folder, "package.json"))["scripts"]["test"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    if not isinstance(script, str) or not script.strip() or _PLACEHOLDER in script:
        return ""
    return next((command for lock, command in _NODE_LOCKS.items() if lock in names), "npm test")


def _others(folder: str, names: frozenset[str]) -> str:
    makefile = next((name for name in ("Makefile", "makefile", "GNUmakefile") if name in names), "")
    if makefile and _MAKE_TEST.search(_text(folder, makefile)):
        return "make test"
    if "Cargo.toml" in names:
        return "cargo test"
    return "go test ./..." if "go.mod" in names else ""


def _text(folder: str, name: str) -> str:
    """Of a regular file only: a pipe would be waited for."""
    path = Path(folder, name)
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""
