"""Steps to rows and back, for ever: each kind has a version, and each older version a function that lifts it by one.

A new field with a default needs no new version (older rows take the default, older releases leave it out). Any other
change does: raise the number in VERSIONS, add the upgrade, and a row of the old version to the golden file.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from agent.errors import StoreBroken
from agent.steps import KINDS, Step
from agent.store.shape import shape_of

_KIND_OF = {cls: cls.__name__.lower() for cls in KINDS}
_SHAPES = {kind: shape_of(cls) for cls, kind in _KIND_OF.items()}

VERSIONS: dict[str, int] = dict.fromkeys(_SHAPES, 1)
UPGRADES: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {}


def _nested(value: Any) -> dict[str, Any]:
    return shape_of(type(value)).write(value)


_readable = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"), default=_nested).encode
_escaped = json.JSONEncoder(ensure_ascii=True, check_circular=False, separators=(",", ":"), default=_nested).encode


class Row(NamedTuple):
    """A step as it is stored: `body` is JSON text that any database takes (no NUL, no lone surrogate)."""

    kind: str
    version: int
    body: str


def encode(step: Step) -> Row:
    """The row of a step. Text comes back exactly; but halves of a surrogate pair that met come back as their sign."""
    kind = _KIND_OF[type(step)]
    fields = _SHAPES[kind].write(step)
    body = _readable(fields)
    if not _storable(body):
        body = _escaped(fields)
    return Row(kind, VERSIONS[kind], body)


def decode(kind: str, version: int, body: str) -> Step:
    """The step of a row, lifted to today's version. Raises StoreBroken if it is unknown, newer or damaged."""
    newest = VERSIONS.get(kind)
    if newest is None or version > newest:
        raise StoreBroken(
            f"The journal holds a step {kind!r} of version {version}, which this Jarvis can't read: "
            "it was written by a newer one. Install that version again."
        )
    try:
        raw = json.loads(body)
        for older in range(version, newest):
            raw = UPGRADES[kind, older](raw)
        step: Step = _SHAPES[kind].read(raw)
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise StoreBroken(
            f"A step {kind!r} in the journal is damaged ({type(error).__name__}: {error}). Nothing was changed; "
            "restore the store from a backup, or move it away to start afresh."
        ) from error
    return step


def plain(text: str) -> str:
    """The text as any database's text column takes it: NUL and lone surrogates become U+FFFD."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    if _storable(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _storable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
