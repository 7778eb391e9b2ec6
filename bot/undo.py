"""What /undo says: what can't be had back first, then what it would do; after the tap, what was done. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from bot import words

SHOWN = 10  # paths of a list
LONGEST = 80  # characters of a path
ROOM = 4_000  # UTF-16 units; a message takes 4,096

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class Plan(Protocol):
    """What an undo would do (agent.undo.UndoPlan)."""

    @property
    def restore(self) -> Sequence[str]: ...
    @property
    def delete(self) -> Sequence[str]: ...
    @property
    def cannot(self) -> Sequence[tuple[str, str]]: ...
    @property
    def changed_since(self) -> Sequence[str]: ...
    @property
    def workspaces(self) -> Sequence[str]: ...
    @property
    def empty(self) -> bool: ...


class Report(Protocol):
    """What an undo did (agent.undo.UndoReport)."""

    @property
    def restored(self) -> Sequence[str]: ...
    @property
    def deleted(self) -> Sequence[str]: ...
    @property
    def failed(self) -> Sequence[tuple[str, str]]: ...
    @property
    def changed_since(self) -> Sequence[str]: ...
    @property
    def redo(self) -> str: ...


def offer(plan: Plan) -> str:
    """The list before the tap, of at most 4,096 UTF-16 units."""
    shown = _Names(plan.workspaces)
    lost = [f"{shown(path)}: {_reason(why)}" if path else _reason(why) for path, why in plan.cannot]
    lost += [f"{shown(path)}: {words.CHANGED_SINCE}" for path in plan.changed_since]
    outside = [words.elsewhere(_Names(())(root)) for root in plan.workspaces]
    if plan.empty and not lost:
        return "\n".join([words.NOTHING_TO_UNDO, *outside])
    parts = [words.CANNOT, *_listed(lost), *outside] if lost else outside
    if plan.empty:
        return _fitted([*parts, "", words.NOTHING_LEFT])
    parts += [""] if parts else []
    for told, paths in ((words.would_restore, plan.restore), (words.would_delete, plan.delete)):
        if paths:
            parts += [told(len(paths)), *_listed(map(shown, paths))]
    return _fitted(parts)


def done(report: Report) -> str:
    """What was done, of at most 4,096 UTF-16 units."""
    shown = _Names(())
    parts = []
    if problems := [f"{shown(path)}: {_reason(why)}" for path, why in report.failed]:
        parts += [words.undo_failed(len(problems)), *_listed(problems)]
    if report.changed_since:
        parts += [words.undo_changed(len(report.changed_since)), *_listed(map(shown, report.changed_since))]
    parts.append(words.undone(len(report.restored), len(report.deleted)))
    return _fitted([*parts, words.UNDO_AGAIN] if report.redo else parts)


def _reason(why: str) -> str:
    """In words, by the reasons of the undo store (agent.undo.states.Why)."""
    return words.UNDO_REASONS.get(why, why)


class _Names:
    """Paths as they are shown: below a workspace from there, odd characters escaped, long ones cut in the middle."""

    def __init__(self, roots: Sequence[str]) -> None:
        self._roots = [root.rstrip("/") + "/" for root in roots]

    def __call__(self, path: str) -> str:
        path = next((path.removeprefix(root) for root in self._roots if path.startswith(root)), path)
        text = _UNSAFE.sub(_escaped, path)
        return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}…{text[1 - LONGEST // 2 :]}"


def _escaped(found: re.Match[str]) -> str:
    char = found[0]
    if "\udc80" <= char <= "\udcff":  # os.fsdecode's stand-in for a byte
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")


def _listed(items: Iterable[str]) -> list[str]:
    lines = [f"• {item}" for item in items]
    more = len(lines) - SHOWN
    return [*lines[:SHOWN], words.and_more_lines(more)] if more > 0 else lines


def _fitted(lines: list[str]) -> str:
    """The lines as far as they fit; what is cut is said."""
    text = "\n".join(lines)
    if _units(text) <= ROOM:
        return text
    while _units("\n".join(lines)) > ROOM:
        lines = lines[:-1]
    return "\n".join([*lines, "…"])


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
