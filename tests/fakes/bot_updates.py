"""Updates as Telegram sends them, to be bent by tests."""

from __future__ import annotations

from typing import Any

NOW = 1_800_000_000.0
GROUP = -1001234
ADA = {"id": 7, "is_bot": False, "first_name": "Ada", "last_name": "L", "username": "ada"}
US = {"id": 1000, "is_bot": True, "first_name": "Jarvis", "username": "Jarvis_test_bot"}
OTHER_BOT = {"id": 4444, "is_bot": True, "first_name": "B", "username": "other_bot"}
FILE = {"file_id": "F", "file_unique_id": "U", "width": 1, "height": 1, "length": 1, "duration": 1}

Json = dict[str, Any]


def message(text: str | None = "hi", chat: int = 7, kind: str = "", extra: Json | None = None, **more: object) -> Json:
    """A message of Ada's; `extra` is for fields whose names are no Python names, as "from"."""
    kind = kind or ("private" if chat > 0 else "supergroup")
    made: Json = {"message_id": 5, "date": int(NOW), "chat": {"id": chat, "type": kind}, "from": ADA}
    if text is not None:
        made["text"] = text
    return {**made, **more, **(extra or {})}


def ours(chat: int = GROUP, **more: object) -> Json:
    """A message of the bot's."""
    return message("x", chat, extra={"from": US, **more})


def update(number: int, text: object = "hi", **more: object) -> Json:
    """A private message as an update; its message id is the update's."""
    return {"update_id": number, "message": message(extra={"message_id": number, "text": text, **more})}


def press(**more: object) -> Json:
    """A callback query under a card of the bot's."""
    return {"id": "cb1", "from": ADA, "message": ours(), "chat_instance": "1", "data": "stop", **more}


def entity(kind: str, offset: object, length: object, **more: object) -> Json:
    return {"type": kind, "offset": offset, "length": length, **more}


def mention(text: str, name: str = "@Jarvis_test_bot") -> Json:
    """The mention entity for `name` in `text`, in UTF-16 units as Telegram counts."""
    return entity("mention", units(text[: text.index(name)]), units(name))


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
