"""Where python-telegram-bot meets HTTP: every answer of the Bot API becomes a result or one of two errors that keep
the status code, and a batch of updates survives an element that the JSON parser can't take."""

from __future__ import annotations

import json
import re
import ssl
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import httpx
from telegram.error import TelegramError
from telegram.request import BaseRequest, HTTPXRequest, RequestData

CONNECT_S = 5.0
READ_S = 20.0
POOL_S = 5.0
KEPT = 8  # connections: before each request the library looks at every idle one, 40 us each
KEEP_ALIVE_S = 30.0  # well under what servers and NATs keep; each new connection costs a TLS handshake

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_UPDATE_ID = re.compile(r'"update_id"\s*:\s*(\d{1,18})(?!\d)')
_RETRY_AFTER = re.compile(r"retry after (\d{1,9})")


class ApiRefusal(TelegramError):
    """The server answered, but not with success.

    `api` says whether the answer was the Bot API's own (JSON with a description) and not a proxy's page; `retry_after`
    is in seconds, `moved_to` the new id of a group that became a supergroup.
    Source: https://core.telegram.org/bots/api#making-requests, #responseparameters
    """

    def __init__(
        self, code: int, description: str, *, api: bool, retry_after: float | None = None, moved_to: int | None = None
    ) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.api = api
        self.retry_after = retry_after
        self.moved_to = moved_to


class Garbled(TelegramError):
    """The server reported success, but its answer can't be read."""

    def __init__(self) -> None:
        super().__init__("the server's answer can't be read")


@dataclass(frozen=True, slots=True)
class Broken:
    """An update that is no readable JSON. `text` is what came over the wire, `update_id` None if even that is lost."""

    text: str
    update_id: int | None


class Wire(BaseRequest):
    """Wraps the request class that does the work, and takes over what answers mean.

    python-telegram-bot's own mapping loses the status code (a 429 without parameters and a 413 both become
    NetworkError), warns on each 429 and logs the body of an answer that it can't read.
    """

    __slots__ = ("_inner",)

    def __init__(self, inner: BaseRequest) -> None:
        self._inner = inner

    @property
    def read_timeout(self) -> float | None:
        return self._inner.read_timeout

    async def initialize(self) -> None:
        await self._inner.initialize()

    async def shutdown(self) -> None:
        await self._inner.shutdown()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = BaseRequest.DEFAULT_NONE,
        write_timeout: Any = BaseRequest.DEFAULT_NONE,
        connect_timeout: Any = BaseRequest.DEFAULT_NONE,
        pool_timeout: Any = BaseRequest.DEFAULT_NONE,
    ) -> tuple[int, bytes]:
        code, payload = await self._inner.do_request(
            url, method, request_data, read_timeout, write_timeout, connect_timeout, pool_timeout
        )
        if not 200 <= code <= 299:
            raise refusal(code, payload)
        return code, payload

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        answer = _parsed(payload.decode("utf-8", "replace"))
        if not isinstance(answer, dict) or "result" not in answer:
            raise Garbled
        return answer


class PollWire(Wire):
    """A Wire for getUpdates: elements of the batch that can't be parsed come as `Broken`, the others as they are."""

    __slots__ = ()

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        text = payload.decode("utf-8", "replace")
        answer = _parsed(text)
        if isinstance(answer, dict) and "result" in answer:
            return answer
        if answer is None and (elements := salvage(text)):
            return {"result": [_element(element) for element in elements]}
        raise Garbled


def refusal(code: int, payload: bytes) -> ApiRefusal:
    """Read an answer that isn't a success; copes with any body."""
    answer = _parsed(payload.decode("utf-8", "replace"))
    description = answer.get("description") if isinstance(answer, dict) else None
    if not isinstance(answer, dict) or not isinstance(description, str):
        return ApiRefusal(code, f"HTTP status {code}", api=False, retry_after=5.0 if code == 429 else None)
    given = answer.get("parameters")
    parameters = given if isinstance(given, dict) else {}
    return ApiRefusal(
        code,
        description[:300],
        api=True,
        retry_after=_retry_after(code, description, parameters.get("retry_after")),
        moved_to=moved if type(moved := parameters.get("migrate_to_chat_id")) is int else None,
    )


def _retry_after(code: int, description: str, told: object) -> float | None:
    if isinstance(told, int | float) and told > 0:
        return float(told)
    if code != 429:
        return None
    match = _RETRY_AFTER.search(description)
    return float(match[1]) if match else 5.0


def salvage(text: str) -> list[str]:
    """The raw objects in the result array of an answer that is whole by its brackets; empty for a cut answer."""
    elements: list[str] = []
    depth = start = 0
    for match in _TOKEN.finditer(text):
        bracket = match[0][0]
        if bracket in "[{":
            depth += 1
            if depth == 3:  # { "result": [ {
                start = match.start()
        elif bracket in "]}":
            if depth == 3:
                elements.append(text[start : match.end()])
            depth -= 1
    return elements if depth == 0 else []


def _element(text: str) -> object:
    parsed = _parsed(text)
    if parsed is not None:
        return parsed
    match = _UPDATE_ID.search(text)
    return Broken(text, int(match[1]) if match else None)


def _parsed(text: str) -> object:
    """None for what is no JSON, or nested deeper or with longer numbers than the parser takes."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


@lru_cache(maxsize=2)
def _trust(tls: bool) -> ssl.SSLContext:
    """One TLS context for all clients. Loading certificates takes 25 ms: a plain http address (a local Bot API server)
    gets an empty context, which trusts nobody."""
    return httpx.create_ssl_context() if tls else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def http_request(api_url: str, connections: int) -> BaseRequest:
    """The real thing, over httpx."""
    limits = httpx.Limits(
        max_connections=connections, max_keepalive_connections=min(connections, KEPT), keepalive_expiry=KEEP_ALIVE_S
    )
    return HTTPXRequest(
        connection_pool_size=connections,
        read_timeout=READ_S,
        write_timeout=READ_S,
        connect_timeout=CONNECT_S,
        pool_timeout=POOL_S,
        httpx_kwargs={"verify": _trust(not api_url.startswith("http://")), "limits": limits},
    )
