"""Where a command begins and where it left the session, and whether its text can be handed to a shell at all."""

from __future__ import annotations

import os
from pathlib import Path

from agent.errors import ToolError

LONGEST = 131_071  # bytes: one argument of a program can't be longer on Linux (MAX_ARG_STRLEN, execve(2))


def encoded(text: str) -> bytes:
    """The command as bytes. Raises ToolError for what no shell can take."""
    if "\0" in text:
        raise ToolError(
            "The command holds a NUL character, which no shell can take. Leave it out, or use printf '\\0'."
        )
    try:
        data = os.fsencode(text)
    except UnicodeEncodeError as error:
        raise ToolError("The command holds half of a character (a lone surrogate). Send the text again.") from error
    if len(data) > LONGEST:
        raise ToolError(
            f"The command is {len(data):,} bytes long, a shell takes {LONGEST:,}. "
            "Write the long part into a file with write_file and run that."
        )
    return data


def start(cwd: str, workspace: str) -> tuple[str, str]:
    """The folder to begin in and a sentence about it, "" where it is the expected one.

    Raises ToolError where not even the workspace can be used.
    """
    if usable(cwd):
        return cwd, ""
    missing = not Path(workspace).is_dir()
    try:
        Path(workspace).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(f"Neither {cwd} nor the workspace {workspace} can be used: {error.strerror}.") from error
    if not usable(workspace):
        raise ToolError(f"Neither {cwd} nor the workspace {workspace} can be entered. Nothing ran.")
    made = ", which was gone too and was made anew" if missing else ""
    return workspace, f"The working directory {cwd} is gone; the command ran in the workspace {workspace}{made}."


def after(learnt: str, before: str, *, boxed: bool) -> tuple[str, str]:
    """The folder for the next command and a sentence, "" where there is nothing to say. `learnt` is "" if unknown."""
    if not learnt:
        return before, ""
    if not Path(learnt).is_dir():
        gone = f"{learnt} exists in the sandbox only: the next command begins in {before}."
        return before, gone if boxed else ""
    try:
        learnt.encode()
    except UnicodeEncodeError:  # facts are stored as text
        return before, f"The name of the new working directory is not UTF-8; the next command begins in {before}."
    return learnt, ""


def usable(folder: str) -> bool:
    return Path(folder).is_dir() and os.access(folder, os.X_OK)
