"""python-telegram-bot's client works against the Bot API fake: messages, buttons, files, groups."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator

import pytest
from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup
from telegram.error import BadRequest, ChatMigrated, InvalidToken, NetworkError

from tests.fakes.telegram import OWNER, FakeTelegram, messages

GROUP, TOPIC = -100, 55


@pytest.fixture
async def bot(telegram: FakeTelegram) -> AsyncIterator[Bot]:
    async with Bot(telegram.token, base_url=f"{telegram.url}/bot", base_file_url=f"{telegram.url}/file/bot") as client:
        yield client


async def test_python_telegram_bot_sends_edits_and_presses(telegram: FakeTelegram, bot: Bot) -> None:
    markup = InlineKeyboardMarkup([[InlineKeyboardButton("Stop", callback_data="stop:1")]])
    sent = await bot.send_message(OWNER, "hé 😀", reply_markup=markup)
    press = telegram.people.press(OWNER, sent.message_id, "stop:1")
    (update,) = await bot.get_updates()
    assert update.callback_query is not None and update.callback_query.data == "stop:1"
    with pytest.raises(BadRequest, match="Message_too_long"):
        await bot.answer_callback_query(press, "x" * 201)
    assert await bot.answer_callback_query(press, "x" * 200)
    with pytest.raises(BadRequest, match="too old"):
        await bot.answer_callback_query(press)
    await bot.edit_message_text("done", OWNER, sent.message_id)
    assert telegram.screen(OWNER) == ["done"] and "reply_markup" not in telegram.chats.screen(OWNER)[0]
    written = telegram.people.message({"text": "first"})
    telegram.people.edit(OWNER, written["message_id"], "second")
    (update,) = await bot.get_updates(offset=update.update_id + 1)
    assert update.edited_message is not None and update.edited_message.text == "second"


async def test_files_go_in_and_out_unchanged(telegram: FakeTelegram, bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    data = bytes(range(256)) * 4 + b"\r\n--x\r\n\r\n"
    sent = await bot.send_document(OWNER, io.BytesIO(data), filename="ä b.bin", caption="c")
    assert sent.document is not None and sent.document.file_name == "ä b.bin" and sent.caption == "c"
    assert await (await bot.get_file(sent.document.file_id)).download_as_bytearray() == data
    stored = await bot.get_file(sent.document.file_id)
    telegram.token = "1000:NEW"
    with pytest.raises(InvalidToken):
        await stored.download_as_bytearray()
    telegram.token = bot.token
    telegram.people.upload(b"x", "big.bin", size=21 * 2**20)
    (update,) = await bot.get_updates()
    assert update.message is not None and update.message.document is not None
    with pytest.raises(BadRequest, match="too big"):
        await bot.get_file(update.message.document.file_id)
    with pytest.raises(BadRequest, match="caption is too long"):
        await bot.send_document(OWNER, io.BytesIO(data), caption="x" * 1025)
    monkeypatch.setattr(messages, "UPLOAD_LIMIT", len(data) - 1)
    with pytest.raises(NetworkError, match="Too Large"):
        await bot.send_document(OWNER, io.BytesIO(data))


async def test_groups_topics_and_migration(telegram: FakeTelegram, bot: Bot) -> None:
    telegram.people.say("@jarvis_test_bot go", GROUP, user=8, topic=TOPIC)
    (update,) = await bot.get_updates()
    assert update.message is not None and update.message.from_user is not None
    assert (update.message.from_user.id, update.message.message_thread_id) == (8, TOPIC)
    assert [entity.type for entity in update.message.entities] == ["mention"]
    reply = await bot.send_message(GROUP, "x", message_thread_id=TOPIC, reply_to_message_id=update.message.message_id)
    assert reply.reply_to_message is not None and reply.is_topic_message
    telegram.people.migrate(-5, -1005)
    with pytest.raises(ChatMigrated) as moved:
        await bot.send_message(-5, "x")
    assert moved.value.new_chat_id == -1005
