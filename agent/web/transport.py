"""A fresh connection's machinery, made beside the event loop: reading the certificates takes tens of milliseconds."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2


async def fresh() -> httpx2.AsyncBaseTransport:
    """Without proxies or other settings of the environment, which would lead around the judged address."""
    return await asyncio.to_thread(_made)


def _made() -> httpx2.AsyncBaseTransport:
    import httpx2

    return httpx2.AsyncHTTPTransport(http1=True, http2=False, trust_env=False)
