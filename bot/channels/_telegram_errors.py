"""What an error of the Bot API or the network means for a message on its way out: retry, park, simplify or give up."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import httpx
from telegram.error import TelegramError

from bot.channel import Ambiguous, Flooded, Passing, Refused, SendFailed, Unreachable
from bot.channels._telegram_wire import ApiRefusal, Garbled

# The request had not left, or was never whole: https://www.python-httpx.org/exceptions/
_NOT_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
    httpx.InvalidURL,
    UnicodeError,
    RuntimeError,  # the client is closed
)
_CLOSED_TO_US = (
    "chat not found",
    "bot was kicked",
    "bot was blocked",
    "bot is not a member",
    "user is deactivated",
    "user not found",
    "group chat was deactivated",
    "group is deactivated",
    "no rights to send",
    "not enough rights to send",
    "chat_write_forbidden",
    "chat_restricted",
    "chat_send_plain_forbidden",
    "peer_id_invalid",
    "topic_closed",
)
_NO_REPLY = ("to be replied not found", "replied message not found", "reply message not found", "reply_message_id")
_NO_TOPIC = ("thread not found", "topic_closed", "topic_deleted", "topic_id_invalid", "topic not found")
# A chat may forbid files alone: https://core.telegram.org/bots/api#chatpermissions
_NO_FILES = re.compile(r"rights to send (?:documents|photos|media)|chat_send_(?:docs|photos|media)_forbidden")
_NO_PHOTO = ("photo", "image", "wrong file", "wrong type")


@dataclass(frozen=True, slots=True)
class Form:
    """Which optional parts of a message go along."""

    entities: bool = False
    reply: bool = False
    topic: bool = False
    photo: bool = False


def simpler(form: Form, error: Exception) -> Form | None:
    """The form to try after a refusal, without the part that was refused; None if leaving something out won't help."""
    if not isinstance(error, ApiRefusal) or error.code != 400:
        return None
    why = error.description.lower()
    if form.entities and ("entities" in why or "entity" in why):
        return replace(form, entities=False)
    if form.reply and any(phrase in why for phrase in _NO_REPLY):
        return replace(form, reply=False)
    if form.topic and any(phrase in why for phrase in _NO_TOPIC):
        # a reply would pull the message back into the topic that is gone
        return replace(form, topic=False, reply=False)
    if form.photo and any(phrase in why for phrase in _NO_PHOTO):
        return replace(form, photo=False)
    return None


def is_unmodified(error: Exception) -> bool:
    """An edit that would change nothing."""
    return isinstance(error, ApiRefusal) and "message is not modified" in error.description.lower()


def is_revoked(error: Exception) -> bool:
    """The Bot API itself says that our token isn't valid (any more); a proxy's 401 is something else."""
    return isinstance(error, ApiRefusal) and error.code == 401 and error.api


def failure(error: Exception) -> SendFailed:
    """Map what came out of a call that sends or edits to what the caller should do about it."""
    match error:
        case TimeoutError() | Garbled():
            return Ambiguous(words(error))
        case ApiRefusal():
            return _refused(error)
        case TelegramError():
            return Passing(words(error)) if isinstance(error.__cause__, _NOT_SENT) else Ambiguous(words(error))
        case _:  # it was taken, and we stumbled over the answer
            return Ambiguous(words(error))


def _refused(error: ApiRefusal) -> SendFailed:
    why = error.description.lower()
    if error.retry_after is not None:
        return Flooded(max(1.0, error.retry_after))
    if error.moved_to is not None:
        return Unreachable("the group became a supergroup", moved_to=str(error.moved_to))
    if error.code == 413:
        return Refused("the message is too large for the server")
    if not error.api or error.code >= 500 or error.code in (401, 408):
        return Passing(words(error))
    if _NO_FILES.search(why):
        return Refused(error.description)
    if error.code == 403 or any(phrase in why for phrase in _CLOSED_TO_US):
        return Unreachable(error.description)
    return Refused(error.description)


def words(error: BaseException) -> str:
    """An error in a few words for log and status. Never the text of a network error: URLs hold the token."""
    match error:
        case ApiRefusal():
            return f"{error.description} ({error.code})" if error.api else error.description
        case Garbled():
            return error.message
        case TelegramError() if error.__cause__ is not None:
            return type(error.__cause__).__name__
        case _:
            return type(error).__name__
