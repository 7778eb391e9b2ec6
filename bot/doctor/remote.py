"""Checks that ask others: Telegram (never for updates, so that a running bot isn't disturbed) and the model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from agent.clock import SystemClock
from agent.models.chat import OpenAIChat
from agent.settings import Settings
from agent.steps import Failed, Said, ToolSpec
from bot.doctor.finding import Finding, fail, ok, warn

PATIENCE_S = 15.0
SKEW_S = 60.0
LONGEST_S = 120.0  # for the model: one that has to be loaded first takes its time
MANY = 20  # members asked about
HERE = ("creator", "administrator", "member", "restricted")
TOOL = ToolSpec("report_time", "Report the time.", '{"type":"object","properties":{"time":{"type":"string"}}}')
ASK = "Call the tool report_time with the time 12:00. Say nothing else."

Answer = tuple[int, Mapping[str, Any], str]  # status, body, Date header


class Api:
    """Methods that change nothing. What it raises or says never holds the token, which stands in the address."""

    def __init__(self, settings: Settings) -> None:
        root = settings.telegram.api_url.rstrip("/")
        self._base = f"{root}/bot{settings.telegram.token.get_secret_value()}"

    async def call(self, method: str, **params: object) -> Answer:
        """Raises ConnectionError in words."""
        try:
            async with httpx2.AsyncClient(timeout=PATIENCE_S) as client:
                answer = await client.post(f"{self._base}/{method}", json=params)
                body = answer.json()
        except (httpx2.HTTPError, ValueError) as error:
            raise ConnectionError(type(error).__name__) from None
        return answer.status_code, body if isinstance(body, dict) else {}, answer.headers.get("date", "")


async def telegram(settings: Settings, approvers: Iterable[int] = ()) -> Sequence[Finding]:
    """The token, privacy mode, a webhook in the way, the clock, and whether an approver sits in the ops chat."""
    if not settings.telegram.token.get_secret_value():
        return [fail("token", "none", "Get one from @BotFather and set JARVIS_TELEGRAM__TOKEN.")]
    api = Api(settings)
    try:
        status, body, date = await api.call("getMe")
        if status in (401, 404):
            mend = "Get a new one from @BotFather (/token) and set JARVIS_TELEGRAM__TOKEN."
            return [fail("token", "Telegram refuses it", mend)]
        if status != 200 or not isinstance(body.get("result"), dict):
            return [
                fail("token", f"Telegram answers with status {status}", "Try again; is JARVIS_TELEGRAM__API_URL right?")
            ]
        me = body["result"]
        out = [ok("token", f"@{me.get('username', '?')}, id {me.get('id', '?')}"), *_skew(date)]
        out += _privacy(settings, bool(me.get("can_read_all_group_messages")))
        out += _webhook(settings, (await api.call("getWebhookInfo"))[1].get("result") or {})
        return out + await _approver(settings, api, approvers)
    except ConnectionError as error:
        mend = "Check the network, a proxy, and JARVIS_TELEGRAM__API_URL."
        return [fail("telegram", f"can't be reached ({error})", mend)]


def _skew(date: str) -> list[Finding]:
    try:
        skew = time.time() - parsedate_to_datetime(date).timestamp()
    except (TypeError, ValueError):
        return []
    if abs(skew) < SKEW_S:
        return []
    way = "ahead" if skew > 0 else "behind"
    return [warn("clock", f"{abs(skew):.0f} s {way} of Telegram's", "timedatectl set-ntp true")]


def _privacy(settings: Settings, reads_all: bool) -> list[Finding]:
    if not settings.access.chats:
        return []
    if reads_all:
        text = "off: Telegram hands me every message of my groups; I act on those meant for me only"
        return [ok("privacy", text)]
    text = "on: in groups I see commands, replies to me and mentions, which is what I need"
    return [ok("privacy", text)]


def _webhook(settings: Settings, info: Mapping[str, Any]) -> list[Finding]:
    pending = info.get("pending_update_count", 0)
    if info.get("url") and settings.telegram.mode == "polling":
        mend = "Another program uses this token, or did: stop it, then call deleteWebhook (without dropping updates)."
        return [fail("webhook", "one is set for this bot, so polling gets nothing", mend)]
    if error := info.get("last_error_message"):
        return [
            warn("webhook", f"Telegram's last try failed: {str(error)[:100]}", "Check WEBHOOK_URL and its certificate.")
        ]
    return [ok("updates", f"no webhook in the way; {pending} waiting at Telegram")]


async def _approver(settings: Settings, api: Api, approvers: Iterable[int]) -> list[Finding]:
    chat = settings.access.ops_chat.partition(":")[0]
    if not chat.startswith("-"):
        return []
    for person in sorted(approvers)[:MANY]:
        status, body, _ = await api.call("getChatMember", chat_id=int(chat), user_id=person)
        if status == 200 and body["result"].get("status") in HERE:
            return [ok("ops chat", f"{person} is a member and can approve")]
    mend = "Invite the owner or an admin (and me) into that group, or unset JARVIS_ACCESS__OPS_CHAT."
    return [fail("ops chat", f"nobody who can approve is a member of {chat}", mend)]


async def model(settings: Settings) -> Sequence[Finding]:
    """One tiny request with a tool, over the same client as a run's."""
    from bot.models import model_settings

    if not settings.model.base_url or not settings.model.name:
        return [fail("model", "none", "Set JARVIS_MODEL__BASE_URL and JARVIS_MODEL__NAME.")]
    chat = OpenAIChat(model_settings(settings), SystemClock())
    began = time.monotonic()
    try:
        async with asyncio.timeout(LONGEST_S):
            said = [each async for each in chat.reply([{"role": "user", "content": ASK}], [TOOL])][-1]
    except TimeoutError:
        return [fail("model", f"no answer within {LONGEST_S:.0f} s", "Is the server busy or still loading the model?")]
    finally:
        await chat.close()
    return [_judged(settings.model.name, said, time.monotonic() - began)]


def _judged(name: str, said: object, seconds: float) -> Finding:
    match said:
        case Failed():
            return fail("model", said.text, "jarvis settings shows the address, the name and whether a key is set.")
        case Said() if any(call.name == TOOL.name for call in said.calls):
            return ok("model", f"{name} answers and calls tools ({seconds:.1f} s)")
        case Said():
            mend = "Use a model (or a chat template) with tool calls, or set JARVIS_MODEL__TEXT_CALLS=on."
            return warn("model", f"{name} answers, but called no tool when told to", mend)
    return fail("model", f"{name} gave no answer", "Ask again.")
