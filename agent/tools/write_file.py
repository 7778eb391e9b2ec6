"""Tool write_file: a whole file, byte for byte, all or nothing."""

from __future__ import annotations

import asyncio
import json
import os
import re
import stat
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from agent.errors import ToolError
from agent.ports import CallContext, Result, Tool
from agent.steps import Change
from agent.tool import Arguments
from agent.tools._files import read_file, replace, sha256, writable
from agent.tools._paths import folder, locate, variable
from agent.tools._undoable import undoable
from agent.tools._wording import in_words, printable, size

NEW_FILE = 0o644

_SHELL = re.compile(r"#![^\n]*\b(?:ba|da|k|z)?sh\b")
_ESCAPED = re.compile(r"\\\$[A-Za-z_{(]\w*")


def _octal(mode: str) -> str:
    if not re.fullmatch(r"0?[0-7]{3}", mode):
        raise ValueError(f'must be three octal digits such as "644" or "755", not {mode[:20]!r}')
    return mode


class WriteFile(Arguments):
    path: str = Field(description="absolute, or relative to the working directory")
    content: str = Field(description="the whole new content, exactly as it shall stand in the file")
    mode: Annotated[str, AfterValidator(_octal)] | None = Field(
        default=None, description='octal, e.g. "755" for a script'
    )


def write(call: CallContext, args: WriteFile) -> Result:
    """Write the file. Raises ToolError; the old file then stands as it was."""
    data = _encoded(args.content)
    path = locate(call, args.path, follow=False)
    if args.path.endswith("/"):
        raise ToolError(f"{printable(args.path)} names a folder. Give the path of a file.")
    parent, name = os.path.split(path)
    # Before missing folders are made, so that an undo knows which were missing.
    with undoable(call, path), in_words("write", path), folder(parent, make=True) as at:
        old = writable(at, name, path)
        before = _before(at, name, path) if old else ""
        mode = int(args.mode, 8) if args.mode else stat.S_IMODE(old.st_mode) & 0o777 if old else NEW_FILE
        replace(at, name, data, mode, old)
    after = sha256(data)
    told = {
        "status": "ok",
        "path": printable(path),
        "bytes": len(data),
        "mode": f"{mode:03o}",
        "sha256": after,
        "created": old is None,
    }
    warnings = _warnings(path, args.content, old)
    if warnings:
        told["warnings"] = warnings
    return Result(
        text=json.dumps(told, ensure_ascii=False, separators=(",", ":")),
        details=f"{'created' if old is None else 'wrote'} {printable(name)} ({size(len(data))})",
        files=(Change(printable(path), before, after),),
    )


def _encoded(content: str) -> bytes:
    try:
        return content.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ToolError(
            f"The content holds half of a surrogate pair at character {error.start}, which can't be stored; "
            "nothing was written. Send the whole character."
        ) from error


def _before(at: int, name: str, path: str) -> str | None:
    try:
        data = read_file(at, name, path)
    except PermissionError:  # we may write it but not read it
        return None
    return None if data is None else sha256(data)


def _warnings(path: str, content: str, old: os.stat_result | None) -> list[str]:
    out = []
    script = _SHELL.match(content) or path.endswith((".sh", ".bash"))
    escaped = _ESCAPED.search(content) if script else None
    if escaped:
        line = content.count("\n", 0, escaped.start()) + 1
        out.append(f"line {line}: backslash before $ in {escaped[0]}: the shell will not expand it")
    if content.startswith("#!") and "\r\n" in content:
        out.append("CRLF line endings under a #! line: the script will not start")
    if old and old.st_size and not content:
        out.append(f"the file is empty now; it held {size(old.st_size)}")
    if old and old.st_nlink > 1:
        out.append("the file had other names (hard links); those keep the old content")
    literal = variable(path)
    if literal and old is None:
        out.append(f"{literal} in the path was taken literally: variables are not expanded in paths")
    return out


class _Tool:
    name = "write_file"
    effect = "write"
    description = (
        "Write a whole file, byte for byte; makes missing folders. Prefer this over echo, printf, tee or a heredoc in "
        "the shell: nothing is expanded, no quoting is needed. "
        'Example: {"path":"run.sh","content":"#!/bin/bash\\necho \\"$HOME\\"\\n","mode":"755"}'
    )
    arguments: type[BaseModel] = WriteFile

    async def run(self, call: CallContext, args: WriteFile) -> Result:
        return await asyncio.to_thread(write, call, args)


tool: Tool = _Tool()
