"""The table of methods, and those of them that show nothing: the bot, its commands, chats, files, button presses.

A method that isn't here is refused with 404, so that each method the product uses has its rules checked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from tests.fakes.telegram import messages
from tests.fakes.telegram.chats import Chats
from tests.fakes.telegram.messages import Files
from tests.fakes.telegram.wire import Json, Params, bad, words

DOWNLOAD_LIMIT = 20 * 2**20  # bytes, https://core.telegram.org/bots/api#getfile
SCOPES = words("default all_private_chats all_group_chats all_chat_administrators chat chat_administrators chat_member")


def get_me(chats: Chats, params: Params, files: Files) -> Json:
    return chats.me


def get_file(chats: Chats, params: Params, files: Files) -> Json:
    stored = chats.files.get(params.get("file_id", ""))
    if stored is None:
        raise bad("invalid file_id")
    if stored.size > DOWNLOAD_LIMIT:
        raise bad("file is too big")
    return {**stored.reference(), "file_path": stored.path}


def answer_press(chats: Chats, params: Params, files: Files) -> Json:
    press = params.get("callback_query_id", "")
    if press not in chats.presses:
        raise bad("query is too old and response timeout expired or query ID is invalid")
    if len(params.get("text") or "") > 200:
        raise bad("MESSAGE_TOO_LONG")
    chats.presses.discard(press)
    return True


def _scope(params: Params) -> str:
    scope = params.get("scope") or {"type": "default"}
    if scope.get("type") not in SCOPES:
        raise bad("can't parse BotCommandScope: unsupported type specified")
    return json.dumps([scope, params.get("language_code") or ""], sort_keys=True)


def set_commands(chats: Chats, params: Params, files: Files) -> Json:
    commands = params.get("commands")
    if not isinstance(commands, list):
        raise bad("can't parse commands")
    if len(commands) > 100:
        raise bad("BOT_COMMANDS_TOO_MUCH")
    for command in commands:
        if not re.fullmatch(r"/?[a-z0-9_]{1,32}", command.get("command", "")):
            raise bad("BOT_COMMAND_INVALID")
        if not 1 <= len(command.get("description", "")) <= 256:
            raise bad("BOT_COMMAND_DESCRIPTION_INVALID")
    chats.commands[_scope(params)] = commands
    return True


def get_commands(chats: Chats, params: Params, files: Files) -> Json:
    return chats.commands.get(_scope(params), [])


def delete_commands(chats: Chats, params: Params, files: Files) -> Json:
    chats.commands.pop(_scope(params), None)
    return True


def get_chat(chats: Chats, params: Params, files: Files) -> Json:
    more = {"accent_color_id": 0, "max_reaction_count": 11, "accepted_gift_types": {}}
    return {**chats.chats[chats.known(params)], **more}


def get_member(chats: Chats, params: Params, files: Files) -> Json:
    chat_id, user_id = chats.known(params), params.get("user_id", 0)
    status = "administrator" if user_id in chats.admins[chat_id] else "member"
    return {"user": chats.user(user_id), "status": status}


def get_admins(chats: Chats, params: Params, files: Files) -> Json:
    chat_id = chats.known(params)
    if chat_id > 0:
        raise bad("there are no administrators in the private chat")
    return [{"user": chats.user(user), "status": "administrator"} for user in sorted(chats.admins[chat_id])]


Method = Callable[[Chats, Params, Files], Json]
METHODS: dict[str, Method] = {
    "getMe": get_me,
    "getFile": get_file,
    "answerCallbackQuery": answer_press,
    "setMyCommands": set_commands,
    "getMyCommands": get_commands,
    "deleteMyCommands": delete_commands,
    "getChat": get_chat,
    "getChatMember": get_member,
    "getChatAdministrators": get_admins,
    "sendMessage": messages.send_message,
    "sendMessageDraft": messages.send_draft,
    "sendDocument": messages.send_document,
    "sendPhoto": messages.send_photo,
    "editMessageText": messages.edit_text,
    "editMessageReplyMarkup": messages.edit_markup,
    "deleteMessage": messages.delete_message,
    "sendChatAction": messages.chat_action,
    "setMessageReaction": messages.react,
}
