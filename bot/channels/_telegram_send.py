"""A letter on its way to Telegram: one call, and a simpler one where Telegram refuses a part of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from telegram import (
    Bot,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputFile,
    LinkPreviewOptions,
    Message,
    MessageEntity,
    ReplyParameters,
)

from bot import words as told
from bot.channel import Button, Letter, Passing, Place, Refused
from bot.channels._bytes import bytes_of
from bot.channels._telegram_address import clean
from bot.channels._telegram_errors import Form, failure, is_revoked, is_unmodified, simpler, words
from bot.channels._telegram_photo import is_photo
from bot.split import LIMIT, units

log = logging.getLogger(__name__)

CALL_S = 40.0  # a whole call; the read time-out of 20 s starts anew with each byte
DRAFT_S = 2.0  # of a draft: the message behind it waits for no longer
UPLOAD_S = 300.0  # ... of one that carries a file
AT_ONCE = 4  # files are held in memory on their way
UPLOAD = 50 * 2**20  # bytes: https://core.telegram.org/bots/api#sending-files

_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)  # a preview would send each address in a text to the net
_T = TypeVar("_T")


class Sender:
    """Sends and edits. `revoked` is called once Telegram says that the token isn't valid any more."""

    def __init__(self, bot: Bot, revoked: Callable[[], None]) -> None:
        self._bot = bot
        self._revoked = revoked
        self._uploads = asyncio.Semaphore(AT_ONCE)

    async def send(self, place: Place, letter: Letter) -> int:
        """Returns the message's id. Raises SendFailed."""
        _check(place)
        form = Form(bool(letter.entities), letter.reply_to is not None, bool(place.topic))
        if letter.file is None:
            return (await self._calls(form, lambda form: self._send(place, letter, form))).message_id
        async with self._uploads:
            data = await asyncio.to_thread(bytes_of, letter.file, UPLOAD)
            file = InputFile(data, clean(letter.file.name), attach=True)
            form = replace(form, photo=bool(letter.file.path) and is_photo(data))
            return (await self._calls(form, lambda form: self._upload(place, letter, file, form), UPLOAD_S)).message_id

    async def edit(self, place: Place, message_id: int, letter: Letter) -> None:
        """An edit that changes nothing is success. Raises SendFailed."""
        _check(place)
        form = Form(entities=bool(letter.entities))
        await self._calls(form, lambda form: self._edit(place, message_id, letter, form))

    async def draft(self, place: Place, draft_id: int, letter: Letter) -> None:
        """One call, whatever comes of it: the next draft says more. Raises SendFailed; Passing where only a part of
        this one was refused. Source: https://core.telegram.org/bots/api#sendmessagedraft"""
        _check(place)
        form = Form(bool(letter.entities), topic=bool(place.topic))
        try:
            async with asyncio.timeout(DRAFT_S):
                await self._bot.send_message_draft(
                    chat_id=int(place.chat),
                    draft_id=draft_id,
                    text=clean(letter.text),
                    message_thread_id=int(place.topic) if form.topic else None,
                    entities=_entities(letter) or None,
                )
        except Exception as error:
            if is_revoked(error):
                self._revoked()
            raise (Passing(words(error)) if simpler(form, error) else failure(error)) from None

    async def _calls(self, form: Form, call: Callable[[Form], Awaitable[_T]], seconds: float = CALL_S) -> _T:
        while True:
            try:
                async with asyncio.timeout(seconds):
                    return await call(form)
            except Exception as error:
                if is_revoked(error):
                    self._revoked()
                less = simpler(form, error)
                if less is None:
                    raise failure(error) from None
                log.warning("Telegram refused a part of a message (%s); sending it without", words(error))
                form = less

    async def _send(self, place: Place, letter: Letter, form: Form) -> Message:
        return await self._bot.send_message(
            chat_id=int(place.chat),
            text=clean(_noted(letter.text, place, form)),
            entities=_entities(letter) if form.entities else None,
            disable_notification=letter.silent or None,
            message_thread_id=int(place.topic) if form.topic else None,
            reply_parameters=_reply(letter, form),
            reply_markup=_keyboard(letter.buttons),
            link_preview_options=_NO_PREVIEW,
        )

    async def _upload(self, place: Place, letter: Letter, file: InputFile, form: Form) -> Message:
        send: Callable[..., Awaitable[Message]] = partial(
            self._bot.send_document, document=file, disable_content_type_detection=True
        )
        if form.photo:
            send = partial(self._bot.send_photo, photo=file)
        return await send(
            chat_id=int(place.chat),
            caption=clean(letter.text) or None,
            caption_entities=_entities(letter) if form.entities else None,
            disable_notification=letter.silent or None,
            message_thread_id=int(place.topic) if form.topic else None,
            reply_parameters=_reply(letter, form),
            reply_markup=_keyboard(letter.buttons),
            write_timeout=UPLOAD_S,
        )

    async def _edit(self, place: Place, message_id: int, letter: Letter, form: Form) -> None:
        try:
            await self._bot.edit_message_text(
                clean(letter.text),
                chat_id=int(place.chat),
                message_id=message_id,
                entities=_entities(letter) if form.entities else None,
                reply_markup=_keyboard(letter.buttons),
                link_preview_options=_NO_PREVIEW,
            )
        except Exception as error:
            if not is_unmodified(error):
                raise


def _noted(text: str, place: Place, form: Form) -> str:
    """What lands in General says why, if there is room for it."""
    if form.topic or not place.topic:
        return text
    noted = f"{text}\n\n{told.TOPIC_GONE}"
    return noted if units(noted) <= LIMIT else text


def _check(place: Place) -> None:
    if not (place.chat.removeprefix("-").isdecimal() and (place.topic or "0").isdecimal()):
        raise Refused(f"{place.key} is no chat of Telegram's")


def _reply(letter: Letter, form: Form) -> ReplyParameters | None:
    return ReplyParameters(letter.reply_to or 0, allow_sending_without_reply=True) if form.reply else None


def _keyboard(rows: tuple[tuple[Button, ...], ...]) -> InlineKeyboardMarkup | None:
    if not rows:
        return None
    return InlineKeyboardMarkup(
        [[InlineKeyboardButton(clean(one.text), callback_data=one.data) for one in row] for row in rows]
    )


def _entities(letter: Letter) -> list[MessageEntity]:
    """Formatting never costs the text: an entity of the wrong shape is left out."""
    entities = []
    for entity in letter.entities:
        try:
            entities.append(MessageEntity.de_json(entity))
        except (TypeError, AttributeError) as error:
            log.warning("A malformed entity is left out (%s)", error)
    return entities
