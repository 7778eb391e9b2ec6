"""Letters on their way to Telegram: what is asked of the API, and what its errors become."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from agent import TokenRefused
from bot import words
from bot.channel import Ambiguous, Button, Flooded, Letter, Passing, Place, Refused, SendFailed, Unreachable
from tests.fakes.bot_line import Line, over
from tests.fakes.bot_request import Answer, Breaks, Hangs, Says, refused

PRIVATE = Place("telegram", "1000", "7")
TOPIC = Place("telegram", "1000", "-1001234", "55")
BOLD: dict[str, object] = {"type": "bold", "offset": 0, "length": 2}


@pytest.fixture
async def line() -> AsyncIterator[Line]:
    line = Line()
    yield line
    await line.channel.close()


async def test_a_plain_letter_is_sent_with_nothing_but_its_text(line: Line) -> None:
    assert await line.channel.send(PRIVATE, Letter("hello")) == 1
    assert line.api.made("sendMessage") == [
        {"chat_id": 7, "text": "hello", "link_preview_options": {"is_disabled": True}}
    ]


async def test_a_full_letter_carries_everything(line: Line) -> None:
    buttons = ((Button("Stop", "stop"), Button("Pause", "pause")), (Button("Details", "more"),))
    await line.channel.send(TOPIC, Letter("hello", (BOLD,), buttons, reply_to=5, silent=True))
    [sent] = line.api.made("sendMessage")
    assert sent["entities"] == [BOLD]
    assert sent["message_thread_id"] == 55
    assert sent["disable_notification"] is True
    assert sent["reply_parameters"] == {"message_id": 5, "allow_sending_without_reply": True}
    rows = sent["reply_markup"]["inline_keyboard"]
    assert [[(one["text"], one["callback_data"]) for one in row] for row in rows] == [
        [("Stop", "stop"), ("Pause", "pause")],
        [("Details", "more")],
    ]


async def test_an_edit_carries_text_entities_and_buttons(line: Line) -> None:
    await line.channel.edit(TOPIC, 9, Letter("hello", (BOLD,), ((Button("Stop", "stop"),),), reply_to=5))
    [sent] = line.api.made("editMessageText")
    assert (sent["chat_id"], sent["message_id"], sent["text"], sent["entities"]) == (-1001234, 9, "hello", [BOLD])
    assert sent["reply_markup"]["inline_keyboard"] == [[{"text": "Stop", "callback_data": "stop"}]]
    assert "message_thread_id" not in sent


async def test_a_draft_carries_text_entities_and_topic_and_nothing_else(line: Line) -> None:
    await line.channel.draft(Place("telegram", "1000", "7", "55"), 4, FULL)
    await line.channel.draft(PRIVATE, 5, Letter("a\ud800b"))
    assert line.api.made("sendMessageDraft") == [
        {"chat_id": 7, "draft_id": 4, "text": "hello", "entities": [BOLD], "message_thread_id": 55},
        {"chat_id": 7, "draft_id": 5, "text": "a\ufffdb"},
    ]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (refused(404, "Not Found: method not found"), Refused),
        (refused(400, "Bad Request: TEXTDRAFT_PEER_INVALID"), Refused),
        (refused(400, "Bad Request: can't parse entities: x"), Passing),
        (refused(400, "Bad Request: message thread not found"), Passing),
        (refused(429, "Too Many Requests: retry after 7"), Flooded),
        (refused(403, "Forbidden: bot was blocked by the user"), Unreachable),
        (Says(404, b"<html>"), Passing),
        (over(httpx.ReadError("")), Ambiguous),
    ],
)
async def test_a_draft_is_one_call_whatever_comes_of_it(line: Line, answer: Answer, kind: type[SendFailed]) -> None:
    line.api.on("sendMessageDraft", answer)
    with pytest.raises(kind):
        await line.channel.draft(Place("telegram", "1000", "7", "55"), 4, FULL)
    assert len(line.api.made("sendMessageDraft")) == 1


async def test_a_draft_that_hangs_is_left_alone(line: Line) -> None:
    line.api.on("sendMessageDraft", Hangs())
    async with asyncio.timeout(8):
        with pytest.raises(Ambiguous):
            await line.channel.draft(PRIVATE, 4, FULL)


async def test_broken_unicode_and_malformed_entities_never_cost_the_text(line: Line) -> None:
    await line.channel.send(PRIVATE, Letter("a\ud800b", ({"offset": 0}, BOLD)))
    [sent] = line.api.made("sendMessage")
    assert (sent["text"], sent["entities"]) == ("a\ufffdb", [BOLD])


def api(code: int, description: str, **parameters: object) -> Says:
    return refused(code, description, **parameters)


FAILURES: dict[str, tuple[Answer, type[SendFailed]]] = {
    "flood": (api(429, "Too Many Requests: retry after 7", retry_after=7), Flooded),
    "flood without parameters": (api(429, "Too Many Requests: retry after 7"), Flooded),
    "flood without a word": (Says(429, b"slow down"), Flooded),
    "blocked": (api(403, "Forbidden: bot was blocked by the user"), Unreachable),
    "kicked": (api(403, "Forbidden: bot was kicked from the supergroup chat"), Unreachable),
    "chat not found": (api(400, "Bad Request: chat not found"), Unreachable),
    "deactivated": (api(400, "Bad Request: user is deactivated"), Unreachable),
    "not allowed to write": (api(400, "Bad Request: not enough rights to send text messages to the chat"), Unreachable),
    "general topic closed": (api(400, "Bad Request: TOPIC_CLOSED"), Unreachable),
    "moved": (api(400, "Bad Request: group chat was upgraded", migrate_to_chat_id=-1005001), Unreachable),
    "too long": (api(400, "Bad Request: message is too long"), Refused),
    "entities, though there were none": (api(400, "Bad Request: can't parse entities: x"), Refused),
    "thread, though there was none": (api(400, "Bad Request: message thread not found"), Refused),
    "unknown method": (api(404, "Not Found"), Refused),
    "too large, by a proxy": (Says(413, b"<html>"), Refused),
    "500": (api(500, "Internal Server Error"), Passing),
    "502 as HTML": (Says(502, b"<html>Bad Gateway</html>"), Passing),
    "a proxy's 403": (Says(403, b"<html>blocked by policy</html>"), Passing),
    "refused connection": (over(httpx.ConnectError("")), Passing),
    "connect time-out": (over(httpx.ConnectTimeout("")), Passing),
    "pool time-out": (over(httpx.PoolTimeout("")), Passing),
    "read time-out": (over(httpx.ReadTimeout("")), Ambiguous),
    "reset": (over(httpx.ReadError("")), Ambiguous),
    "cut off": (over(httpx.RemoteProtocolError("")), Ambiguous),
    "cut off while writing": (over(httpx.WriteError("")), Ambiguous),
    "success that can't be read": (Says(200, b'{"ok":tr'), Ambiguous),
    "success without a result": (Says(200, b"{}"), Ambiguous),
    "success with an odd result": (Says(200, {"ok": True, "result": {"message_id": 1}}), Ambiguous),
    "a bug below": (Breaks(ZeroDivisionError()), Ambiguous),
}


@pytest.mark.parametrize("what", FAILURES)
async def test_each_failure_says_what_to_do_about_it(line: Line, what: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="bot")
    answer, kind = FAILURES[what]
    line.api.on("sendMessage", answer)
    with pytest.raises(SendFailed) as failed:
        await line.channel.send(PRIVATE, Letter("a private word"))
    assert type(failed.value) is kind
    assert len(line.api.made("sendMessage")) == 1
    for leak in ("SECRET", "private word"):
        assert leak not in str(failed.value) + caplog.text


async def test_a_flood_limit_tells_its_seconds(line: Line) -> None:
    line.api.on("sendMessage", api(429, "Too Many Requests: retry after 35", retry_after=35), FAILURES["flood"][0])
    for seconds in (35, 7):
        with pytest.raises(Flooded) as flooded:
            await line.channel.send(PRIVATE, Letter("x"))
        assert flooded.value.seconds == seconds


async def test_a_moved_group_tells_its_new_address(line: Line) -> None:
    line.api.on("sendMessage", FAILURES["moved"][0])
    with pytest.raises(Unreachable) as moved:
        await line.channel.send(TOPIC, Letter("x"))
    assert moved.value.moved_to == "-1005001"


SIMPLER: dict[str, tuple[str, set[str]]] = {
    "entities": ("Bad Request: can't parse entities: Can't find end of Italic entity at byte offset 12", {"entities"}),
    "an entity": ("Bad Request: ENTITY_BOUNDS_INVALID", {"entities"}),
    "reply": ("Bad Request: message to be replied not found", {"reply_parameters"}),
    "old wording of reply": ("Bad Request: replied message not found", {"reply_parameters"}),
    "topic gone": ("Bad Request: message thread not found", {"message_thread_id", "reply_parameters"}),
    "topic closed": ("Bad Request: TOPIC_CLOSED", {"message_thread_id", "reply_parameters"}),
    "topic deleted": ("Bad Request: TOPIC_DELETED", {"message_thread_id", "reply_parameters"}),
}
FULL = Letter("hello", (BOLD,), reply_to=5)


@pytest.mark.parametrize("what", SIMPLER)
async def test_a_refused_part_is_left_out_and_the_text_arrives(line: Line, what: str) -> None:
    why, dropped = SIMPLER[what]
    line.api.on("sendMessage", api(400, why))
    assert await line.channel.send(TOPIC, FULL) == 1
    first, second = line.api.made("sendMessage")
    assert set(first) - set(second) == dropped
    note = f"\n\n{words.TOPIC_GONE}" if "message_thread_id" in dropped else ""
    assert second["text"] == f"hello{note}"


async def test_where_the_note_about_a_topic_has_no_room_the_text_goes_first(line: Line) -> None:
    for size in (4096, 4000):
        line.api.on("sendMessage", api(400, SIMPLER["topic gone"][0]))
        await line.channel.send(TOPIC, Letter("x" * size))
    whole, noted = [params["text"] for params in line.api.made("sendMessage")][1::2]
    assert whole == "x" * 4096
    assert noted.endswith(words.TOPIC_GONE)


async def test_all_parts_can_be_refused_one_after_the_other_and_no_form_goes_out_twice(line: Line) -> None:
    entities, reply, topic = (api(400, SIMPLER[what][0]) for what in ("entities", "reply", "topic gone"))
    line.api.on("sendMessage", entities, reply, topic, entities)
    with pytest.raises(Refused):
        await line.channel.send(TOPIC, FULL)
    sent = [str(sorted(params)) for params in line.api.made("sendMessage")]
    assert len(sent) == len(set(sent)) == 4


async def test_an_edit_with_refused_entities_goes_out_plain(line: Line) -> None:
    line.api.on("editMessageText", api(400, SIMPLER["entities"][0]))
    await line.channel.edit(PRIVATE, 9, FULL)
    assert [("entities" in params) for params in line.api.made("editMessageText")] == [True, False]


async def test_an_edit_that_changes_nothing_is_success(line: Line) -> None:
    line.api.on("editMessageText", api(400, "Bad Request: message is not modified: specified new message content ..."))
    await line.channel.edit(PRIVATE, 9, Letter("same"))
    assert len(line.api.made("editMessageText")) == 1


@pytest.mark.parametrize("why", ["message to edit not found", "message can't be edited"])
async def test_an_edit_of_what_is_gone_is_refused(line: Line, why: str) -> None:
    line.api.on("editMessageText", api(400, f"Bad Request: {why}"))
    with pytest.raises(Refused):
        await line.channel.edit(PRIVATE, 9, Letter("x"))


@pytest.mark.parametrize(
    "place", [Place("telegram", "1", "x"), Place("telegram", "1", ""), Place("telegram", "1", "7", "x")]
)
async def test_a_place_that_is_no_chat_is_refused_unsent(line: Line, place: Place) -> None:
    with pytest.raises(Refused):
        await line.channel.send(place, Letter("x"))
    assert not line.api.calls


async def test_sending_after_the_end_is_passing(line: Line) -> None:
    await line.channel.close()
    with pytest.raises(Passing):
        await line.channel.send(PRIVATE, Letter("x"))


COSMETICS = {
    "typing": "sendChatAction",
    "react": "setMessageReaction",
    "press": "answerCallbackQuery",
    "menu": "setMyCommands",
}


async def cosmetic(line: Line, what: str) -> None:
    match what:
        case "typing":
            await line.channel.typing(TOPIC)
        case "react":
            await line.channel.react(TOPIC, 9, "👀")
        case "press":
            await line.channel.answer_press("cb1", "x" * 300)
        case "menu":
            await line.channel.announce_commands([("stop", "Stop the run")])


@pytest.mark.parametrize("what", COSMETICS)
@pytest.mark.parametrize(
    "answer",
    [api(400, "Bad Request: REACTION_INVALID"), api(429, "x", retry_after=9), over(httpx.ReadError("")), Hangs(),
     Says(502, b"<html>"), Says(200, b"{}"), Breaks(KeyError())],
)  # fmt: skip
async def test_cosmetic_calls_never_raise_and_never_wait(line: Line, what: str, answer: Answer) -> None:
    """But for menus, which go out one at a time: whoever publishes them waits, for five seconds each at most."""
    line.api.on(COSMETICS[what], answer)
    async with asyncio.timeout(8 if what == "menu" else 1):
        await cosmetic(line, what)
    await line.api.until(lambda: line.api.made(COSMETICS[what]))
    assert await line.channel.send(PRIVATE, Letter("hello")) == 1


async def test_what_cosmetic_calls_ask_for(line: Line) -> None:
    for what in COSMETICS:
        await cosmetic(line, what)
    await line.api.until(lambda: len(line.api.calls) == 4)
    asked: dict[str, dict[str, Any]] = {call.method: call.params for call in line.api.calls}
    assert asked["sendChatAction"] == {"chat_id": -1001234, "action": "typing", "message_thread_id": 55}
    assert asked["setMessageReaction"]["reaction"] == [{"type": "emoji", "emoji": "👀"}]
    assert len(asked["answerCallbackQuery"]["text"]) == 200
    assert asked["setMyCommands"]["commands"] == [{"command": "stop", "description": "Stop the run"}]


async def test_hanging_cosmetics_leave_room_for_what_matters(line: Line) -> None:
    line.api.on("sendChatAction", *[Hangs()] * 100)
    for _ in range(100):
        await line.channel.typing(PRIVATE)
    await line.channel.answer_press("cb1")
    await line.api.until(lambda: line.api.made("answerCallbackQuery"))
    assert len(line.api.made("sendChatAction")) <= 16


@pytest.mark.parametrize("how", ["send", "edit", "typing"])
async def test_a_revoked_token_met_while_sending_ends_the_listening(how: str) -> None:
    line = Line()
    for method in ("sendMessage", "editMessageText", "sendChatAction"):
        line.api.on(method, api(401, "Unauthorized"))
    async with line.listening() as task:
        with contextlib.suppress(Passing):
            match how:
                case "send":
                    await line.channel.send(PRIVATE, Letter("x"))
                case "edit":
                    await line.channel.edit(PRIVATE, 9, Letter("x"))
                case _:
                    await line.channel.typing(PRIVATE)
        with pytest.raises(TokenRefused):
            await asyncio.wait_for(task, 5)
