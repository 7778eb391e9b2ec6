"""A strict OpenAI-compatible model server on loopback that follows scripts."""

from __future__ import annotations

import itertools
import json
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from tests.fakes.bell import Bell
from tests.fakes.http import Reply, Request, Server, Stream, json_reply
from tests.fakes.model.steps import Say, Script, Step, Use
from tests.fakes.model.stream import answer, error
from tests.fakes.model.turn import Binder, Turn
from tests.fakes.model.validate import Invalid, text_of, validate

MODEL = "test-model"
KEY = "sk-test-000000000000000000000000"


@dataclass(slots=True)
class ModelRequest:
    """One request, in the order of arrival. kind: main (of a script), aux (no script, or one without its tools),
    invalid, refused (key, `reject`), other (another path). Times are monotonic seconds."""

    seq: int
    at: float
    path: str
    raw: bytes
    body: dict[str, Any] = field(default_factory=dict)
    kind: str = "other"
    script: str = ""
    instance: str = ""
    position: int = 0
    injected: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    violation: str = ""
    done_at: float | None = None  # the last byte was written; None if the client left before

    @property
    def results(self) -> list[str]:
        """The tool results it carries."""
        return [text_of(each.get("content")) for each in self.body.get("messages", []) if each["role"] == "tool"]


class FakeModel:
    """`violations` are the requests a strict provider refuses; a product has none of them."""

    def __init__(self, max_chars: int | None = None) -> None:
        self.max_chars = max_chars  # the context, in characters
        self.refuse_remarks = ""  # a regular expression: remarks that this provider refuses with 400
        self.reject: Callable[[dict[str, Any]], str] | None = None  # body -> why it is refused, "" if it isn't
        self.asides: list[Step] = []  # answers to requests of kind aux, in order; the last one repeats
        self.requests: list[ModelRequest] = []
        self.bell = Bell()
        self.server = Server(self._handle)
        self._scripts: dict[str, Script] = {}
        self._next: list[Step] = []
        self._attempts: Counter[tuple[str, str, int, int]] = Counter()
        self._binder = Binder()

    async def __aenter__(self) -> Self:
        await self.server.start()
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self.server.stop()

    @property
    def url(self) -> str:
        """The base URL, as in JARVIS_MODEL__BASE_URL."""
        return f"http://127.0.0.1:{self.server.port}/v1"

    @property
    def violations(self) -> list[ModelRequest]:
        return [request for request in self.requests if request.violation]

    def script(self, name: str, script: Script) -> str:
        """Register a script or a policy; returns the tag that binds a message to it."""
        self._scripts[name] = script
        return f"[[script:{name}]]"

    def next(self, *steps: Step) -> None:
        """Answer the next requests with these, whatever the scripts say."""
        self._next += steps

    def main(self, script: str) -> list[ModelRequest]:
        return [request for request in self.requests if request.kind == "main" and request.script == script]

    async def wait_request(self, match: Callable[[ModelRequest], bool], timeout: float = 10) -> ModelRequest:
        """The first request that matches. Raises TimeoutError."""
        return await self.bell.until(lambda: next(filter(match, self.requests), None), timeout)

    async def _handle(self, request: Request) -> Reply | Stream:
        record = ModelRequest(len(self.requests) + 1, time.monotonic(), request.path, request.body)
        self.requests.append(record)
        try:
            reply = await self._route(request, record)
        finally:
            self.bell.ring()
        if isinstance(reply, Stream):
            return Stream(self._timed(reply.chunks, record), reply.content_type)
        record.done_at = time.monotonic()
        return reply

    async def _timed(self, chunks: AsyncIterator[bytes], record: ModelRequest) -> AsyncIterator[bytes]:
        async for chunk in chunks:
            yield chunk
        record.done_at = time.monotonic()

    async def _route(self, request: Request, record: ModelRequest) -> Reply | Stream:
        if request.headers.get("authorization") != f"Bearer {KEY}":
            record.kind = "refused"
            return error(401, "Incorrect API key provided", code="invalid_api_key")
        match request.method, request.path.removeprefix("/v1"):
            case "GET", "/models":
                model = {"id": MODEL, "object": "model", "created": 1, "owned_by": "tests"}
                return json_reply({"object": "list", "data": [model]})
            case "POST", "/chat/completions":
                return await self._chat(record)
        return error(404, f"Unknown request URL: {request.method} {request.path}", code="unknown_url")

    async def _chat(self, record: ModelRequest) -> Reply | Stream:
        try:
            record.body = self._checked(record)
        except Invalid as no:
            record.kind, record.violation = "invalid", str(no)
            return error(400, str(no), no.param, no.code)
        if self.reject and (why := self.reject(record.body)):
            record.kind = "refused"
            return error(400, why)
        step = self._choose(record)
        self.bell.ring()
        return await answer(step, record.body, len(record.raw))

    def _checked(self, record: ModelRequest) -> dict[str, Any]:
        try:
            body = json.loads(record.raw)
        except ValueError:
            raise Invalid("We could not parse the JSON body of your request.", "") from None
        record.remarks = validate(body, self.max_chars)
        for remark in record.remarks:
            if self.refuse_remarks and re.search(self.refuse_remarks, remark):
                raise Invalid(remark, "messages")
        return dict(body)

    def _choose(self, record: ModelRequest) -> Step:
        turn = self._binder.bind(record.body)
        script = self._scripts.get(turn.script) if turn else None
        if turn:
            record.script, record.instance, record.position = turn.script, turn.instance, turn.position
            record.injected = turn.injected
        known = script is not None and (record.body.get("tools") or not _wants_tools(script))
        record.kind = "main" if known else "aux"
        if self._next:
            return self._next.pop(0)
        if turn is None or script is None or record.kind == "aux":
            return self.asides.pop(0) if len(self.asides) > 1 else (self.asides or ["ok"])[0]
        return script(turn) if callable(script) else self._step(turn, script)

    def _step(self, turn: Turn, script: Sequence[Step | list[Step]]) -> Step:
        step = script[min(turn.position, len(script) - 1)]
        if not isinstance(step, list):
            return step
        point = (turn.script, turn.instance, turn.start, turn.position)
        self._attempts[point] += 1
        return step[min(self._attempts[point], len(step)) - 1]


def _wants_tools(script: Script) -> bool:
    if callable(script):
        return True
    steps = [each for step in script for each in (step if isinstance(step, list) else [step])]
    return any(isinstance(step, Use) or (isinstance(step, Say) and step.calls) for step in steps)


def unstable(requests: Sequence[ModelRequest], tag: str) -> str:
    """What breaks the prompt cache between consecutive requests of a leg, "" if nothing does.

    Everything of a request but its tail must open the next one, byte for byte. The tail is what follows the last
    result, reply or tagged message.
    """
    for earlier, later in itertools.pairwise(requests):
        kept = list(earlier.body["messages"])
        while kept and kept[-1]["role"] not in ("tool", "assistant") and tag not in text_of(kept[-1].get("content")):
            kept.pop()
        for index, message in enumerate(kept):
            if json.dumps([message]) != json.dumps(later.body["messages"][index : index + 1]):
                return f"request {later.seq} changes message {index} of request {earlier.seq}"
        tools = earlier.body.get("tools", [])
        if json.dumps(later.body.get("tools", [])[: len(tools)]) != json.dumps(tools):
            return f"request {later.seq} changes the tools of request {earlier.seq}"
    return ""
