"""Tool list_dir: the entries of one folder, bounded whatever its size, every name on one line of its own."""

from __future__ import annotations

import asyncio
import heapq
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from pydantic import BaseModel, Field

from agent.errors import ToolError
from agent.ports import CallContext, Result, Tool
from agent.tool import Arguments
from agent.tools._paths import folder, locate, missing, variable
from agent.tools._wording import in_words, printable, size

SHOWN = 200  # entries
COUNTED = 500_000  # entries; about a second
SHOWN_LITERALS = 3


class ListDir(Arguments):
    path: str = Field(default=".", description="absolute, or relative to the working directory")


@dataclass(slots=True)
class _Tally:
    """What passed by while the entries to show were picked."""

    folders: int = 0
    files: int = 0
    literals: list[str] = field(default_factory=list)


def listing(call: CallContext, args: ListDir) -> Result:
    """List the folder. Raises ToolError."""
    path = locate(call, args.path, follow=True)
    with in_words("list", path):
        try:
            found = os.lstat(path)
        except FileNotFoundError:
            raise missing(path) from None
        if not stat.S_ISDIR(found.st_mode):
            raise ToolError(f"{printable(path)} is no folder. Use read_file for a file.")
        with folder(path) as at:
            tally = _Tally()
            shown = _shown(at, tally)
            lines = [_line(at, is_file, name) for is_file, name in shown]
    total = tally.folders + tally.files
    count = f"{'over ' if total >= COUNTED else ''}{total} {'entry' if total == 1 else 'entries'}"
    head = f"{printable(path)}: {count}" + (f" ({tally.folders} folders)" if tally.folders else "")
    rest = [f"[{total - len(lines)} more not shown: narrow down with ls and a pattern, or find]"]
    text = "\n".join([head, *lines, *(rest if total > len(lines) else []), *_notes(tally)])
    return Result(text, details=count)


def _shown(at: int, tally: _Tally) -> list[tuple[bool, str]]:
    """The first entries by (folders first, name)."""
    descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=at)
    try:
        with os.scandir(descriptor) as entries:
            return heapq.nsmallest(SHOWN, _counted(islice(entries, COUNTED), tally))
    finally:
        os.close(descriptor)


def _counted(entries: Iterator[os.DirEntry[str]], tally: _Tally) -> Iterator[tuple[bool, str]]:
    for entry in entries:
        is_file = not entry.is_dir(follow_symlinks=False)
        tally.files += is_file
        tally.folders += not is_file
        if ("$" in entry.name or entry.name == "~") and len(tally.literals) < SHOWN_LITERALS:
            literal = "~" if entry.name == "~" else variable(entry.name)
            tally.literals += [f'"{printable(entry.name)}" holds a literal {literal}'] if literal else []
        yield is_file, entry.name


def _line(at: int, is_file: bool, name: str) -> str:
    shown = ("./" if name.startswith("-") else "") + printable(name)  # no command takes it for an option then
    # The time as such, not an age: the same folder must give the same text, or a repeated look isn't seen as one.
    try:
        found = os.stat(name, dir_fd=at, follow_symlinks=False)
        changed = time.strftime("%Y-%m-%d %H:%M", time.localtime(found.st_mtime))
        if stat.S_ISLNK(found.st_mode):
            return f"{shown} -> {printable(os.readlink(name, dir_fd=at))}"
    except (OSError, OverflowError, ValueError):  # gone meanwhile, or a time that no calendar has
        return shown + ("" if is_file else "/")
    if not is_file:
        return f"{shown}/  {changed}"
    kind = size(found.st_size) if stat.S_ISREG(found.st_mode) else "device, pipe or socket"
    return f"{shown}  {kind}  {changed}"


def _notes(tally: _Tally) -> list[str]:
    if not tally.literals:
        return []
    return [
        f"[{'; '.join(tally.literals)}: that is the name itself. A variable was not expanded when it was made; "
        "look for single quotes or a backslash before the $]"
    ]


class _Tool:
    name = "list_dir"
    effect = "read"
    description = f"List one folder: folders first, then files with size and time; at most {SHOWN} entries."
    arguments: type[BaseModel] = ListDir

    async def run(self, call: CallContext, args: ListDir) -> Result:
        return await asyncio.to_thread(listing, call, args)


tool: Tool = _Tool()
