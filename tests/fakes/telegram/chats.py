"""What the service remembers: chats, messages, topics, files, and who is an admin."""

from __future__ import annotations

import itertools
import time
from collections import defaultdict
from dataclasses import dataclass, field

from tests.fakes.telegram.wire import Json, Params, bad

OWNER = 7  # the person who writes if nobody else is named


@dataclass(frozen=True, slots=True)
class StoredFile:
    file_id: str
    name: str
    path: str
    data: bytes
    size: int  # as announced; may be more than len(data), to play a file that is too large

    def reference(self) -> Json:
        return {"file_id": self.file_id, "file_unique_id": "U" + self.file_id, "file_size": self.size}


@dataclass(slots=True)
class Chats:
    """Ids only grow, as on the real server; message ids are unique over all chats."""

    me: Params
    chats: dict[int, Params] = field(default_factory=dict)
    messages: defaultdict[int, dict[int, Params]] = field(default_factory=lambda: defaultdict(dict))
    topics: defaultdict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    admins: defaultdict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    migrated: dict[int, int] = field(default_factory=dict)
    files: dict[str, StoredFile] = field(default_factory=dict)
    presses: set[str] = field(default_factory=set)  # callback queries that wait for their answer
    drafts: list[Params] = field(default_factory=list)
    commands: dict[str, list[Params]] = field(default_factory=dict)  # by scope and language
    languages: dict[int, str] = field(default_factory=dict)  # of a person's client, where it isn't English
    ids: itertools.count[int] = field(default_factory=lambda: itertools.count(101))

    def user(self, user_id: int) -> Params:
        name = {"first_name": f"User{user_id}", "username": f"user{abs(user_id)}"}
        return {"id": user_id, "is_bot": False, **name, "language_code": self.languages.get(user_id, "en")}

    def chat(self, chat_id: int, kind: str = "") -> Params:
        """The chat of this id, made if need be. kind: private, group, supergroup; by the id's sign if not given."""
        if chat_id not in self.chats:
            kind = kind or ("private" if chat_id > 0 else "supergroup")
            named = {"first_name": f"User{chat_id}"} if kind == "private" else {"title": f"Group{-chat_id}"}
            self.chats[chat_id] = {"id": chat_id, "type": kind, **named}
        return self.chats[chat_id]

    def known(self, params: Params) -> int:
        """The chat id of a call. Raises ApiError if the bot can't write there."""
        chat_id = params.get("chat_id")
        if chat_id is None:
            raise bad("chat_id is empty")
        if chat_id in self.migrated:
            where = {"migrate_to_chat_id": self.migrated[chat_id]}
            raise bad("group chat was upgraded to a supergroup chat", where)
        if chat_id not in self.chats:
            raise bad("chat not found")
        return int(chat_id)

    def thread(self, chat_id: int, params: Params) -> Params:
        """The topic part of a message. Raises ApiError for a topic that isn't there; General has no id for sending."""
        topic = params.get("message_thread_id")
        if not topic:
            return {}
        if topic not in self.topics[chat_id]:
            raise bad("message thread not found")
        return {"message_thread_id": topic, "is_topic_message": True}

    def store(self, chat_id: int, sender: Params, content: Params, reply_to: int | None = None) -> Params:
        """Put a message into a chat and return it."""
        message: Params = {"message_id": next(self.ids), "from": sender, "chat": dict(self.chat(chat_id))}
        message |= {"date": int(time.time()), **content}
        if quoted := self.messages[chat_id].get(reply_to or 0):
            message["reply_to_message"] = {key: value for key, value in quoted.items() if key != "reply_to_message"}
        self.messages[chat_id][message["message_id"]] = message
        return message

    def add_file(self, data: bytes, name: str, size: int | None = None) -> StoredFile:
        file_id = f"FILE{next(self.ids):06d}"
        stored = StoredFile(file_id, name, f"documents/{file_id}", data, len(data) if size is None else size)
        self.files[file_id] = stored
        return stored

    def screen(self, chat_id: int) -> list[Params]:
        """What a person sees now: the bot's messages after edits and deletions, oldest first."""
        return [message for message in self.messages[chat_id].values() if message["from"]["is_bot"]]
