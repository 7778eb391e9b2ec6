"""The messages of a leg as they are sent, each cut to the leg's room once and for good, and their size. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.ports import Message
from agent.room import LEAST, OMITTED, RATIO, Room, budget, room_of, size_of, size_of_message, size_of_tools, squeezed
from agent.steps import Opened, ToolSpec, Usage
from agent.window import ratio

AROUND = 24  # bytes around a message


@dataclass(slots=True)
class Shown:
    """A part of the history's fold. What is cut depends on what was shown before and on the leg's Opened, and on
    nothing else, so that a replay cuts the same."""

    messages: list[Message] = field(default_factory=list)
    size: int = 0  # bytes, without the fixed part
    room: Room = Room()  # noqa: RUF009 - frozen
    _context: int = 0
    _ratio: float = RATIO
    _kept: int = 0  # messages that a handoff would leave: the checkpoint
    _measured: tuple[int, int] | None = None  # bytes and tokens of the newest request, as its reply told

    def open(self, opened: Opened) -> None:
        """A leg, or the same one with another prefix: what was cut for more room than there is now is cut again."""
        self.room, self._context, self._ratio = room_of(opened), opened.context, opened.ratio
        self._measured = None
        for index, message in enumerate(self.messages):
            if limit := self._limit(index, message):
                message["content"] = squeezed(message["content"], limit)
        self.size = sum(map(size_of_message, self.messages))

    def offered(self, tools: tuple[ToolSpec, ...]) -> None:
        """Tools came after the leg began: they take of its room."""
        self.size += size_of_tools(tools)

    def _limit(self, index: int, message: Message) -> int:
        if index < self._kept:
            return self.room.checkpoint
        return {"user": self.room.message, "tool": self.room.result}.get(message["role"], 0)

    def restart(self, checkpoint: str) -> None:
        """From here on the checkpoint stands for all that was shown."""
        self.messages, self.size, self._measured, self._kept = [], 0, None, 1
        self.add({"role": "user", "content": squeezed(checkpoint, self.room.checkpoint)})

    def add(self, message: Message) -> None:
        self.messages.append(message)
        self.size += size_of_message(message)

    def result(self, call_id: str, text: str) -> Message:
        """Add a call's result, cut; what is put under it later goes through `grow`."""
        self.add({"role": "tool", "tool_call_id": call_id, "content": squeezed(text, self.room.result)})
        return self.messages[-1]

    def grow(self, message: Message, text: str) -> None:
        message["content"] = f"{message['content']}\n{text}"
        self.size += size_of(text) + 1

    def measured(self, usage: Usage) -> tuple[int, int] | None:
        """Bytes and tokens of the request that has just been answered; None where the reply didn't tell. To be asked
        before the reply is added."""
        if usage.estimated or usage.prompt <= 0:
            return None  # an older measure is better than none
        size = self.room.fixed + self.size
        self._measured = size, int(size / ratio(size, usage.prompt))
        return self._measured

    def fitted(self, texts: Sequence[str]) -> list[str]:
        """What was said and not yet shown, as it can be shown: each may take three quarters of what the ones before it
        left, so that no later one changes an earlier one. Neighbours without any room become one remark."""
        left = self.room.free - self.size
        out: list[str] = []
        for text in texts:
            limit = min(self.room.message, left * 3 // 4)
            cut = squeezed(text, limit) if limit >= LEAST or size_of(text) <= limit else OMITTED
            if cut != OMITTED or out[-1:] != [OMITTED]:
                out.append(cut)
                left -= size_of(cut) + AROUND
        return out

    def tokens(self, texts: Sequence[str]) -> int:
        """About how many tokens a request would have that shows these texts, too."""
        size = self.total(texts)
        if self._measured is None:
            return int(size / self._ratio)
        known, tokens = self._measured
        return tokens + int(max(size - known, 0) / min(self._ratio, ratio(known, tokens)))

    def total(self, texts: Sequence[str]) -> int:
        """The bytes of such a request."""
        return self.room.fixed + self.size + sum(min(size_of(text), self.room.message) + AROUND for text in texts)

    def full(self, texts: Sequence[str], context: int) -> bool:
        """Whether a handoff should come before a request that shows these texts, too; never where it would make no
        room. `context` in tokens was learnt since the leg began, 0 = nothing was."""
        if len(self.messages) <= self._kept:
            return False
        if self.room.free < self.size or self.fitted(texts) != [squeezed(text, self.room.message) for text in texts]:
            return True
        most = min(self.room.tokens, budget(context)) if context else self.room.tokens
        return self.tokens(texts) > most
