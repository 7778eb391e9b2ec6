"""Pictures as parts of a request, for models that see (https://platform.openai.com/docs/guides/images-vision)."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from agent.pictures import KEY
from agent.ports import Message
from agent.steps import Picture

MOST_BYTES = 5 * 2**20  # of a picture
MOST = 10  # pictures of a message
CACHED = 8
_KINDS = ((b"\xff\xd8\xff", "jpeg"), (b"\x89PNG\r\n\x1a\n", "png"), (b"GIF8", "gif"))


def blind(messages: Sequence[Message]) -> Sequence[Message]:
    """The messages as a model that sees nothing takes them: the text names each file anyway."""
    if not any(KEY in message for message in messages):
        return messages
    return [{key: value for key, value in message.items() if key != KEY} for message in messages]


def seen(messages: Sequence[Message]) -> list[Message]:
    """The messages with their pictures as parts. A picture that is gone, changed, too large or no picture is left out.
    Reads files: not in the event loop."""
    return [_seen(message) for message in messages]


def _seen(message: Message) -> Message:
    parts = list(_parts(message.get(KEY, ())[:MOST]))
    plain = {key: value for key, value in message.items() if key != KEY}
    return {**plain, "content": [{"type": "text", "text": message["content"]}, *parts]} if parts else plain


def _parts(pictures: Sequence[Picture]) -> Iterator[dict[str, Any]]:
    for picture in pictures:
        if url := _url(picture.path, picture.sha256):
            yield {"type": "image_url", "image_url": {"url": url}}


@lru_cache(maxsize=CACHED)
def _url(path: str, sha256: str) -> str:
    """The bytes as a data URL, "" if they are not those that came."""
    try:
        with open(path, "rb", opener=_plainly) as file:
            data = file.read(MOST_BYTES + 1)
    except OSError:
        return ""
    kind = kind_of(data)
    if not kind or len(data) > MOST_BYTES or hashlib.sha256(data).hexdigest() != sha256:
        return ""
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


def _plainly(path: str, flags: int) -> int:
    """No link is followed, no pipe waited on."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)


def kind_of(data: bytes) -> str:
    """The kind of a picture by its first bytes, "" for what providers don't take."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    return next((kind for magic, kind in _KINDS if data.startswith(magic)), "")
