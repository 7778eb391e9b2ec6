"""Tool search: lines that match a pattern, below a folder or in a file, bounded in number, size and time."""

from __future__ import annotations

import asyncio
import os
import re
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from pydantic import BaseModel, Field

from agent.errors import ToolError
from agent.ports import CallContext, Result, Tool
from agent.steps import Outcome
from agent.tool import Arguments
from agent.tools._paths import folder, locate, missing, variable
from agent.tools._searching import PATIENCE_S, Found, Searching, Wanted
from agent.tools._wording import in_words, printable

MOST = 100  # lines
ROOM = 16_000  # characters of them
LONGEST = 1_000  # characters of a pattern
BRANCHES = 32  # globs that {a,b} may come to
OURS = ("!.git", "!.jarvis")
UNREAL = ("/proc", "/sys", "/dev")  # no files on a disk, and some hold secrets of processes

_BRACES = re.compile(r"(.*?)\{([^{}]*)\}(.*)", re.DOTALL)
_LINE_BREAK = re.compile(r"(?<!\\)(?:\\\\)*\\n|\n")


class Search(Arguments):
    pattern: str = Field(description="a regular expression, matched line by line")
    path: str = Field(default=".", description="folder or file")
    glob: str | None = Field(default=None, description="which files, as *.py or src/**/*.{ts,tsx}")
    fixed: bool = Field(default=False, description="the pattern is plain text")
    ignore_case: bool = False
    max: int = Field(default=MOST, ge=1, le=MOST, description="lines")


class _Tool:
    name = "search"
    effect = "read"
    description = (
        "Find lines in files below a folder: path:line: text. Leaves out what .gitignore names, and binary files."
    )
    arguments: type[BaseModel] = Search

    async def run(self, call: CallContext, args: Search) -> Result:
        """Raises ToolError."""
        _check(args)
        path, is_file = await asyncio.to_thread(_placed, call, args.path)
        parent, only = os.path.split(path) if is_file else (path, "")
        wanted = Wanted(args.pattern, tuple(_globs(call, args, path)), args.fixed, args.ignore_case, only)
        searching = Searching(wanted, args.max, ROOM)
        work = asyncio.ensure_future(asyncio.to_thread(_searched, searching, parent, path))
        try:
            found = await asyncio.shield(work)
        except asyncio.CancelledError:
            searching.stop()
            await asyncio.wait([work])
            raise
        if found.bad:
            raise ToolError(_complaint(args, found.bad))
        return _told(args, path, only, found)


def _check(args: Search) -> None:
    """Raises ToolError for a pattern that can't mean anything."""
    if not args.pattern:
        raise ToolError("The pattern is empty: nothing was searched. Use list_dir to see what is there.")
    if "\0" in args.pattern or (args.glob and "\0" in args.glob):
        raise ToolError("A NUL character is in no text: nothing was searched.")
    if len(args.pattern) > LONGEST:
        raise ToolError(f"The pattern is longer than {LONGEST} characters: nothing was searched. Shorten it.")
    if "\n" in args.pattern or (not args.fixed and _LINE_BREAK.search(args.pattern)):
        raise ToolError("A pattern is matched within one line and can't hold a line break: nothing was searched.")


def _placed(call: CallContext, typed: str) -> tuple[str, bool]:
    """Where it is, and whether it is one file. Raises ToolError."""
    path = locate(call, typed, follow=True)
    return path, _is_file(path)


def _is_file(path: str) -> bool:
    with in_words("search", path):
        try:
            found = os.lstat(path)
        except FileNotFoundError:
            raise missing(path) from None
    if any(path == place or path.startswith(f"{place}/") for place in UNREAL):
        raise ToolError(f"{printable(path)} is no place of files on a disk. Read single ones with read_file.")
    if not (stat.S_ISDIR(found.st_mode) or stat.S_ISREG(found.st_mode)):
        raise ToolError(f"{printable(path)} is neither a folder nor a regular file: nothing was searched.")
    return stat.S_ISREG(found.st_mode)


