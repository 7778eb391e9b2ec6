"""Arithmetic of paths that are relative to the workspace. Pure."""

from __future__ import annotations

from posixpath import dirname, join, normpath

CODE = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".d.mts", ".d.cts", ".js", ".jsx", ".mjs", ".cjs")


def is_source(path: str) -> bool:
    """Whether it is written in a language whose names are compared."""
    return path.endswith((*CODE, ".py"))


def folder_of(path: str) -> str:
    return dirname(path)


def stem_of(path: str) -> str:
    """The path without its endings: what a module's name says of a file; of an index file it is the folder."""
    folder, slash, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder if stem == "index" else f"{folder}{slash}{stem}"


def joined(folder: str, name: str) -> str | None:
    """The path of `name` as seen from `folder`; None outside of the workspace."""
    path = normpath(join(folder, name))
    if path == ".." or path.startswith(("../", "/")):
        return None
    return "" if path == "." else path


def upwards(folder: str) -> tuple[str, ...]:
    """The folder and its parents up to the workspace, the nearest first."""
    found = [folder]
    while folder:
        folder = dirname(folder)
        found.append(folder)
    return tuple(found)
