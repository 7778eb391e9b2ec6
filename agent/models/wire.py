"""The HTTP side of a model: one request out, pieces of a response back, and what its errors mean.

Over httpx2, the transport of the official client library, and without that library: for one kind of POST it took 0.4 s
and 28 MB to import, walked every message of a request against its types (30 ms for 100 messages, where this takes 1),
read error bodies without a bound and sent word of the host's platform along. `chat` loads this file when first needed.
"""

from __future__ import annotations

import contextlib
import json
import ssl
from collections.abc import Iterator, Mapping
from functools import cache

import anyio
import httpx2

from agent.causes import because
from agent.models.complaint import complaint_of
from agent.models.verdict import Fault, judge
from agent.steps import Trouble
from agent.why import Why

ERROR_BODY_LIMIT = 65_536  # bytes read of a response that reports an error
_HEADERS = {
    "Accept": "text/event-stream, application/json",
    "Accept-Encoding": "identity",
    "Content-Type": "application/json",
    "User-Agent": "jarvis",
}


class NotOk(Exception):
    """A response whose status isn't 2xx. `body` is parsed JSON or the text, the first 64 kB of it."""

    def __init__(self, status: int, body: object, headers: Mapping[str, str]) -> None:
        super().__init__(f"status {status}")
        self.status, self.body, self.headers = status, body, headers


class Wire:
    """A connection pool to one endpoint. Building it reads certificates from disk: not in the event loop.

    `connect_timeout` is in seconds; `transport` stands in for the network in tests. Raises what `explain` explains.
    """

    def __init__(
        self, base_url: str, api_key: str, connect_timeout: float, transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._headers = _HEADERS | ({"Authorization": f"Bearer {api_key}"} if api_key else {})
        self._client = httpx2.AsyncClient(
            # A timer of the library beside ours would only blur which deadline passed.
            timeout=httpx2.Timeout(None, connect=connect_timeout),
            transport=transport,
            verify=_trusted(not base_url.startswith("http://")),
            limits=httpx2.Limits(max_connections=200, max_keepalive_connections=20, keepalive_expiry=30),
            # A redirect would carry the conversation to a host that nobody configured.
            follow_redirects=False,
        )

    async def send(self, body: bytes) -> Response:
        """Post a request; returns when the response's head is there. Raises what `explain` explains."""
        request = self._client.build_request("POST", self._url, content=body, headers=self._headers)
        response = await self._client.send(request, stream=True)
        if response.is_success:
            return Response(response)
        try:
            raise NotOk(response.status_code, await _error_body(response), response.headers)
        finally:
            await response.aclose()

    async def close(self) -> None:
        await self._client.aclose()

    def complains_of_usage(self, error: Exception) -> bool:
        """Whether a server refused the request because it was asked for usage."""
        if not isinstance(error, NotOk) or error.status not in (400, 422):
            return False
        return "stream_options" in str(error.body) or "include_usage" in str(error.body)

    def refuses(self, error: Exception) -> bool:
        """Whether a server refused the request as it is, and might take another."""
        return isinstance(error, NotOk) and error.status in (400, 404, 415, 422)


async def _error_body(response: httpx2.Response) -> object:
    """What a refusal says, as far as it can be read."""
    raw = b""
    with contextlib.suppress(httpx2.HTTPError, httpx2.StreamError):
        async for piece in response.aiter_bytes():
            raw += piece[: ERROR_BODY_LIMIT - len(raw)]
            if len(raw) >= ERROR_BODY_LIMIT:
                break
    text = raw.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def rehearse() -> None:
    """Load what the transport would load at its first request, 30 ms. Not in a thread that runs an event loop."""
    anyio.run(anyio.sleep, 0)


@cache
def _trusted(tls: bool) -> ssl.SSLContext:
    """The certificates to trust; reading them takes 30 ms, and models of one process share them. A plain http address
    (a local model server) gets a context that trusts nobody, and is never redirected to a place that needs one."""
    return httpx2.create_ssl_context() if tls else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class Response:
    """The body of a response, piece by piece."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response
        self._pieces = response.aiter_bytes()

    async def read(self) -> bytes | None:
        """The next piece; None at the end."""
        return await anext(self._pieces, None)

    async def close(self) -> None:
        await self._response.aclose()


def explain(error: Exception, model: str, now: float) -> Fault | None:
    """The class and the sentence of what `send` or `read` raised; None for what is not the network's. `now` is wall
    time."""
    match error:
        case NotOk():
            return judge(complaint_of(error.status, error.body, error.headers, now), model)
        case httpx2.TimeoutException():
            return Fault(Trouble.RETRY, (because(Why.NO_CONNECTION, model),))
        case httpx2.HTTPError() | httpx2.StreamError():
            return _network(error, model)
        case UnicodeEncodeError():
            return Fault(Trouble.USER, (because(Why.KEY_UNSENDABLE, model),))
        case httpx2.InvalidURL():
            return _address(model)
    return None


def _network(error: Exception, model: str) -> Fault:
    causes = list(_causes(error))
    if any(isinstance(cause, httpx2.UnsupportedProtocol | httpx2.InvalidURL) for cause in causes):
        return _address(model)
    if any(isinstance(cause, httpx2.LocalProtocolError) for cause in causes):
        return Fault(Trouble.USER, (because(Why.KEY_UNSENDABLE, model),))
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return Fault(Trouble.USER, (because(Why.UNTRUSTED, model), because(Why.CHECK_ADDRESS)))
    if any(isinstance(cause, httpx2.ConnectError) for cause in causes):
        return Fault(Trouble.RETRY, (because(Why.UNREACHABLE, model), because(Why.CHECK_SERVER)))
    return Fault(Trouble.RETRY, (because(Why.BROKE_OFF, model),))


def _address(model: str) -> Fault:
    return Fault(Trouble.USER, (because(Why.BAD_ADDRESS, model), because(Why.CORRECT_IT)))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
