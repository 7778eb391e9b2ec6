"""A strict Bot API in process, behind python-telegram-bot's `BaseRequest`: for tests that need no socket.

Rules and wording follow https://core.telegram.org/bots/api.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from telegram.request import BaseRequest, RequestData

from tests.fakes.bell import Bell

METHODS = {
    "getMe", "getUpdates", "deleteWebhook", "sendMessage", "editMessageText", "sendChatAction", "setMessageReaction",
    "answerCallbackQuery", "setMyCommands", "sendMessageDraft",
}  # fmt: skip
ME = {
    "id": 1000,
    "is_bot": True,
    "first_name": "Jarvis",
    "username": "jarvis_test_bot",
    "can_join_groups": True,
    "can_read_all_group_messages": False,
}


@dataclass(frozen=True, slots=True)
class Called:
    method: str
    params: dict[str, Any]
    read_timeout: float | None
    token: str


@dataclass(frozen=True, slots=True)
class Says:
    """Answer this instead of carrying it out; `body` as bytes goes out as it is."""

    code: int
    body: dict[str, Any] | bytes = b""


@dataclass(frozen=True, slots=True)
class Breaks:
    """The call ends in this exception; `taken`: it was carried out all the same."""

    error: Exception
    taken: bool = False


@dataclass(frozen=True, slots=True)
class Hangs:
    """The call never ends."""


Answer = Says | Breaks | Hangs


def refused(code: int, description: str, **parameters: object) -> Says:
    """An error as the Bot API words it."""
    body: dict[str, Any] = {"ok": False, "error_code": code, "description": description}
    return Says(code, {**body, "parameters": parameters} if parameters else body)


@dataclass
class FakeBotApi:
    """`script[method]` are the next answers; what isn't scripted is carried out. `push` queues an update."""

    me: dict[str, Any] = field(default_factory=lambda: dict(ME))
    script: defaultdict[str, deque[Answer]] = field(default_factory=lambda: defaultdict(deque))
    calls: list[Called] = field(default_factory=list)
    pending: list[Any] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    bell: Bell = field(default_factory=Bell)
    sent: int = 0

    def request(self, api_url: str, connections: int) -> BaseRequest:
        """A transport for the channel."""
        return FakeRequest(self)

    def push(self, *updates: object) -> None:
        self.pending.extend(updates)
        self.news.set()

    def on(self, method: str, *answers: Answer) -> None:
        self.script[method].extend(answers)

    def made(self, method: str) -> list[dict[str, Any]]:
        return [call.params for call in self.calls if call.method == method]

    async def until(self, done: Callable[[], object]) -> None:
        """Until it holds, looked at after each call and each `bell.ring()`; a hang fails the test after 5 s."""
        await self.bell.until(done, 5)

    async def answer(self, call: Called) -> tuple[int, bytes]:
        self.calls.append(call)
        self.bell.ring()
        match self.script[call.method].popleft() if self.script[call.method] else None:
            case Says(code, bytes(body)):
                return code, body
            case Says(code, body):
                return code, json.dumps(body).encode()
            case Breaks(error, taken):
                if taken:
                    await self._carry_out(call)
                raise error
            case Hangs():
                await asyncio.Event().wait()
        try:
            return 200, json.dumps({"ok": True, "result": await self._carry_out(call)}).encode()
        except Refusal as no:
            return 400, json.dumps({"ok": False, "error_code": 400, "description": f"Bad Request: {no}"}).encode()

    async def _carry_out(self, call: Called) -> object:
        if call.method not in METHODS:
            raise Refusal("method not found")
        if "parse_mode" in call.params:
            raise Refusal("can't parse entities: this fake wants entities, not a parse mode")
        match call.method:
            case "getMe":
                return self.me
            case "getUpdates":
                return await self._updates(call.params)
            case "deleteWebhook" if call.params.get("drop_pending_updates"):
                raise Refusal("nothing pending is ever dropped")
            case "sendMessage" | "editMessageText":
                return self._message(call.params)
        return True

    async def _updates(self, params: dict[str, Any]) -> list[Any]:
        if not isinstance(params.get("allowed_updates"), list) or not 0 < params["timeout"] <= 50:
            raise Refusal("bad getUpdates parameters")
        offset = params.get("offset", 0)
        self.pending = [update for update in self.pending if not _confirmed(update, offset)]
        while not self.pending:
            self.news.clear()
            await self.news.wait()
        return self.pending[:100]

    def _message(self, params: dict[str, Any]) -> dict[str, Any]:
        text = params.get("text", "")
        if not text.strip():
            raise Refusal("message text is empty")
        if len(text.encode("utf-16-le", "surrogatepass")) // 2 > 4096:
            raise Refusal("message is too long")
        for row in params.get("reply_markup", {}).get("inline_keyboard", []):
            for button in row:
                if not 1 <= len(button["callback_data"].encode()) <= 64:
                    raise Refusal("BUTTON_DATA_INVALID")
        self.sent += 1
        return {"message_id": self.sent, "date": 1, "chat": {"id": params["chat_id"], "type": "private"}, "text": text}


def _confirmed(update: Any, offset: int) -> bool:
    number = update.get("update_id") if isinstance(update, dict) else None
    return isinstance(number, int) and number < offset


class Refusal(Exception):
    """A 400."""


class FakeRequest(BaseRequest):
    """Hands each call to the fake."""

    def __init__(self, api: FakeBotApi) -> None:
        self._api = api
        self._open = True

    @property
    def read_timeout(self) -> float | None:
        return 20.0

    async def initialize(self) -> None:
        self._open = True

    async def shutdown(self) -> None:
        self._open = False

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
        if not self._open:
            raise RuntimeError("this request is shut down")
        root, _, name = url.rpartition("/")
        params = request_data.parameters if request_data else {}
        json.dumps(params).encode()
        for value in params.values():
            if isinstance(value, str):
                value.encode()  # httpx refuses half of a surrogate pair
        limit = read_timeout if isinstance(read_timeout, int | float) else self.read_timeout
        return await self._api.answer(Called(name, dict(params), limit, root.rpartition("/bot")[2]))
