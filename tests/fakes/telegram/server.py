"""A strict Bot API server on loopback: what people do goes in, what the bot calls is checked, applied and logged."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any, Self

from tests.fakes.bell import Bell
from tests.fakes.http import Reply, Request, Reset, Server, json_reply
from tests.fakes.telegram.chats import Chats
from tests.fakes.telegram.faults import Fault, Faults, Flood
from tests.fakes.telegram.methods import METHODS
from tests.fakes.telegram.people import People
from tests.fakes.telegram.queue import Updates
from tests.fakes.telegram.wire import ApiCall, ApiError, Json, bad, parameters

TOKEN = "1000:TEST-token"
ME = {
    "id": 1000,
    "is_bot": True,
    "first_name": "Jarvis",
    "username": "jarvis_test_bot",
    "can_join_groups": True,
    "can_read_all_group_messages": True,
    "supports_inline_queries": False,
    "can_connect_to_business": False,
    "has_main_web_app": False,
    "has_topics_enabled": True,
    "allows_users_to_create_topics": False,
}
EVER = 3600.0  # seconds of a hang


class FakeTelegram:
    """`calls` has every call but getUpdates, which are in `polls`; `people` acts, `chats` is the state behind."""

    def __init__(self, token: str = TOKEN) -> None:
        self.token = token
        self.bell = Bell()
        self.chats = Chats(dict(ME))
        self.updates = Updates(self.bell)
        self.people = People(self.chats, self.updates)
        self.faults = Faults()
        self.flood = Flood()
        self.calls: list[ApiCall] = []
        self.polls: list[ApiCall] = []
        self.server = Server(self._handle)

    async def __aenter__(self) -> Self:
        await self.server.start()
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self.server.stop()

    @property
    def url(self) -> str:
        """The API root, as in JARVIS_TELEGRAM__API_URL."""
        return f"http://127.0.0.1:{self.server.port}"

    def screen(self, chat: int) -> list[str]:
        """The texts and captions that a person sees now from the bot, oldest first."""
        return [str(message.get("text") or message.get("caption") or "") for message in self.chats.screen(chat)]

    async def wait_call(self, match: Callable[[ApiCall], bool], timeout: float = 10, after: int = 0) -> ApiCall:
        """The first answered call with seq > after that matches. Raises TimeoutError."""
        return await self.bell.until(
            lambda: next((call for call in self.calls[after:] if call.status is not None and match(call)), None),
            timeout,
        )

    async def wait_poll(self, timeout: float = 30, after: int = 0) -> ApiCall:
        """The first getUpdates that comes when `after` of them have come. Raises TimeoutError."""
        return await self.bell.until(lambda: self.polls[after] if len(self.polls) > after else None, timeout)

    async def wait_confirmed(self, update_id: int, timeout: float = 10) -> None:
        """Until the offset has passed this update. Raises TimeoutError."""
        await self.bell.until(lambda: all(each["update_id"] > update_id for each in self.updates.pending), timeout)

    async def _handle(self, request: Request) -> Reply:
        where, _, rest = request.path.lstrip("/").partition("/")
        if where == "file":
            return self._download(rest)
        if where != f"bot{self.token}":
            return json_reply(ApiError(401, "Unauthorized").body(), 401)
        call = self._record(rest)
        try:
            call.params, call.files = parameters(request)
            answer = await self._with_fault(call)
        except ApiError as no:
            call.error = no.description
            answer = json_reply(no.body(), no.code)
        except Reset:
            self._close(call, 0)
            raise
        self._close(call, answer.status)
        return answer

    def _record(self, method: str) -> ApiCall:
        log = self.polls if method == "getUpdates" else self.calls
        log.append(ApiCall(len(log) + 1, time.monotonic(), method, {}))
        return log[-1]

    def _close(self, call: ApiCall, status: int) -> None:
        call.status, call.done_at = status, time.monotonic()
        self.bell.ring()

    async def _with_fault(self, call: ApiCall) -> Reply:
        self.bell.ring()
        fault = self.faults.take(call)
        if fault is None:
            return await self._carry_out(call)
        return await self._suffer(call, fault)

    async def _suffer(self, call: ApiCall, fault: Fault) -> Reply:
        await asyncio.sleep(fault.delay)
        if fault.apply:
            with contextlib.suppress(ApiError):
                await self._carry_out(call)
        if fault.hang:
            await asyncio.sleep(EVER)
        if fault.reset:
            raise Reset
        if not fault.status:
            return await self._carry_out(call)
        if isinstance(fault.body, str):
            return Reply(fault.status, fault.body.encode(), "text/html")
        return json_reply(fault.body or ApiError(fault.status, "Injected fault").body(), fault.status)

    async def _carry_out(self, call: ApiCall) -> Reply:
        result = await self.updates.poll(call.params) if call.method == "getUpdates" else self._apply(call)
        call.result = dict(result) if isinstance(result, dict) else result  # a later edit must not rewrite the log
        return json_reply({"ok": True, "result": result})

    def _apply(self, call: ApiCall) -> Json:
        if call.method == "deleteWebhook":
            self.updates.webhook = ""
            if call.params.get("drop_pending_updates"):
                raise bad("the fake refuses to drop pending updates: nothing pending is ever dropped")
            return True
        if call.method == "getWebhookInfo":
            pending = len(self.updates.pending)
            return {"url": self.updates.webhook, "has_custom_certificate": False, "pending_update_count": pending}
        if call.method not in METHODS:
            raise ApiError(404, "Not Found: method not found")
        self.flood.check(call)
        return METHODS[call.method](self.chats, call.params, call.files)

    def _download(self, rest: str) -> Reply:
        token, _, path = rest.partition("/")
        stored: Any = next((each for each in self.chats.files.values() if each.path == path), None)
        if token != f"bot{self.token}" or stored is None:
            return json_reply(ApiError(404, "Not Found").body(), 404)
        return Reply(200, stored.data, "application/octet-stream")
