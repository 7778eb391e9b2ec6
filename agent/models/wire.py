"""The HTTP side of a model: one request out, pieces of a response back, and what its errors mean.

The only file that imports the client library, which takes half a second: `chat` loads it when it is first needed. The
library's generic `post` is used instead of `chat.completions.create`: that one walks every message of the request
against its types, which took 30 ms for 100 messages where this takes 1.3, and parses each chunk for 0.13 ms.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterator
from functools import cache

import anyio
import httpx2
import openai

from agent.models.complaint import complaint_of
from agent.models.verdict import Fault, judge
from agent.steps import Trouble

ERROR_BODY_LIMIT = 65_536  # bytes read of a response that reports an error
_HEADERS = {"Accept": "text/event-stream, application/json", "Accept-Encoding": "identity"}


class Wire:
    """A connection pool to one  Building it reads certificates from disk: not in the event loop.

    `connect_timeout` is in seconds; `transport` stands in for the network in tests. Raises what `explain` explains.
    """

    def __init__(
        self, base_url: str, api_key: str, connect_timeout: float, transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        # A timer of the library beside ours would only blur which deadline passed.
        timeout = httpx2.Timeout(None, connect=connect_timeout)
        self._client = openai.AsyncOpenAI(
            base_url=base_url,
            # A server on the same machine needs no key, but the library insists on one.
            api_key=api_key or "none",
            max_retries=0,
            timeout=timeout,
            http_client=httpx2.AsyncClient(
                timeout=timeout,
                transport=transport,
                verify=_trusted(),
                limits=httpx2.Limits(max_connections=200, max_keepalive_connections=20, keepalive_expiry=30),
                event_hooks={"response": [_bound_error_body]},
            ),
        )

    async def send(self, body: bytes) -> Response:
        """Post a request; returns when the response's head is there. Raises what `explain` explains."""
        response = await self._client.post(
            "/chat/completions",
            content=body,
            cast_to=httpx2.Response,
            stream=True,
            # A redirect would carry the conversation to a host that nobody configured.
            options={"headers": {"Content-Type": "application/json", **_HEADERS}, "follow_redirects": False},
        )
        return Response(response)

    async def close(self) -> None:
        await self._client.close()

    def complains_of_usage(self, error: Exception) -> bool:
        """Whether a server refused the request because it was asked for usage."""
        if not isinstance(error, openai.APIStatusError) or error.status_code not in (400, 422):
            return False
        return "stream_options" in str(error.body) or "include_usage" in str(error.body)


def rehearse() -> None:
    """Load what the transport would load at its first request, 30 ms. Not in a thread that runs an event loop."""
    anyio.run(anyio.sleep, 0)


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates to trust; reading them takes 50 ms, and models of one process share them."""
    return httpx2.create_ssl_context()


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


class _Bounded(httpx2.AsyncByteStream):
    """A body of which only the first bytes are given out: the library reads an error's whole body into memory."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        room = ERROR_BODY_LIMIT
        async for piece in self._stream:
            yield piece[:room]
            room -= len(piece)
            if room <= 0:
                return

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _bound_error_body(response: httpx2.Response) -> None:
    if not response.is_success and isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream)


def explain(error: Exception, model: str, now: float) -> Fault | None:
    """The class and the sentence of what `send` or `read` raised; None for what is not the network's. `now` is wall
    time."""
    match error:
        case openai.APIStatusError():
            return judge(complaint_of(error.status_code, error.body, error.response.headers, now), model)
        case openai.APITimeoutError():
            return Fault(Trouble.RETRY, f"The endpoint of the model {model} does not take connections: it timed out.")
        case openai.APIConnectionError() | httpx2.HTTPError() | httpx2.StreamError():
            return _network(error, model)
        case UnicodeEncodeError() | openai.OpenAIError():
            return Fault(Trouble.USER, f"The key for the model {model} holds characters that can't be sent.")
        case httpx2.InvalidURL():
            return _address(model)
    return None


def _network(error: Exception, model: str) -> Fault:
    causes = list(_causes(error))
    if any(isinstance(cause, httpx2.UnsupportedProtocol | httpx2.InvalidURL) for cause in causes):
        return _address(model)
    if any(isinstance(cause, httpx2.LocalProtocolError) for cause in causes):
        return Fault(Trouble.USER, f"The key for the model {model} holds characters that can't be sent.")
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return Fault(
            Trouble.USER,
            f"The certificate of the model {model}'s endpoint is not trusted. Check the endpoint's address.",
        )
    if any(isinstance(cause, httpx2.ConnectError) for cause in causes):
        return Fault(
            Trouble.RETRY,
            f"The endpoint of the model {model} can't be reached. Check that it runs and that its address is right.",
        )
    return Fault(Trouble.RETRY, f"The connection to the model {model} broke off before the end of the reply.")


def _address(model: str) -> Fault:
    return Fault(Trouble.USER, f"The address of the model {model}'s endpoint is not a usable one. Correct it.")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
