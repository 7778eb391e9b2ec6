"""Tool edit_file: replace one exact, unique piece of a file; everything else keeps its bytes."""

from __future__ import annotations

import asyncio
import os
import stat
from dataclasses import dataclass

from pydantic import BaseModel, Field

from agent.errors import ToolError
from agent.ports import CallContext, Result, Tool
from agent.steps import Change
from agent.tool import Arguments
from agent.tools._files import read_file, replace, sha256, writable
from agent.tools._near import nearest_lines
from agent.tools._paths import folder, locate, missing
from agent.tools._undoable import undoable
from agent.tools._wording import in_words, printable, size

LARGEST = 16 * 2**20  # bytes of a file that is edited in memory
SHOWN_PLACES = 10


class EditFile(Arguments):
    path: str = Field(description="absolute, or relative to the working directory")
    old: str = Field(description="text as it stands in the file, without line numbers; must occur exactly once")
    new: str = Field(description="text to put in its place")
    all: bool = Field(default=False, description="true: replace every occurrence")


@dataclass(frozen=True, slots=True)
class _Edit:
    old: bytes
    new: bytes
    count: int
    line: int  # of the first place


def edit(call: CallContext, args: EditFile) -> Result:
    """Edit the file. Raises ToolError; the file then stands as it was."""
    path = locate(call, args.path, follow=False)
    parent, name = os.path.split(path)
    with in_words("edit", path), folder(parent) as at:
        found = writable(at, name, path)
        if found is None:
            raise missing(path)
        data = read_file(at, name, path, LARGEST)
        if data is None:
            raise ToolError(
                f"{printable(path)} is over {size(LARGEST)}: too large for edit_file. Use sed in the shell."
            )
        before = sha256(data)
        if call.read_hashes.get(printable(path), before) != before:
            raise _changed(path)
        change = _edit(path, data, args)
        if len(data) + change.count * (len(change.new) - len(change.old)) > LARGEST:
            raise ToolError(f"{printable(path)} would be over {size(LARGEST)} then; nothing was edited. Use the shell.")
        result = data.replace(change.old, change.new)

        def unchanged() -> None:
            if read_file(at, name, path, LARGEST) != data:
                raise _changed(path)

        with undoable(call, path):
            replace(at, name, result, stat.S_IMODE(found.st_mode) & 0o777, found, unchanged)
    return _told(path, data, result, change)


def _changed(path: str) -> ToolError:
    return ToolError(
        f"{printable(path)} was changed by something else since it was read; nothing was edited. Read it again first."
    )


def _edit(path: str, data: bytes, args: EditFile) -> _Edit:
    """What to replace, and where. Raises ToolError where it isn't there or isn't unique."""
    if not args.old:
        raise ToolError("old is empty. Give the text to replace; to write a whole file use write_file.")
    if args.old == args.new:
        raise ToolError("old and new are the same: there is nothing to edit.")
    old, new = _line_ends(data, args.old.encode(), args.new.encode())
    places = _places(data, old)
    if not places:
        raise ToolError(f"old was not found in {printable(path)}; nothing was edited. {nearest_lines(data, args.old)}")
    if len(places) > 1 and not args.all:
        lines = ", ".join(str(_line(data, place)) for place in places[:SHOWN_PLACES])
        more = " and more" if len(places) > SHOWN_PLACES else ""
        raise ToolError(
            f"old occurs more than once in {printable(path)}: lines {lines}{more}; nothing was edited. "
            "Give more of the text around the place that you mean, or all=true."
        )
    return _Edit(old, new, data.count(old), _line(data, places[0]))


def _line_ends(data: bytes, old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """A model sees and sends LF; in a file that has only CRLF it means those."""
    ends = data.count(b"\r\n")
    if not ends or ends != data.count(b"\n") or b"\r" in old + new:
        return old, new
    return old.replace(b"\n", b"\r\n"), new.replace(b"\n", b"\r\n")


def _places(data: bytes, old: bytes) -> list[int]:
    """Offsets of the first places, overlapping ones too: also those make it unclear which one is meant."""
    out: list[int] = []
    at = data.find(old)
    while at >= 0 and len(out) <= SHOWN_PLACES:
        out.append(at)
        at = data.find(old, at + 1)
    return out


def _line(data: bytes, place: int) -> int:
    return data.count(b"\n", 0, place) + 1


def _told(path: str, data: bytes, result: bytes, change: _Edit) -> Result:
    removed, added = _counts(change)
    where = f"line {change.line}" if change.count == 1 else f"{change.count} places from line {change.line}"
    return Result(
        f"Edited {printable(path)}: {where}, +{added} -{removed} lines, now {len(result)} bytes.",
        details=f"+{added} -{removed}",
        files=(Change(printable(path), sha256(data), sha256(result)),),
    )


def _counts(change: _Edit) -> tuple[int, int]:
    """Lines removed and added over all places; equal lines at both ends of the piece don't count."""
    old, new = change.old.splitlines(), change.new.splitlines()
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return len(old) * change.count, len(new) * change.count


class _Tool:
    name = "edit_file"
    effect = "write"
    description = "Replace a piece of an existing file. Better than rewriting the whole file. Read it first."
    arguments: type[BaseModel] = EditFile

    async def run(self, call: CallContext, args: EditFile) -> Result:
        return await asyncio.to_thread(edit, call, args)


tool: Tool = _Tool()
