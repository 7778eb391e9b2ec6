"""Tool read_file: numbered lines of a text file, bounded whatever its size.

The one file in the result has the same hash before and after: seen, not changed. Over 8 MB both are unknown (None).
"""

from __future__ import annotations

import asyncio
import codecs
import io
import os
from dataclasses import dataclass
from typing import BinaryIO

from pydantic import BaseModel, Field

from agent.ports import CallContext, Result, Tool
from agent.steps import Change
from agent.tool import Arguments
from agent.tools._files import HASHED, open_file, sha256
from agent.tools._paths import folder, locate, variable
from agent.tools._wording import in_words, printable, size

LINES = 400  # at most, a call
CHARACTERS = 16_000  # a call stops at the line that passes this
FARTHEST = 10**12  # line number that makes sense
LINE = 2_000  # bytes shown of one line
SEARCHED = 256 * 2**20  # bytes read on the way to a line or to the end of one; about 0.1 s
CHUNK = 2**18
SNIFFED = 8_192  # bytes judged for "is this text?"


_DECODER = codecs.getincrementaldecoder("utf-8")


class ReadFile(Arguments):
    path: str = Field(description="absolute, or relative to the working directory")
    start: int = Field(default=1, ge=1, le=FARTHEST, description="first line, from 1")
    lines: int = Field(default=LINES, ge=1, le=FARTHEST, description=f"how many, at most {LINES}")


@dataclass(frozen=True, slots=True)
class _Page:
    """Lines as read, without their ends; `total` is None where counting would take too long."""

    lines: tuple[str, ...]
    total: int | None
    crlf: bool
    ended: bool  # nothing comes after these lines


def read(call: CallContext, args: ReadFile) -> Result:
    """Read the lines. Raises ToolError."""
    path = locate(call, args.path, follow=True)
    parent, name = os.path.split(path)
    with in_words("read", _as_typed(args.path, path)), folder(parent) as at:
        file = os.fdopen(open_file(at, name, path), "rb")
        with file:
            told = os.fstat(file.fileno()).st_size
            whole = file.read(HASHED + 1) if told <= HASHED else b""  # /proc tells 0 for files that aren't empty
            small = told <= HASHED and len(whole) <= HASHED
            stream: BinaryIO = io.BytesIO(whole) if small else file
            count = len(whole) if small else max(told, len(whole))
            result = _told(path, stream, count, args, small)
    known = sha256(whole) if small else None
    return Result(result[0], details=result[1], files=(Change(printable(path), known, known),))


def _as_typed(typed: str, path: str) -> str:
    literal = variable(typed)
    return f"{path} ({literal} is taken literally, not expanded)" if literal else path


def _told(path: str, stream: BinaryIO, count: int, args: ReadFile, small: bool) -> tuple[str, str]:
    """The text for the model and the details for the chat."""
    stream.seek(0)
    sample = stream.read(SNIFFED)
    head = f"{printable(path)}: {count} bytes"
    if not sample:
        return f"{head}, empty file", "empty"
    if b"\0" in sample:
        return f"{head}, {_binary(sample)}", f"binary, {size(count)}"
    page = _page(stream, args.start, min(args.lines, LINES), small)
    if page is None:
        return f"{head}; line {args.start} is more than {size(SEARCHED)} into it. Use sed -n or tail in the shell.", ""
    of = f" of {page.total}" if page.total is not None else ""
    if not page.lines:
        return f"{head}; there is no line {args.start}: it has {page.total or 'fewer'} lines", f"no line {args.start}"
    last = args.start + len(page.lines) - 1
    span = f"lines {args.start}-{last}{of}"
    body = "\n".join(f"{number}\t{line}" for number, line in enumerate(page.lines, args.start))
    more = "" if page.ended else f"\n[more follows: call again with start={last + 1}]"
    return f"{head}, {span}{', CRLF line endings' if page.crlf else ''}\n{body}{more}", span


def _binary(sample: bytes) -> str:
    if sample[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "UTF-16 text: convert it with iconv -f UTF-16 -t UTF-8 in the shell"
    return f"binary; it begins with {sample[:32].hex(' ')}. Use file, xxd or strings in the shell"


def _page(stream: BinaryIO, start: int, count: int, small: bool) -> _Page | None:
    """The lines from `start`, or None where that is too far into the file."""
    passed = _skip(stream, start - 1)
    if passed is None:
        return None
    if passed < start - 1:
        stream.seek(0)
        return _Page((), _count(stream.read()) if small else None, False, True)
    lines: list[str] = []
    room, crlf, ended = CHARACTERS, False, False
    while len(lines) < count and room > 0:
        raw = stream.readline(LINE)
        if not raw:
            ended = True
            break
        crlf = crlf or raw.endswith(b"\r\n")
        lines.append(_line(raw, stream))
        room -= len(lines[-1])
    rest = stream.read() if small else stream.read(1)
    ended = ended or not rest
    total = start - 1 + len(lines) + _count(rest) if small or ended else None
    return _Page(tuple(lines), total, crlf, ended)


def _skip(stream: BinaryIO, lines: int) -> int | None:
    """Stand at the start of the line after `lines` lines; the number passed, or None where that is too far."""
    stream.seek(0)
    passed = at = 0
    while passed < lines:
        chunk = stream.read(CHUNK)
        if not chunk:
            return passed
        found = chunk.count(b"\n")
        if passed + found >= lines:
            for _ in range(lines - passed):
                at = chunk.index(b"\n", at) + 1
            stream.seek(at - len(chunk), os.SEEK_CUR)
            return lines
        passed += found
        if stream.tell() > SEARCHED:
            return None
    return passed


def _line(raw: bytes, stream: BinaryIO) -> str:
    """One line for the model. A long one is cut, and read to its end for its length."""
    if raw.endswith(b"\n") or len(raw) < LINE:
        return _text(raw.removesuffix(b"\n").removesuffix(b"\r"))
    length = len(raw)
    while length <= SEARCHED:
        chunk = stream.read(CHUNK)
        end = chunk.find(b"\n")
        if end >= 0:
            stream.seek(end + 1 - len(chunk), os.SEEK_CUR)
            length += end
            break
        length += len(chunk)
        if not chunk:
            break
    if length == len(raw):
        return _text(raw)
    over = "more than " if length > SEARCHED else ""
    shown = _text(raw, final=False)
    return f"{shown} [... cut: this line has {over}{length} bytes]"


def _text(raw: bytes, *, final: bool = True) -> str:
    """`final` False: half a character at the end is left out."""
    return printable(_DECODER("surrogateescape").decode(raw, final), tabs=True)


def _count(rest: bytes) -> int:
    return rest.count(b"\n") + (not rest.endswith(b"\n")) if rest else 0


class _Tool:
    name = "read_file"
    effect = "read"
    description = "Read lines of a text file, numbered; tells its size. Read only the lines you need."
    arguments: type[BaseModel] = ReadFile

    async def run(self, call: CallContext, args: ReadFile) -> Result:
        return await asyncio.to_thread(read, call, args)


tool: Tool = _Tool()
