"""From the bytes of a tools file to tools: the shapes that files have or had, and each entry judged by itself. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.recipe import Recipe, judged
from agent.toolschema import Unfit
from agent.workshop.files import Unreadable

VERSION = 1
MOST = 64  # tools in the file: a request holds 128, and there are others
NOTED = 300  # characters of a reason


@dataclass(frozen=True, slots=True)
class Bad:
    """An entry that is no tool. `digest` tells it from any other, `entry` is its JSON text."""

    digest: str
    name: str
    reason: str
    entry: str


@dataclass(frozen=True, slots=True)
class Shelf:
    recipes: tuple[Recipe, ...] = ()
    bad: tuple[Bad, ...] = ()


def entries_of(data: bytes) -> list[Any]:
    """The entries of a file of this release or an older one, or written by hand: {"tools": [...]}, a bare list, or
    entries by name. Raises Unreadable for what is none of them."""
    try:
        whole = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Unreadable("it is no UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"it is no JSON ({str(error)[:80]})") from None
    if isinstance(whole, dict) and "tools" in whole:
        whole = whole["tools"]
    match whole:
        case list():
            return whole
        case dict():
            return [{"name": name, **each} if isinstance(each, dict) else {name: each} for name, each in whole.items()]
        case _:
            raise Unreadable('it holds no list of tools: {"tools": [...]}')


def shelved(entries: Sequence[Any], taken: frozenset[str]) -> Shelf:
    """Judge each entry; `taken` are the names of built-in tools."""
    recipes: dict[str, Recipe] = {}
    bad: list[Bad] = []
    for place, entry in enumerate(entries, start=1):
        try:
            recipe = judged(entry, taken).recipe
            if recipe.name in recipes:
                raise Unfit(f"name: there is another tool {recipe.name!r} before it in the file.")
            if len(recipes) >= MOST:
                raise Unfit(f"the file holds more than {MOST} tools.")
            recipes[recipe.name] = recipe
        except Unfit as error:
            bad.append(set_aside(entry, place, str(error)))
        except (ValueError, TypeError, RecursionError):  # an entry of a kind that nobody thought of
            bad.append(set_aside(entry, place, "it can't be read as a tool."))
    return Shelf(tuple(recipes.values()), tuple(bad))


def set_aside(entry: Any, place: int, reason: str) -> Bad:
    try:
        text = json.dumps(entry, ensure_ascii=True)
    except RecursionError:
        text = '"nested too deeply"'
    digest = hashlib.sha256(text.encode()).hexdigest()[:24]
    return Bad(digest, name_of(entry) or f"entry {place}", reason[:NOTED], text)


def name_of(entry: Any) -> str:
    """What an entry calls itself, fit for a line of text; "" if it doesn't."""
    if not isinstance(entry, Mapping):
        return ""
    inner = entry.get("function")
    name = entry.get("name", inner.get("name") if isinstance(inner, Mapping) else None)
    shown = "".join(char if char.isprintable() else "?" for char in name[:64]) if isinstance(name, str) else ""
    return shown.encode("utf-8", "replace").decode().strip()


def file_of(recipes: Sequence[Recipe]) -> bytes:
    """The file that holds these tools."""
    whole = {"version": VERSION, "tools": [recipe.entry() for recipe in recipes]}
    return (json.dumps(whole, ensure_ascii=False, indent=2) + "\n").encode()
