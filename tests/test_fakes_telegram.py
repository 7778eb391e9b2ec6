"""The Bot API fake refuses what the real one refuses, keeps updates as it does, and fails as told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.fakes.telegram import OWNER, FakeTelegram, Fault, FloodLimits

GROUP, TOPIC = -100, 55


class Api:
    """Raw calls: status and body, whatever they are."""

    def __init__(self, telegram: FakeTelegram, http: httpx.AsyncClient) -> None:
        self.root, self._http = f"{telegram.url}/bot{telegram.token}", http

    async def __call__(self, method: str, params: Any = None) -> Any:
        body = json.dumps(params or {})  # as ASCII: a lone surrogate gets through
        headers = {"Content-Type": "application/json"}
        return (await self._http.post(f"{self.root}/{method}", content=body, headers=headers)).json()

    async def form(self, method: str, params: dict[str, str]) -> Any:
        return (await self._http.post(f"{self.root}/{method}", data=params)).json()


@pytest.fixture
async def api(telegram: FakeTelegram) -> AsyncIterator[Api]:
    async with httpx.AsyncClient(timeout=5) as http:
        yield Api(telegram, http)


def text(**more: Any) -> dict[str, Any]:
    return {"chat_id": OWNER, "text": "x", **more}


def keyboard(*buttons: dict[str, str]) -> dict[str, Any]:
    return text(reply_markup={"inline_keyboard": [list(buttons)]})


def mark(offset: int, length: int, kind: str = "bold") -> dict[str, Any]:
    return {"type": kind, "offset": offset, "length": length}


ACCEPTED = [
    ("sendMessage", text(text="x" * 4096)),
    ("sendMessage", text(text="😀" * 2048)),
    ("sendMessage", text(text="😀x", entities=[mark(0, 2), mark(2, 1)])),
    ("sendMessage", text(reply_parameters={"message_id": 1, "allow_sending_without_reply": True})),
    ("sendMessage", keyboard({"text": "b", "callback_data": "a" * 64})),
    ("sendMessage", {"chat_id": GROUP, "text": "x", "message_thread_id": TOPIC}),
    ("sendMessageDraft", text(draft_id=3)),
    ("sendMessageDraft", {"chat_id": OWNER, "draft_id": 3}),
    ("sendChatAction", {"chat_id": OWNER, "action": "typing"}),
    ("setMyCommands", {"commands": [{"command": "ok_1", "description": "x"}], "scope": {"type": "chat"}}),
]
REFUSED = [
    ("sendMessage", text(text="x" * 4097), "message is too long"),
    ("sendMessage", text(text="😀" * 2049), "message is too long"),
    ("sendMessage", text(text=" \n "), "text must be non-empty"),
    ("sendMessage", text(text=""), "message text is empty"),
    ("sendMessage", text(text="\ud800"), "UTF-8"),
    ("sendMessage", text(parse_mode="HTML"), "unsupported parse_mode"),
    ("sendMessage", text(entities=[mark(0, 2)]), "ends after the end"),
    ("sendMessage", text(text="😀", entities=[mark(0, 1)]), "in a middle of a UTF-16 symbol"),
    ("sendMessage", text(entities=[mark(-1, 1)]), "non-negative"),
    ("sendMessage", text(entities=[mark(0, 1, "blink")]), "Unsupported type"),
    ("sendMessage", text(entities=[mark(0, 1, "text_link")]), "url"),
    ("sendMessage", text(entities={}), "expected an Array of MessageEntity"),
    ("sendMessage", text(reply_parameters=[1]), "object expected as reply parameters"),
    ("sendMessage", text(reply_markup={"inline_keyboard": [{"text": "b"}]}), "must be an Array of Arrays"),
    ("sendMessage", text(reply_parameters={"message_id": 1}), "message to be replied not found"),
    ("sendMessage", text(message_thread_id=9), "message thread not found"),
    ("sendMessage", {"chat_id": GROUP, "text": "x", "message_thread_id": 1}, "message thread not found"),
    ("sendMessage", {"chat_id": 999, "text": "x"}, "chat not found"),
    ("sendMessage", {"text": "x"}, "chat_id is empty"),
    ("sendMessage", keyboard({"text": "b", "callback_data": "a" * 65}), "BUTTON_DATA_INVALID"),
    ("sendMessage", keyboard({"text": "b", "callback_data": ""}), "BUTTON_DATA_INVALID"),
    ("sendMessage", keyboard({"text": "b"}), "Text buttons are unallowed"),
    ("sendMessage", keyboard({"callback_data": "a"}), 'find field "text"'),
    ("sendMessage", keyboard(*[{"text": "b", "callback_data": "a"}] * 101), "REPLY_MARKUP_TOO_LONG"),
    ("sendMessageDraft", text(draft_id=0), "draft_id must be non-zero"),
    ("sendMessageDraft", {"chat_id": GROUP, "draft_id": 1, "text": "x"}, "PEER_INVALID"),
    ("sendDocument", {"chat_id": OWNER, "document": "nope"}, "wrong file identifier"),
    ("sendDocument", {"chat_id": OWNER}, "there is no document"),
    ("sendChatAction", {"chat_id": OWNER, "action": "dancing"}, "wrong parameter action"),
    ("editMessageText", text(message_id=5), "message to edit not found"),
    ("deleteMessage", {"chat_id": OWNER, "message_id": 5}, "message to delete not found"),
    ("setMessageReaction", {"chat_id": OWNER, "message_id": 5}, "message to react not found"),
    ("answerCallbackQuery", {"callback_query_id": "nope"}, "query is too old"),
    ("getFile", {"file_id": "nope"}, "invalid file_id"),
    ("setMyCommands", {"commands": [{"command": "Bad", "description": "x"}]}, "BOT_COMMAND_INVALID"),
    ("setMyCommands", {"commands": [{"command": "a", "description": ""}]}, "DESCRIPTION_INVALID"),
    ("setMyCommands", {"commands": "start"}, "can't parse commands"),
    ("setMyCommands", {"commands": [{"command": "a", "description": "x"}] * 101}, "BOT_COMMANDS_TOO_MUCH"),
    ("getChatAdministrators", {"chat_id": OWNER}, "no administrators in the private chat"),
    ("setMyCommands", {"commands": [], "scope": {"type": "moon"}}, "unsupported type"),
    ("deleteWebhook", {"drop_pending_updates": True}, "drop pending"),
    ("sendDice", {"chat_id": OWNER}, "method not found"),
]


async def test_the_legal_calls_are_accepted(telegram: FakeTelegram, api: Api) -> None:
    telegram.people.say("hi", GROUP, topic=TOPIC)
    for method, params in ACCEPTED:
        assert (await api(method, params))["ok"], (method, params)


async def test_each_broken_rule_is_refused_in_words(telegram: FakeTelegram, api: Api) -> None:
    telegram.chats.chat(GROUP)
    for method, params, words in REFUSED:
        answer = await api(method, params)
        assert not answer["ok"] and words in answer["description"], (method, params, answer)
    assert "object expected" in (await api("getMe", [1]))["description"]
    assert not telegram.screen(OWNER)


async def test_a_wrong_token_is_unauthorized(telegram: FakeTelegram, api: Api) -> None:
    telegram.token = "1000:NEW"
    assert (await api("getMe"))["error_code"] == 401 and not telegram.calls


async def test_edits_show_on_screen_and_the_log_keeps_what_was_sent(telegram: FakeTelegram, api: Api) -> None:
    sent = (await api("sendMessage", text(text="one")))["result"]["message_id"]
    assert "not modified" in (await api("editMessageText", text(message_id=sent, text="one")))["description"]
    assert (await api("editMessageText", text(message_id=sent, text="two")))["ok"]
    assert telegram.screen(OWNER) == ["two"] and telegram.calls[0].shown == "one"
    theirs = telegram.chats.messages[OWNER][telegram.people.message({"text": "mine"})["message_id"]]["message_id"]
    assert "can't be edited" in (await api("editMessageText", text(message_id=theirs, text="x")))["description"]
    react = {"chat_id": OWNER, "message_id": theirs, "reaction": [{"type": "emoji", "emoji": "👀"}]}
    assert (await api("setMessageReaction", react))["ok"]
    react["reaction"] = [{"type": "emoji", "emoji": "👀"}] * 2
    assert "TOO_MANY" in (await api("setMessageReaction", react))["description"]
    react["reaction"] = [{"type": "emoji", "emoji": "⏳"}]
    assert "REACTION_INVALID" in (await api("setMessageReaction", react))["description"]
    assert (await api("deleteMessage", {"chat_id": OWNER, "message_id": sent}))["ok"] and not telegram.screen(OWNER)


async def test_updates_come_again_until_the_offset_passes_them(telegram: FakeTelegram, api: Api) -> None:
    first, second = telegram.people.say("one"), telegram.people.say("/cmd x")

    async def poll(**params: Any) -> list[int]:
        return [update["update_id"] for update in (await api("getUpdates", params))["result"]]

    assert telegram.updates.pending[1]["message"]["entities"] == [mark(0, 4, "bot_command")]
    assert await poll() == [first, second] == await poll(offset=first)
    assert telegram.updates.delivered[first] == 2
    assert await poll(limit=1) == [first]
    assert await poll(offset=first + 1) == [second]
    assert await poll(offset=second + 1) == []
    forced = telegram.updates.make("message", {"odd": True})
    telegram.updates.force([forced, forced])
    assert await poll(offset=second + 1) == [forced["update_id"]] * 2
    waiting = asyncio.create_task(poll(offset=second + 1, timeout=20))
    await telegram.wait_poll(after=len(telegram.polls))
    third = telegram.people.say("three")
    assert await waiting == [third]
    await poll(allowed_updates=["message"])
    assert telegram.updates.put(telegram.updates.make("callback_query", {})) == -1


async def test_a_second_poller_ends_the_first_and_a_webhook_ends_both(telegram: FakeTelegram, api: Api) -> None:
    first = asyncio.create_task(api("getUpdates", {"timeout": 20}))
    await telegram.wait_poll()
    assert (await api("getUpdates"))["ok"]
    assert (await first)["error_code"] == 409
    telegram.updates.webhook = "https://example.org/hook"
    assert (await api("getUpdates"))["error_code"] == 409
    assert (await api("getWebhookInfo"))["result"]["url"] == "https://example.org/hook"
    assert (await api("deleteWebhook"))["ok"] and (await api("getUpdates"))["ok"]


async def test_a_dead_clients_poll_takes_no_update_along(telegram: FakeTelegram, api: Api) -> None:
    waiting = asyncio.create_task(api("getUpdates", {"timeout": 20}))
    await telegram.wait_poll()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await asyncio.sleep(0.05)  # the server sees the closed socket
    update = telegram.people.say("one")
    assert not telegram.updates.delivered
    assert (await api("getUpdates"))["result"][0]["update_id"] == update


async def test_faults_hit_the_chosen_calls_only(telegram: FakeTelegram, api: Api) -> None:
    telegram.faults.add(Fault(method="sendMessage", status=502, body="<html>", match=lambda call: call.shown == "bad"))
    telegram.faults.add(Fault(method="sendChatAction", status=403, times=2))
    assert (await api("sendMessage", text()))["ok"]
    with pytest.raises(json.JSONDecodeError):
        await api("sendMessage", text(text="bad"))
    assert (await api("sendMessage", text(text="bad")))["ok"]
    action = {"chat_id": OWNER, "action": "typing"}
    assert [(await api("sendChatAction", action))["ok"] for _ in range(3)] == [False, False, True]
    telegram.faults.add(Fault(reset=True))
    with pytest.raises(httpx.ReadError):
        await api("sendMessage", text(text="never"))
    telegram.faults.add(Fault(reset=True, apply=True))
    with pytest.raises(httpx.ReadError):
        await api("sendMessage", text(text="ghost"))
    assert telegram.screen(OWNER) == ["x", "bad", "ghost"]
    assert [call.status for call in telegram.calls] == [200, 502, 200, 403, 403, 200, 0, 0]
    telegram.faults.add(Fault(delay=0.01))
    assert (await api("getMe"))["ok"]
    telegram.faults.add(Fault(hang=True))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(api("getMe"), 0.1)


@pytest.mark.parametrize(
    ("limits", "chat", "passing"),
    [
        (FloodLimits(chat_per_s=1, chat_burst=3), OWNER, 3),
        (FloodLimits(chat_per_s=0, group_per_min=2), GROUP, 2),
        (FloodLimits(chat_per_s=0, all_per_s=4), OWNER, 4),
    ],
)
async def test_flood_limits(telegram: FakeTelegram, api: Api, limits: FloodLimits, chat: int, passing: int) -> None:
    telegram.chats.chat(GROUP)
    telegram.flood.limits = limits
    answers = [await api("sendMessage", {"chat_id": chat, "text": "x"}) for _ in range(passing + 1)]
    assert [answer["ok"] for answer in answers] == [True] * passing + [False]
    assert answers[-1]["error_code"] == 429 and 1 <= answers[-1]["parameters"]["retry_after"] <= 60
    assert (await api("sendChatAction", {"chat_id": chat, "action": "typing"}))["ok"]
    assert len(telegram.screen(chat)) == passing


async def test_plain_forms_are_read_like_json(telegram: FakeTelegram, api: Api) -> None:
    markup = json.dumps({"inline_keyboard": [[{"text": "b", "callback_data": "d"}]]})
    assert (await api.form("sendMessage", {"chat_id": str(OWNER), "text": "a=b&c", "reply_markup": markup}))["ok"]
    assert telegram.screen(OWNER) == ["a=b&c"]
    broken = {"chat_id": str(OWNER), "text": "x", "reply_markup": "{"}
    assert "can't parse reply_markup JSON" in (await api.form("sendMessage", broken))["description"]
