"""What a Telegram update means: raw JSON in, an `Arrival` out. No I/O; run again on the stored row after a restart."""

from __future__ import annotations

import re
from typing import Literal

from telegram import CallbackQuery, Message, Update, User
from telegram.constants import ChatID, MessageType

from bot.channel import Arrival, Place, Quote
from bot.channels._telegram_address import Me, address, clean
from bot.channels._telegram_files import KINDS as FILES
from bot.channels._telegram_files import attached

NAME = "telegram"
KINDS: tuple[Literal["message", "edited_message", "callback_query"], ...] = (
    "message",
    "edited_message",
    "callback_query",
)
CHATS = ("private", "group", "supergroup")
EARLIEST = 1_577_836_800  # 2020-01-01 UTC
DAY_S = 86_400
GENERAL = 1  # the thread id of a forum's General topic, refused by sendMessage
NOBODY = {int(ChatID.ANONYMOUS_ADMIN), int(ChatID.SERVICE_CHAT), int(ChatID.FAKE_CHANNEL)}

# The first that is there names the content: an animation carries a document too, a venue a location.
UNUSABLE = {
    **{kind: kind for kind in ("animation", "photo", "audio", "video", "voice", "video_note", "sticker", "location")},
    **{kind: kind for kind in ("contact", "poll", "dice", "game", "story", "checklist", "paid_media", "invoice")},
    "document": "file",
    "venue": "location",
    "live_photo": "photo",
    "giveaway": "giveaway",
    "giveaway_winners": "giveaway",
}
NAMED = UNUSABLE.keys() - set(FILES)
_MARKS = {"text", "business_connection_id", "effect_id", "reply_to_story", "sender_boost_count", "sender_business_bot"}
_MARKS |= {"suggested_post_info"}
# Everything else that a message can be is a notice of the service: somebody joined, a topic was made, ...
SERVICE = {str(kind) for kind in MessageType} - set(UNUSABLE) - _MARKS | {"migrate_from_chat_id", "chat_owner_left"}


class Unreadable(Exception):
    """An update of the wrong shape. The text says in a few words what is wrong and quotes nothing from it."""


def read(raw: object, me: Me, received: float) -> Arrival:
    """Parse one update. `received` is wall time in seconds. Raises Unreadable and nothing else."""
    try:
        return _arrival(raw, me, received)
    except Unreadable:
        raise
    except Exception as error:
        raise Unreadable(f"it can't be parsed ({type(error).__name__})") from None


def chat_of(raw: object) -> str:
    """The chat that an update belongs to, as far as can be told from any shape; "" if not."""
    if not isinstance(raw, dict):
        return ""
    for inner in raw.values():
        holder = inner.get("message", inner) if isinstance(inner, dict) else None
        chat = holder.get("chat") if isinstance(holder, dict) else None
        if isinstance(chat, dict) and type(chat.get("id")) is int:
            return str(chat["id"])
    return ""


def _arrival(raw: object, me: Me, received: float) -> Arrival:
    if not isinstance(raw, dict):
        raise Unreadable("it is no object")
    if len(raw) < 2:
        raise Unreadable("it is empty")
    kind = next((kind for kind in KINDS if kind in raw), None)
    if kind is None:  # channel posts, reactions, inline queries and what will be invented
        return Arrival("ignored", Place(NAME, str(me.id), chat_of(raw)), date=received)
    update = Update.de_json({kind: _readable(raw[kind]), "update_id": 0})
    if update.callback_query is not None:
        return _press(update.callback_query, me, received)
    message = update.message or update.edited_message
    if message is None:
        raise Unreadable(f"{kind} is empty")
    keys = {key for key, value in raw[kind].items() if value is not None}
    return _message("edit" if kind == "edited_message" else "message", message, keys, me, received)


def _readable(message: object) -> object:
    """Without content that is only named, never read (a poll of a later API must not hide that it is a poll), and
    without a date that no calendar holds."""
    if not isinstance(message, dict):
        return message
    kept = {key: value for key, value in message.items() if key not in NAMED}
    if type(date := kept.get("date")) is int and not 0 <= date < 2**35:
        kept["date"] = 0
    if "reply_to_message" in kept:
        kept["reply_to_message"] = _readable(kept["reply_to_message"])
    return kept


