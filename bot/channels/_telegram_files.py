"""Files of Telegram messages: which of them came with a message, and how their bytes are fetched."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

from telegram import Bot, Message

from bot.channel import Attached, NotFetched
from bot.channels._telegram_address import clean
from bot.channels._telegram_errors import is_revoked, words
from bot.channels._telegram_wire import ApiRefusal

FILE_ID = re.compile(r"[A-Za-z0-9_:.=-]{1,256}")  # the library makes a text of whatever came as the id
LIMIT = 20 * 2**20  # bytes: https://core.telegram.org/bots/api#getfile
FETCH_S = 180.0
TRIES = 3
PAUSE_S = 1.0
AT_ONCE = 4  # files are held in memory on their way

# An animation carries a document, too: the first that is there counts.
KINDS = ("animation", "photo", "document", "audio", "video", "voice")


def attached(message: Message) -> tuple[Attached, ...]:
    """The file of a message, () if there is none that can be used; a photo is taken in its largest size. Raises
    ValueError for a file without an id."""
    kind = next((kind for kind in KINDS if getattr(message, kind, None)), None)
    if kind is None:
        return ()
    found = getattr(message, kind)
    if kind == "photo":
        found = max(found, key=lambda size: _number(size.width) * _number(size.height))
    if not isinstance(found.file_id, str) or not FILE_ID.fullmatch(found.file_id):
        raise ValueError("a file without an id")
    return (
        Attached(
            kind,
            found.file_id,
            _text(getattr(found, "file_name", "")),
            _number(found.file_size),
            _text(getattr(found, "mime_type", "")),
        ),
    )


class Fetcher:
    """Fetches files; `revoked` is called once Telegram says that the token isn't valid any more."""

    def __init__(self, bot: Bot, revoked: Callable[[], None]) -> None:
        self._bot, self._revoked = bot, revoked
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def fetch(self, file: Attached) -> bytes:
        """The whole file; a network that fails is tried again. Raises NotFetched."""
        if file.size > LIMIT:
            raise NotFetched(too_large=True)
        async with self._turn:
            for left in reversed(range(TRIES)):
                try:
                    async with asyncio.timeout(FETCH_S):
                        return await self._once(file.id)
                except NotFetched:
                    raise
                except Exception as error:
                    self._judge(error, last=not left)
                await asyncio.sleep(PAUSE_S)
        raise NotFetched("it could not be fetched")

    async def _once(self, file_id: str) -> bytes:
        remote = await self._bot.get_file(file_id)
        if _number(remote.file_size) > LIMIT:
            raise NotFetched(too_large=True)
        data = bytes(await remote.download_as_bytearray())
        if len(data) > LIMIT:
            raise NotFetched(too_large=True)
        return data

    def _judge(self, error: Exception, last: bool) -> None:
        """Raises NotFetched unless it is worth another try."""
        if is_revoked(error):
            self._revoked()
        if isinstance(error, ApiRefusal):
            if "too big" in error.description.lower():
                raise NotFetched(too_large=True) from None
            if error.api and 400 <= error.code < 500 and error.code != 429:
                raise NotFetched(words(error)) from None
        if last:
            raise NotFetched(words(error)) from None


def _text(value: object) -> str:
    return clean(value)[:1024] if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if type(value) is int and value > 0 else 0
