"""Texts as the server counts and checks them: UTF-16 units, explicit entities, what it marks in incoming text.

`parse_mode` is refused outright: this project sends entities only, so a use of markup is a mistake.
"""

from __future__ import annotations

import re
from typing import Any

from tests.fakes.telegram.wire import Params, bad, words

TYPES = words(
    "mention hashtag cashtag bot_command url email phone_number bold italic underline strikethrough spoiler blockquote "
    "expandable_blockquote code pre text_link text_mention custom_emoji date_time"
)
INCOMING = re.compile(r"(?<!\S)/[A-Za-z0-9_]{1,32}(?:@[A-Za-z0-9_]+)?|(?<!\S)@[A-Za-z0-9_]{3,32}")


def u16(text: str) -> int:
    """Length in UTF-16 code units, which is what the service counts."""
    return sum(2 if ord(char) > 0xFFFF else 1 for char in text)


def borders(text: str) -> set[int]:
    """The UTF-16 offsets that lie between characters, not inside of a surrogate pair."""
    at, found = 0, {0}
    for char in text:
        at += u16(char)
        found.add(at)
    return found


def check_entities(text: str, entities: Any) -> None:
    """Raises ApiError unless each entity is well-formed and covers whole characters of the text."""
    if not isinstance(entities, list):
        raise bad("can't parse entities: expected an Array of MessageEntity")
    known = borders(text)
    for entity in entities:
        if not isinstance(entity, dict) or entity.get("type") not in TYPES:
            raise bad("can't parse MessageEntity: Unsupported type specified")
        if entity["type"] == "text_link" and not entity.get("url"):
            raise bad("can't parse MessageEntity: Can't find field \"url\"")
        offset, length = entity.get("offset"), entity.get("length")
        if not isinstance(offset, int) or not isinstance(length, int) or offset < 0 or length < 0:
            raise bad("can't parse MessageEntity: offset and length must be non-negative integers")
        if offset + length > max(known):
            raise bad(f"entity beginning at UTF-16 offset {offset} ends after the end of the text")
        if offset not in known or offset + length not in known:
            raise bad(f"entity beginning at UTF-16 offset {offset} ends in a middle of a UTF-16 symbol")


def text_of(params: Params, key: str, limit: int) -> Params:
    """`text` or `caption` with its entities, as the message will hold them; at most `limit` units. Raises ApiError."""
    text = str(params.get(key) or "")
    marks = params.get("entities" if key == "text" else "caption_entities")
    if params.get("parse_mode"):
        raise bad("unsupported parse_mode: this project sends entities")
    if any(0xD800 <= ord(char) < 0xE000 for char in text):
        raise bad("strings must be encoded in UTF-8")
    if marks is not None:
        check_entities(text, marks)
    if key == "text" and not text.strip():
        raise bad("message text is empty" if not text else "text must be non-empty")
    if u16(text.strip()) > limit:
        raise bad("message is too long" if key == "text" else "message caption is too long")
    names = ("text", "entities") if key == "text" else ("caption", "caption_entities")
    return {names[0]: text.strip(), **({names[1]: marks} if marks else {})} if text else {}


def incoming(text: str) -> list[Params]:
    """The entities that the server adds to a person's text by itself: commands and mentions."""
    return [
        {
            "type": "bot_command" if found[0].startswith("/") else "mention",
            "offset": u16(text[: found.start()]),
            "length": u16(found[0]),
        }
        for found in INCOMING.finditer(text)
    ]