def _message(kind: Literal["message", "edit"], message: Message, keys: set[str], me: Me, received: float) -> Arrival:
    place = _place(message, me)
    if message.chat.type not in CHATS:
        return Arrival("ignored", place, date=received)
    if message.migrate_to_chat_id is not None:
        new = _whole(message.migrate_to_chat_id, "migrate_to_chat_id")
        return Arrival(
            "moved", place, message_id=_whole(message.message_id, "message_id"), text=str(new), date=received
        )
    if keys & SERVICE:
        return Arrival("ignored", place, date=received)
    sender = _sender(message)
    private = message.chat.type == "private" and sender == message.chat.id
    quote = _quote(message, me)
    files = attached(message)
    forwarded = message.forward_origin is not None
    text = message.text if message.text is not None else message.caption
    entities = message.entities if message.text is not None else message.caption_entities
    direct = private or (quote is not None and quote.ours)
    found = address(_string(text or "", "text"), entities, me, direct=direct, quoted=forwarded)
    return Arrival(
        kind,
        place,
        sender=sender,
        name=_name(message.from_user),
        bot_sender=_is_bot(message.from_user),
        private=private,
        message_id=_whole(message.message_id, "message_id"),
        date=_date(message, received),
        text=found.text,
        addressed=private or found.ours,
        command=found.command,
        args=found.args,
        forwarded=forwarded,
        unusable="" if files else _unusable(keys),
        quote=quote,
        attached=files,
        album=_string(message.media_group_id or "", "media_group_id"),
        language=_language(message.from_user),
    )


def _press(press: CallbackQuery, me: Me, received: float) -> Arrival:
    message = press.message
    if message is None:  # under a message sent inline, in a chat that we can't see
        return Arrival("ignored", Place(NAME, str(me.id), ""), date=received)
    sender = _whole(press.from_user.id, "from.id")
    return Arrival(
        "press",
        _place(message, me),
        sender=sender,
        name=_name(press.from_user),
        bot_sender=_is_bot(press.from_user),
        private=message.chat.type == "private" and message.chat.id == sender,
        message_id=_whole(message.message_id, "message_id"),
        date=received,
        addressed=True,
        press_id=_string(press.id, "callback_query.id"),
        data=_string(press.data or "", "callback_query.data"),
        language=_language(press.from_user),
    )


def _language(user: User | None) -> str:
    """An IETF tag is short; anything else is none, and makes no message unreadable."""
    code = user.language_code if user else None
    return code if isinstance(code, str) and len(code) <= 35 else ""


def _place(message: object, me: Me) -> Place:
    """A thread id counts in topics only: in other groups it numbers threads of replies."""
    if not isinstance(message, Message):
        raise Unreadable("message is no message")
    topic = ""
    in_topic = message.is_topic_message is True or (message.chat.is_forum is True and message.chat.type != "private")
    if in_topic and message.message_thread_id is not None:
        thread = _whole(message.message_thread_id, "message_thread_id")
        topic = "" if thread == GENERAL else str(thread)
    return Place(NAME, str(me.id), str(_whole(message.chat.id, "chat.id")), topic)


def _sender(message: Message) -> int | None:
    """The person behind a message. Anonymous admins, channels and linked channels have `sender_chat`, and a `from`
    that is a stand-in. Source: https://core.telegram.org/bots/api#message"""
    if message.sender_chat is not None or message.from_user is None:
        return None
    number = _whole(message.from_user.id, "from.id")
    return None if number in NOBODY else number


def _quote(message: Message, me: Me) -> Quote | None:
    selected = _string(message.quote.text, "quote.text") if message.quote is not None else ""
    original = message.reply_to_message
    if original is None:
        external = message.external_reply.message_id if message.external_reply is not None else None
        return Quote(_whole(external or 0, "external_reply"), selected=selected) if selected else None
    if original.forum_topic_created is not None:  # every message of a topic "replies" to the topic's first
        return None
    author = original.from_user
    ours = author is not None and author.id == me.id
    return Quote(
        _whole(original.message_id, "reply_to_message.message_id"),
        author=_name(author),
        text=_string(original.text or original.caption or "", "reply_to_message.text"),
        selected=selected,
        ours=ours,
        attached=() if ours else attached(original),
    )


def _unusable(keys: set[str]) -> str:
    if "text" in keys:
        return ""
    return next((kind for key, kind in UNUSABLE.items() if key in keys), "other")


def _date(message: Message, received: float) -> float:
    date = message.date.timestamp()
    return date if EARLIEST <= date <= received + DAY_S else received


def _name(user: User | None) -> str:
    """As displayed, in one line."""
    if user is None:
        return ""
    first, last = _string(user.first_name or "", "first_name"), _string(user.last_name or "", "last_name")
    return re.sub(r"\s+", " ", f"{first} {last}").strip()


def _is_bot(user: User | None) -> bool:
    if user is None:
        return False
    if not isinstance(flag := _any(user.is_bot), bool):
        raise Unreadable("is_bot is no boolean")
    return flag


def _any(value: object) -> object:
    """python-telegram-bot promises types that it doesn't check; this forgets the promise."""
    return value


def _whole(value: object, what: str) -> int:
    if type(value) is not int or abs(value) >= 2**53:
        raise Unreadable(f"{what} is no id")
    return value


def _string(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise Unreadable(f"{what} is no text")
    return clean(value)
