"""A response as a page for the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.errors import ToolError
from agent.ports import Page
from agent.web.body import MOST_BYTES, decoded, is_readable, received
from agent.web.reading import read

if TYPE_CHECKING:
    import httpx2


async def page_of(url: str, response: httpx2.Response) -> Page:
    """Raises ToolError for what a model can't read."""
    kind = response.headers.get("content-type", "")
    if not is_readable(kind):
        size = response.headers.get("content-length", "unknown")
        raise ToolError(
            f"{url[:200]} is {kind.partition(';')[0][:60]}, {size} bytes: no text. If it is needed, download it with "
            "the shell and look at it there."
        )
    body, cut = await received(response.aiter_raw(), response.headers.get("content-encoding", ""))
    text, title = decoded(body, kind), ""
    if "html" in kind.lower() or (not kind and text.lstrip()[:1] == "<"):
        title, text = await read(text, url)
    note = f"only the first {MOST_BYTES:,} bytes were read" if cut else ""
    return Page(url=url, status=response.status_code, kind=kind.partition(";")[0], title=title, text=text, note=note)
