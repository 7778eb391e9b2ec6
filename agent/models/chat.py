"""A model behind an OpenAI-compatible endpoint, streamed: the port `Model` over HTTP.

A call is given out only after the stream's explicit end; a stream that is cut, reset or silent before it is a failed
attempt and leaves nothing behind.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import traceback
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from agent.causes import because, dump, english, masked
from agent.models.assembly import OK, Assembly, Limits, Reply
from agent.models.cutting import expected_of
from agent.models.incoming import Incoming, Reported
from agent.models.patience import Late, Patience
from agent.models.refusal import as_refusal
from agent.models.request import body_of, call_ids
from agent.models.seeing import blind, seen
from agent.models.sse import Garbled
from agent.models.tokens import usage_of
from agent.models.verdict import Fault, judge
from agent.ports import Clock, Delta, Message
from agent.steps import Failed, Said, ToolSpec, Trouble, Usage
from agent.why import Why

if TYPE_CHECKING:
    import httpx2

    from agent.models.wire import Response, Wire

USAGE_GRACE_S = 2.0  # seconds for the usage chunk after the end of a reply
DONE_GRACE_S = 0.05  # seconds for the end of the body after [DONE], so that the connection can be used again

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """One model. Time limits are in seconds; an empty key is for servers that need none."""

    base_url: str
    name: str
    api_key: str = field(default="", repr=False)
    connect_timeout_s: float = 10.0
    first_byte_timeout_s: float = 120.0
    idle_timeout_s: float = 60.0
    total_timeout_s: float = 900.0
    sees: bool = False  # takes pictures
    limits: Limits = Limits()  # noqa: RUF009 - frozen


@dataclass(slots=True)
class _Attempt:
    """What is known of the reply in the making."""

    assembly: Assembly
    started: float  # monotonic
    body: bytes = b""


class OpenAIChat:
    """Implements `agent.ports.Model`. One instance serves all sessions of an event loop; `close` it at the end.

    `transport` stands in for the network in tests.
    """

    def __init__(
        self, settings: ModelSettings, clock: Clock, transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        self.name = settings.name
        self._settings = settings
        self._clock = clock
        self._transport = transport
        self._wire: Wire | None = None
        self._building = threading.Lock()
        self._asks_usage, self._sees = True, settings.sees

    def warm(self) -> None:
        """Load the HTTP client and build it, a tenth of a second of blocking work: for a thread at start.
        Raises nothing; what can't be built now is reported by the first `reply`."""
        try:
            self._connect()
            from agent.models.wire import rehearse

            rehearse()
        except Exception as error:
            log.warning("the model client could not be built: %s", type(error).__name__)

    async def close(self) -> None:
        """Close all connections."""
        if self._wire is not None:
            await self._wire.close()

    async def reply(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncGenerator[Delta | Said | Failed, None]:
        """Yield Deltas, then exactly one Said or Failed. Raises nothing but CancelledError. Closing the generator, or
        cancelling its consumer, closes the HTTP stream."""
        attempt = _Attempt(Assembly(self._settings.limits), self._clock.monotonic())
        outcome: Reply | Fault
        try:
            async with aclosing(self._stream(attempt, messages, tools)) as deltas:
                async for delta in deltas:
                    yield delta
            outcome = attempt.assembly.reply(call_ids(messages), self.name)
        except Exception as error:
            outcome = as_refusal(self._explain(error), [tool.name for tool in tools], self.name)
        yield self._fact(outcome, attempt)

    async def _stream(
        self, attempt: _Attempt, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncGenerator[Delta, None]:
        limits = self._settings
        patience = Patience(limits.first_byte_timeout_s, limits.idle_timeout_s, limits.total_timeout_s)
        incoming = Incoming(attempt.assembly)
        response = await patience.wait(self._send(attempt, messages, tools))
        try:
            piece: bytes | None = b""
            while piece is not None and not attempt.assembly.full:
                piece = await self._piece(response, patience, attempt.assembly)
                text = incoming.close() if piece is None else incoming.feed(piece)
                if incoming.done or attempt.assembly.finished:
                    patience.hurry(DONE_GRACE_S if incoming.done else USAGE_GRACE_S)
                if text:
                    yield Delta(text)
                patience.heard()  # only now: the time that the consumer took is not the server's silence
        finally:
            await response.close()

    async def _piece(self, response: Response, patience: Patience, assembly: Assembly) -> bytes | None:
        try:
            return await patience.wait(response.read())
        except Exception:
            if assembly.finished:  # the reply is whole, whatever became of the connection
                return None
            raise

    async def _send(self, attempt: _Attempt, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Response:
        wire = self._wire
        if wire is None:
            wire = await asyncio.to_thread(self._connect)
        shown = await asyncio.to_thread(seen, messages) if self._sees else blind(messages)
        try:
            return await self._post(wire, attempt, shown, tools)
        except Exception as error:
            plain = blind(messages)
            if plain == shown or not wire.refuses(error):
                raise
        log.info("the model %s takes no pictures; it is sent words alone from now on", self.name)
        self._sees = False
        return await self._post(wire, attempt, plain, tools)

    async def _post(
        self, wire: Wire, attempt: _Attempt, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> Response:
        body = body_of(self.name, messages, tools, self._asks_usage)
        attempt.body = body
        try:
            return await wire.send(body)
        except Exception as error:
            if not (self._asks_usage and wire.complains_of_usage(error)):
                raise
        log.info("the endpoint takes no stream_options; usage is estimated from now on")
        self._asks_usage = False
        return await wire.send(body_of(self.name, messages, tools, self._asks_usage))

    def _connect(self) -> Wire:
        with self._building:
            if self._wire is None:
                from agent.models.wire import Wire

                settings = self._settings
                self._wire = Wire(settings.base_url, settings.api_key, settings.connect_timeout_s, self._transport)
            return self._wire

    def _explain(self, error: Exception) -> Fault:
        name = self.name
        match error:
            case Late():
                return Fault(Trouble.RETRY, (because(error.why, name, error.seconds), because(Why.ASK_AGAIN)))
            case Garbled():
                return Fault(Trouble.RETRY, (because(Why.GARBLED, name, error.what),), OK)
            case Reported():
                return judge(error.complaint, name)
            case ImportError():
                return Fault(Trouble.BUG, (because(Why.NO_CLIENT), because(Why.INSTALL_AFRESH)))
        from agent.models.wire import explain

        fault = explain(error, name, self._clock.now())
        if fault is None:
            # The message of an exception may hold parts of the conversation; where it came from doesn't.
            place = traceback.extract_tb(error.__traceback__)[-1]
            log.error("%s in our own code at %s:%s", type(error).__name__, place.name, place.lineno)
            return Fault(Trouble.BUG, (because(Why.OUR_FAULT, name, type(error).__name__), because(Why.REPORT)))
        return fault

    def _fact(self, outcome: Reply | Fault, attempt: _Attempt) -> Said | Failed:
        at, duration = self._clock.now(), self._clock.monotonic() - attempt.started
        received, report = attempt.assembly.received, attempt.assembly.usage
        # An attempt that brought nothing cost nothing that we know of.
        usage = usage_of(report, len(attempt.body), received) if received or report else Usage()
        if isinstance(outcome, Reply):
            return Said(
                at=at,
                text=outcome.text,
                calls=outcome.calls,
                finish=outcome.finish,
                model=self.name,
                usage=replace(usage, expected=expected_of(attempt.body, usage)),
                duration=duration,
            )
        causes = [masked(cause, self._without_key) for cause in outcome.causes]
        return Failed(
            at=at,
            trouble=outcome.trouble,
            text=english(*causes),
            causes=dump(*causes),
            status=outcome.status,
            retry_after=outcome.retry_after,
            limit=outcome.limit,
            asked=outcome.asked,
            hint=outcome.hint,
            tools=outcome.tools,
            suspects=outcome.suspects,
            model=self.name,
            usage=usage,
            duration=duration,
        )

    def _without_key(self, text: str) -> str:
        key = self._settings.api_key
        return text.replace(key, "(key)") if key else text
