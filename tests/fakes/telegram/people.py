"""What people do in their Telegram clients, as updates for the bot."""

from __future__ import annotations

import time

from tests.fakes.telegram.chats import OWNER, Chats
from tests.fakes.telegram.entities import incoming
from tests.fakes.telegram.queue import Updates
from tests.fakes.telegram.wire import Params


class People:
    """Each method returns the update's id, -1 if the bot didn't ask for that kind."""

    def __init__(self, chats: Chats, updates: Updates) -> None:
        self._chats, self._updates = chats, updates

    def message(
        self,
        content: Params,
        chat: int = OWNER,
        *,
        user: int | None = None,
        topic: int = 0,
        reply_to: int | None = None,
    ) -> Params:
        """A message in the chat, not yet on its way to the bot. `content` holds the fields beside the envelope's."""
        here = self._chats.chat(chat)
        where: Params = {}
        if topic:
            here["is_forum"] = True
            self._chats.topics[chat].add(topic)
            where = {"message_thread_id": topic, "is_topic_message": True}
        author = user if user is not None else (chat if chat > 0 else OWNER)
        return self._chats.store(chat, self._chats.user(author), where | content, reply_to)

    def say(
        self,
        text: str,
        chat: int = OWNER,
        *,
        user: int | None = None,
        topic: int = 0,
        reply_to: int | None = None,
    ) -> int:
        """Write a text; commands and mentions get their entities as from the server."""
        marks = incoming(text)
        content = {"text": text, **({"entities": marks} if marks else {})}
        message = self.message(content, chat, user=user, topic=topic, reply_to=reply_to)
        return self._updates.put(self._updates.make("message", message))

    def edit(self, chat: int, message_id: int, text: str) -> int:
        older = {name: value for name, value in self._chats.messages[chat][message_id].items() if name != "entities"}
        marks = incoming(text)
        message = {**older, "text": text, **({"entities": marks} if marks else {}), "edit_date": int(time.time())}
        self._chats.messages[chat][message_id] = message
        return self._updates.put(self._updates.make("edited_message", message))

    def press(self, chat: int, message_id: int, data: str, user: int | None = None) -> str:
        """Press a button of a message; returns the id of the callback query."""
        press_id = f"press{next(self._chats.ids)}"
        self._chats.presses.add(press_id)
        gone = {"message_id": message_id, "chat": self._chats.chat(chat), "date": 0}
        author = user if user is not None else (chat if chat > 0 else OWNER)
        query = {
            "id": press_id,
            "from": self._chats.user(author),
            "message": self._chats.messages[chat].get(message_id, gone),
            "chat_instance": str(chat),
            "data": data,
        }
        self._updates.put(self._updates.make("callback_query", query))
        return press_id

    def upload(self, data: bytes, name: str, chat: int = OWNER, *, caption: str = "", size: int | None = None) -> int:
        """Send a document. `size` overrides the announced size in bytes."""
        document = {**self._chats.add_file(data, name, size).reference(), "file_name": name, "mime_type": "text/plain"}
        message = self.message({"document": document, **({"caption": caption} if caption else {})}, chat)
        return self._updates.put(self._updates.make("message", message))

    def migrate(self, old: int, new: int) -> None:
        """The group becomes a supergroup with another id; both notices arrive."""
        self._chats.chat(old, "group")
        self._chats.chat(new, "supergroup")
        self._chats.migrated[old] = new
        for chat, content in ((old, {"migrate_to_chat_id": new}), (new, {"migrate_from_chat_id": old})):
            self._updates.put(self._updates.make("message", self.message(content, chat)))
