"""Tool send_file: a file of the workspace goes to the chat. The call only says which; the chat side sends its bytes."""

from __future__ import annotations

import asyncio
import os
import stat
from hashlib import sha256
from typing import BinaryIO

from pydantic import BaseModel, Field

from agent.errors import ToolError
from agent.ports import CallContext, Result, Screen, Tool
from agent.steps import Parcel
from agent.tool import Arguments
from agent.tools._files import open_file
from agent.tools._paths import folder, locate
from agent.tools._wording import in_words, printable, size

LARGEST = 50_000_000  # bytes: https://core.telegram.org/bots/api#sending-files
LONGEST_CAPTION = 3_000  # characters
CHUNK = 256 * 1024  # bytes screened at once, so that the event loop gets its turn between two
OVERLAP = 16 * 1024  # bytes that a chunk repeats of the one before: more than the longest secret


class SendFile(Arguments):
    path: str = Field(description="a file of the workspace")
    caption: str = Field(default="", max_length=LONGEST_CAPTION)


def pack(call: CallContext, args: SendFile) -> Result:
    """Find the file, and judge whether it may go. Raises ToolError."""
    path = locate(call, args.path, follow=True)
    shown = printable(path)
    _within(path, call.workspace, shown)
    parent, name = os.path.split(path)
    _screened(name.encode(), call.screen, shown, binary=False)
    with in_words("send", path), folder(parent) as at:
        _no_folder(at, name, shown)
        with os.fdopen(open_file(at, name, path), "rb") as file:
            _fits(os.fstat(file.fileno()).st_size, shown)
            count, digest = _measured(file, call.screen, shown)
    if not count:
        raise ToolError(f"{shown} is empty, and a chat takes no empty file. Say so in your answer instead.")
    text = f"{shown} ({size(count)}) goes to the user now. Leave it in place, and don't send it again."
    return Result(text, details=size(count), parcel=Parcel(path, count, digest, args.caption.strip()))


def _within(path: str, workspace: str, shown: str) -> None:
    """A link that leads out of the workspace was resolved before: it counts as where it leads."""
    root = os.path.realpath(workspace)
    if not path.startswith(root.rstrip("/") + "/"):
        raise ToolError(f"{shown} lies outside of the workspace {printable(root)}: copy it there and send the copy.")
    if any("\ud800" <= char <= "\udfff" for char in path):
        raise ToolError(f"{shown} has a name that is no text. Copy it to a plain name and send the copy.")


def _no_folder(at: int, name: str, shown: str) -> None:
    try:
        found = os.stat(name or ".", dir_fd=at, follow_symlinks=False)
    except FileNotFoundError:
        return
    if stat.S_ISDIR(found.st_mode):
        raise ToolError(f"{shown} is a folder. Pack it (tar czf NAME.tar.gz FOLDER) and send the archive.")


def _fits(count: int, shown: str) -> None:
    if count > LARGEST:
        raise ToolError(
            f"{shown} has {size(count)}, and a chat takes {size(LARGEST)} at most. Compress it, split it "
            "(split -b 45M FILE FILE.) and send the parts, or tell the user where it lies."
        )


def _measured(file: BinaryIO, screen: Screen | None, shown: str) -> tuple[int, str]:
    """Size and SHA-256 of all that can be read; nothing of it may be a secret."""
    digest, count, before, binary = sha256(), 0, b"", False
    while data := file.read(CHUNK):
        digest.update(data)
        count += len(data)
        _fits(count, shown)  # it may have grown meanwhile
        binary = binary or b"\0" in data
        _screened(before + data, screen, shown, binary)
        before = data[-OVERLAP:]
    return count, digest.hexdigest()


def _screened(data: bytes, screen: Screen | None, shown: str, binary: bool) -> None:
    """What is shaped like a key is masked in every text that goes to a chat, and a file can't be masked. In bytes that
    are no text such a shape is chance."""
    if screen is None:
        return
    text = data.replace(b"\0", b"").decode("utf-8", "replace")  # without what UTF-16 puts between two letters
    if screen.holds_secret(text) or (not binary and screen.output(text) != text):
        raise ToolError(
            f"{shown} holds a secret or what is shaped like one (a key, a token, a password in an address); such "
            "things don't go to a chat. Send a copy without it, or tell the user where the file lies."
        )


class _Tool:
    name = "send_file"
    effect = "read"
    description = "Send a workspace file to the user in the chat."
    arguments: type[BaseModel] = SendFile

    async def run(self, call: CallContext, args: SendFile) -> Result:
        return await asyncio.to_thread(pack, call, args)


tool: Tool = _Tool()
