"""Is this text meant for us, and is it a command? Decided by Telegram's entities, whose offsets are UTF-16 units."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from telegram import MessageEntity

# Bot commands as Telegram marks them: https://core.telegram.org/api/entities; "/etc/hosts" is none.
_COMMAND = re.compile(r"/([A-Za-z0-9_]{1,64})(?:@([A-Za-z0-9_]{3,32}))?(?![\w/<>@])")
_UNPAIRED = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Me:
    """Who we are there."""

    id: int
    username: str


@dataclass(frozen=True, slots=True)
class Addressed:
    """`text` is without a mention of us at its start; `command` is in lower case, "" if there is none for us."""

    text: str
    ours: bool
    command: str = ""
    args: str = ""


def clean(text: str) -> str:
    """Replace what no other program takes (NUL, half of a surrogate pair) by U+FFFD; the length in UTF-16 stays."""
    return _UNPAIRED.sub("\ufffd", text)


def cut(text: str, offset: int, length: int) -> str:
    """The part of `text` that an entity covers, "" where it lies outside."""
    units = text.encode("utf-16-le", "replace")
    if offset < 0 or length <= 0 or (offset + length) * 2 > len(units):
        return ""
    return units[offset * 2 : (offset + length) * 2].decode("utf-16-le", "replace")


def address(text: str, entities: Sequence[MessageEntity], me: Me, *, direct: bool, quoted: bool) -> Addressed:
    """Read a message's text. `direct`: ours anyway (a private chat, a reply to us); `quoted`: somebody else's words
    (forwarded), so never a command."""
    mentions = dict(_mentions(text, entities, me))
    ours = direct or bool(mentions)
    if length := mentions.get(0):
        rest = text.encode("utf-16-le", "replace")[length * 2 :].decode("utf-16-le", "replace")
        text = rest.lstrip(" \t\n,:")
    command = None if quoted else _COMMAND.match(text)
    if command is None:
        return Addressed(text, ours)
    name, target = command.groups()
    if target and target.lower() != me.username.lower():
        return Addressed(text, ours=False)
    return Addressed(text, True, name.lower(), text[command.end() :].strip())


def _mentions(text: str, entities: Sequence[MessageEntity], me: Me) -> Iterator[tuple[int, int]]:
    """(offset, length) of each mention of us. Entities of other types or with odd numbers are passed over."""
    name = f"@{me.username}".lower()
    for entity in entities:
        if type(entity.offset) is not int or type(entity.length) is not int:
            continue
        by_name = entity.type == MessageEntity.MENTION and cut(text, entity.offset, entity.length).lower() == name
        by_id = entity.type == MessageEntity.TEXT_MENTION and entity.user is not None and entity.user.id == me.id
        if by_name or by_id:
            yield entity.offset, entity.length
