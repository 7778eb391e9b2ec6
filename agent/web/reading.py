"""Has a page read in a process of its own, which is ended if it takes too long, whatever the page is made of."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress
from pathlib import Path

from agent.errors import ToolError

READER = str(Path(__file__).with_name("text.py"))
MOST_S = 12.0
TOO_MUCH = (
    "The page is built so that it can't be read in reasonable time. Fetch it with the shell, for example curl, and "
    "look at a part of it."
)


async def read(html: str, url: str) -> tuple[str, str]:
    """Title and text of a page. Raises ToolError for one that takes too long, or too much memory."""
    pipe, none = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    try:
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-I", READER, stdin=pipe, stdout=pipe, stderr=none, env={}, start_new_session=True
        )
    except OSError as error:
        raise ToolError(f"The page could not be read: {error.strerror}. Try again.") from error
    given = json.dumps(url).encode() + b"\n" + html.encode("utf-8", "replace")
    try:
        async with asyncio.timeout(MOST_S):
            said, _ = await child.communicate(given)
        title, text = json.loads(said)
    except (TimeoutError, ValueError):
        raise ToolError(TOO_MUCH) from None
    finally:
        if child.returncode is None:
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    return title, text
