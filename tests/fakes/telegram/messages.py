"""The methods that put something on a person's screen, or change what is there."""

from __future__ import annotations

import time

from tests.fakes.http import Upload
from tests.fakes.telegram.chats import Chats
from tests.fakes.telegram.entities import text_of
from tests.fakes.telegram.wire import ApiError, Json, Params, bad, words

Files = dict[str, Upload]
UPLOAD_LIMIT = 50 * 2**20  # bytes, https://core.telegram.org/bots/api#sending-files
ACTIONS = words(
    "typing upload_photo record_video upload_video record_voice upload_voice upload_document choose_sticker "
    "find_location record_video_note upload_video_note"
)
# https://core.telegram.org/bots/api#reactiontypeemoji
REACTIONS = frozenset(
    "👍👎❤🔥🥰👏😁🤔🤯😱🤬😢🎉🤩🤮💩🙏👌🕊🤡🥱🥴😍🐳🌚🌭💯🤣⚡🍌🏆💔🤨😐🍓🍾💋🖕😈😴😭🤓👻👀🎃🙈😇😨🤝✍🤗🫡🎅🎄☃💅🤪🗿🆒💘🙉🦄😘💊🙊😎👾😡🤷"
) | {"❤‍🔥", "👨‍💻", "🤷‍♂", "🤷‍♀"}
NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current content "
    "and reply markup of the message"
)


def keyboard(params: Params) -> Params:
    """The inline keyboard as part of a message, {} if there is none. Raises ApiError."""
    markup = params.get("reply_markup")
    if markup is None:
        return {}
    rows = markup.get("inline_keyboard") if isinstance(markup, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise bad('can\'t parse inline keyboard: field "inline_keyboard" must be an Array of Arrays')
    buttons = [button for row in rows for button in row]
    for button in buttons:
        _check_button(button)
    if len(buttons) > 100:
        raise bad("REPLY_MARKUP_TOO_LONG")
    return {"reply_markup": markup} if buttons else {}


def _check_button(button: Json) -> None:
    if not isinstance(button, dict) or not button.get("text"):
        raise bad("can't parse inline keyboard button: Can't find field \"text\"")
    if len(set(button) - {"text", "icon_custom_emoji_id", "style"}) != 1:
        raise bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
    if "callback_data" in button and not 1 <= len(str(button["callback_data"]).encode()) <= 64:
        raise bad("BUTTON_DATA_INVALID")


def _post(chats: Chats, params: Params, content: Params) -> Params:
    chat_id = chats.known(params)
    reply = params.get("reply_parameters") or {
        "message_id": params.get("reply_to_message_id"),
        "allow_sending_without_reply": params.get("allow_sending_without_reply"),
    }
    if not isinstance(reply, dict):
        raise bad("object expected as reply parameters")
    target = reply.get("message_id")
    if target and target not in chats.messages[chat_id] and not reply.get("allow_sending_without_reply"):
        raise bad("message to be replied not found")
    sender = {key: chats.me[key] for key in ("id", "is_bot", "first_name", "username")}
    return chats.store(chat_id, sender, chats.thread(chat_id, params) | content | keyboard(params), target)


def send_message(chats: Chats, params: Params, files: Files) -> Json:
    chats.known(params)
    return _post(chats, params, text_of(params, "text", 4096))


def send_draft(chats: Chats, params: Params, files: Files) -> Json:
    chat_id = chats.known(params)
    if chat_id < 0:
        raise bad("TEXTDRAFT_PEER_INVALID")
    if not params.get("draft_id"):
        raise bad("draft_id must be non-zero")
    if params.get("text"):
        text_of(params, "text", 4096)
    chats.thread(chat_id, params)
    chats.drafts.append({"chat_id": chat_id, "draft_id": params["draft_id"], "text": params.get("text", "")})
    return True


def send_document(chats: Chats, params: Params, files: Files) -> Json:
    return _post(chats, params, {"document": _media(chats, "document", params, files), **_caption(params)})


def send_photo(chats: Chats, params: Params, files: Files) -> Json:
    photo = {**_media(chats, "photo", params, files), "width": 1, "height": 1}
    return _post(chats, params, {"photo": [photo], **_caption(params)})


def _caption(params: Params) -> Params:
    return text_of(params, "caption", 1024)


def _media(chats: Chats, kind: str, params: Params, files: Files) -> Json:
    chats.known(params)
    reference = str(params.get(kind, ""))
    upload = files.get(kind) or files.get(reference.removeprefix("attach://"))
    if upload is None:
        if reference not in chats.files:
            raise bad(f"there is no {kind} in the request" if not reference else "wrong file identifier specified")
        stored = chats.files[reference]
    elif not upload.data:
        raise bad("file must be non-empty")
    elif len(upload.data) > UPLOAD_LIMIT:
        raise ApiError(413, "Request Entity Too Large")
    else:
        stored = chats.add_file(upload.data, upload.name)
    return {**stored.reference(), "file_name": stored.name}


def _target(chats: Chats, params: Params, verb: str) -> Params:
    message = chats.messages[chats.known(params)].get(params.get("message_id", 0))
    if message is None:
        raise bad(f"message to {verb} not found")
    return message


def _change(chats: Chats, params: Params, new: Params) -> Json:
    message = _target(chats, params, "edit")
    if not message["from"]["is_bot"]:
        raise bad("message can't be edited")
    if all(message.get(key) == value for key, value in new.items()):
        raise bad(NOT_MODIFIED)
    for key, value in new.items():
        message.pop(key, None)
        if value:
            message[key] = value
    message["edit_date"] = int(time.time())
    return message


def edit_text(chats: Chats, params: Params, files: Files) -> Json:
    text = text_of(params, "text", 4096)
    markup = keyboard(params).get("reply_markup")
    return _change(chats, params, {"text": text["text"], "entities": text.get("entities"), "reply_markup": markup})


def edit_markup(chats: Chats, params: Params, files: Files) -> Json:
    return _change(chats, params, {"reply_markup": keyboard(params).get("reply_markup")})


def delete_message(chats: Chats, params: Params, files: Files) -> Json:
    message = _target(chats, params, "delete")
    del chats.messages[params["chat_id"]][message["message_id"]]
    return True


def chat_action(chats: Chats, params: Params, files: Files) -> Json:
    chats.thread(chats.known(params), params)
    if params.get("action") not in ACTIONS:
        raise bad("wrong parameter action in request")
    return True


def react(chats: Chats, params: Params, files: Files) -> Json:
    _target(chats, params, "react")
    wanted = params.get("reaction") or []
    if len(wanted) > 1:
        raise bad("REACTIONS_TOO_MANY")
    if any(each.get("emoji", "").replace("\ufe0f", "") not in REACTIONS for each in wanted):
        raise bad("REACTION_INVALID")
    return True