def _globs(call: CallContext, args: Search, path: str) -> Iterator[str]:
    """The globs of the call, then what is left out whatever they say: the last one that fits decides."""
    plain = (args.glob or "").removeprefix(f"{path}/").removeprefix("./")
    wanted = list(islice(_expanded(plain), BRANCHES + 1)) if plain else []
    if len(wanted) > BRANCHES or len(plain) > LONGEST:
        raise ToolError(f"The glob stands for more than {BRANCHES} globs: nothing was searched. Make it simpler.")
    yield from (f"{glob}**" if glob.endswith("/") else glob for glob in wanted)
    yield from OURS
    hidden = [os.path.realpath(place) for place in call.forbidden] + list(UNREAL)
    for place in hidden:
        if Path(place).is_relative_to(path) and place != path:
            yield "!/" + re.sub(r"([*?\[\]{}\\!#])", r"\\\1", str(Path(place).relative_to(path)))


def _expanded(glob: str) -> Iterator[str]:
    """{a,b} written out, as ripgrep knows it and .gitignore doesn't."""
    found = _BRACES.fullmatch(glob)
    if not found:
        yield glob
        return
    for branch in found[2].split(","):
        yield from _expanded(found[1] + branch + found[3])


def _searched(searching: Searching, parent: str, path: str) -> Found:
    with in_words("search", path), folder(parent) as at:
        return searching.run(at)


def _complaint(args: Search, said: str) -> str:
    what = "glob" if "glob" in said and args.glob else "pattern"
    line = said.splitlines()[-1].strip().removeprefix("error: ")
    hint = " Set fixed to true if it is meant as plain text." if what == "pattern" and not args.fixed else ""
    return f"The {what} can't be read: {printable(line[:300])}. Nothing was searched.{hint}"


def _told(args: Search, path: str, only: str, found: Found) -> Result:
    where = f"{printable(path)}{f' ({args.glob})' if args.glob else ''}"
    remarks = [f"[{remark}]" for remark in _remarks(found, path, args)]
    if not found.hits:
        text = "\n".join([f'No match for "{printable(args.pattern)}" in {where}{_extent(found)}.', *remarks])
        return Result(text, "no match", outcome=Outcome.OK if found.late else Outcome.ANSWERED_NO)
    lines = [f"{printable(_usable(args.path, hit.path, only))}:{hit.line}: {hit.text}" for hit in found.hits]
    files = len({hit.path for hit in found.hits})
    count = f"{len(lines)} line{'s' * (len(lines) > 1)} in {files} file{'s' * (files > 1)}"
    head = f"{count}{', and there are more' if found.more else ''}"
    return Result("\n".join([head, *lines, *remarks]), f"{count}{'+' if found.more else ''}")


def _usable(typed: str, found: str, only: str) -> str:
    """The path as other tools take it: relative to where the search began, as that was given."""
    if only:
        return typed
    return found if os.path.normpath(typed) == "." else str(Path(typed, found))


def _extent(found: Found) -> str:
    match found.searched:
        case None:
            return ""
        case 0:
            return ": there was no file to look into"
        case 1:
            return " (1 file)"
        case count:
            return f" ({count} files)"


def _remarks(found: Found, path: str, args: Search) -> Iterator[str]:
    if found.late:
        yield f"stopped after {PATIENCE_S:.0f} s without having seen all: give a narrower path or a glob"
    elif found.more:
        yield "more were not looked for: use a narrower pattern, path or glob"
    if found.binary:
        yield f"{found.binary} binary file{'s' * (found.binary > 1)} left out"
    if found.overlong:
        yield f"{found.overlong} line{'s' * (found.overlong > 1)} of over a megabyte matched and can't be shown"
    if found.partly:
        yield "some files or folders could not be read"
    if found.searched == 0 and args.glob:
        yield "the glob fits no file here, or only ignored folders have such files"
    literal = [name for name in dict.fromkeys([path, *(hit.path for hit in found.hits)]) if variable(name)]
    if literal:
        name = Path(literal[0]).name if variable(Path(literal[0]).name) else literal[0]
        yield (
            f'"{printable(name)}" holds a literal {variable(name)}: that is the name itself. A variable was not '
            "expanded when it was made; look for single quotes or a backslash before the $"
        )


tool: Tool = _Tool()
