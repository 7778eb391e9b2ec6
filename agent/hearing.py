"""Speech to text by an OpenAI-compatible endpoint (https://platform.openai.com/docs/api-reference/audio)."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit, urlunsplit

from agent.errors import ToolError

if TYPE_CHECKING:
    import httpx2

PATH = "/audio/transcriptions"
MODEL = "whisper-1"
TOTAL_S = 120.0
CONNECT_S = 10.0
MOST_BYTES = 2**20  # of an answer
MOST = 16_000  # characters that are kept


class Transcriber:
    """`url` is the API's root or the endpoint itself, `?model=` in it names the model; the key goes nowhere else.
    `transport` stands in for the network in tests."""

    def __init__(self, url: str, key: str = "", transport: httpx2.AsyncBaseTransport | None = None) -> None:
        parts = urlsplit(url)
        path = parts.path.rstrip("/")
        self.url = urlunsplit(parts._replace(path=path if path.endswith(PATH) else path + PATH, query="", fragment=""))
        self.model = (parse_qs(parts.query).get("model") or [MODEL])[0]
        self._key, self._transport = key, transport

    async def hear(self, name: str, data: bytes) -> str:
        """What was said in a recording, "" for nothing. Raises ToolError with a short reason."""
        import httpx2

        try:
            async with asyncio.timeout(TOTAL_S):
                body = await self._asked(name, data)
        except TimeoutError:
            raise ToolError(f"the transcription took longer than {TOTAL_S:.0f} s") from None
        except httpx2.HTTPError as error:
            raise ToolError(f"the transcription service can't be reached: {type(error).__name__}") from None
        return text_of(body)

    async def _asked(self, name: str, data: bytes) -> bytes:
        import httpx2

        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        fields, files = {"model": self.model, "response_format": "json"}, {"file": (name, data)}
        timeout = httpx2.Timeout(TOTAL_S, connect=CONNECT_S)
        # Beside the event loop: it reads the certificates.
        transport = self._transport or await asyncio.to_thread(httpx2.AsyncHTTPTransport, trust_env=False)
        async with (
            httpx2.AsyncClient(transport=transport, timeout=timeout, trust_env=False) as client,
            client.stream("POST", self.url, headers=headers, data=fields, files=files) as reply,
        ):
            if reply.status_code != 200:
                raise ToolError(f"the transcription service answered with status {reply.status_code}")
            body = bytearray()
            async for piece in reply.aiter_bytes():
                body += piece
                if len(body) > MOST_BYTES:
                    raise ToolError("the transcription service's answer is too long")
        return bytes(body)


def text_of(body: bytes) -> str:
    """The text of an answer. Raises ToolError."""
    try:
        found = json.loads(body)["text"]
    except (ValueError, KeyError, TypeError, RecursionError):
        found = None
    if not isinstance(found, str):
        raise ToolError("the transcription service's answer can't be read")
    text = " ".join(found.encode("utf-8", "replace").decode().split())
    return text if len(text) <= MOST else text[: MOST - 1] + "…"
