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
from bot import doctorwords as words
from bot.because import because
from bot.doctor.finding import Finding, fail, ok, warn
from bot.doctorwords import said

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
        return [fail("token", said("token none"), said("mend token none"))]
    api = Api(settings)
    try:
        status, body, date = await api.call("getMe")
        if status in (401, 404):
            mend = said("mend token refused")
            return [fail("token", said("token refused"), mend)]
        if status != 200 or not isinstance(body.get("result"), dict):
            return [fail("token", said("token status", status), said("mend token status"))]
        me = body["result"]
        out = [ok("token", said("token", me.get("username", "?"), me.get("id", "?"))), *_skew(date)]
        out += _privacy(settings, bool(me.get("can_read_all_group_messages")))
        out += _webhook(settings, (await api.call("getWebhookInfo"))[1].get("result") or {})
        return out + await _approver(settings, api, approvers)
    except ConnectionError as error:
        mend = said("mend telegram away")
        return [fail("telegram", said("telegram away", error), mend)]


def _skew(date: str) -> list[Finding]:
    try:
        skew = time.time() - parsedate_to_datetime(date).timestamp()
    except (TypeError, ValueError):
        return []
    if abs(skew) < SKEW_S:
        return []
    text = said("clock ahead" if skew > 0 else "clock behind", round(abs(skew)))
    return [warn("clock", text, "timedatectl set-ntp true")]


def _privacy(settings: Settings, reads_all: bool) -> list[Finding]:
    if not settings.access.chats:
        return []
    return [ok("privacy", said("privacy off" if reads_all else "privacy on"))]


def _webhook(settings: Settings, info: Mapping[str, Any]) -> list[Finding]:
    pending = info.get("pending_update_count", 0)
    if info.get("url") and settings.telegram.mode == "polling":
        mend = said("mend webhook set")
        return [fail("webhook", said("webhook set"), mend)]
    if error := info.get("last_error_message"):
        return [warn("webhook", said("webhook failed", str(error)[:100]), said("mend webhook failed"))]
    return [ok("updates", said("updates", pending))]


async def _approver(settings: Settings, api: Api, approvers: Iterable[int]) -> list[Finding]:
    chat = settings.access.ops_chat.partition(":")[0]
    if not chat.startswith("-"):
        return []
    for person in sorted(approvers)[:MANY]:
        status, body, _ = await api.call("getChatMember", chat_id=int(chat), user_id=person)
        if status == 200 and body["result"].get("status") in HERE:
            return [ok("ops chat", said("ops chat member", person))]
    mend = said("mend ops chat no member")
    return [fail("ops chat", said("ops chat no member", chat), mend)]


async def model(settings: Settings) -> Sequence[Finding]:
    """One tiny request with a tool, over the same client as a run's."""
    from bot.models import model_settings

    if not settings.model.base_url or not settings.model.name:
        return [fail("model", said("model none"), said("mend model none"))]
    chat = OpenAIChat(model_settings(settings), SystemClock())
    began = time.monotonic()
    try:
        async with asyncio.timeout(LONGEST_S):
            heard = [each async for each in chat.reply([{"role": "user", "content": ASK}], [TOOL])][-1]
    except TimeoutError:
        return [fail("model", said("model late", round(LONGEST_S)), said("mend model late"))]
    finally:
        await chat.close()
    return [_judged(settings.model.name, heard, time.monotonic() - began)]


def _judged(name: str, end: object, seconds: float) -> Finding:
    match end:
        case Failed():
            told = because(end.text, end.causes)
            return fail("model", said("model failed", told), said("mend model failed"))
        case Said() if any(call.name == TOOL.name for call in end.calls):
            return ok("model", said("model calls", name, words.seconds(seconds)))
        case Said():
            return warn("model", said("model talks", name), said("mend model talks"))
    return fail("model", said("model silent", name), said("mend model silent"))
