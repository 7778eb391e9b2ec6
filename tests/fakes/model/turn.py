"""Which script a request belongs to and where in it the conversation stands, read from the messages alone.

A turn is bound by a tag in the user's message, [[script:NAME]] or [[script:NAME#INSTANCE]]. Its position is the number
of assistant messages after that message, so that it survives restarts and retries. Products quote older turns in side
notes: the turn is the tag that the server met last for the first time, so give every turn a fresh instance.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from tests.fakes.model.validate import text_of

TAG = re.compile(r"\[\[script:([A-Za-z0-9_.-]+)(?:#([A-Za-z0-9_.-]+))?\]\]")
Tag = tuple[str, str]  # name, instance


@dataclass(frozen=True, slots=True)
class Turn:
    """What a policy sees. `start` is the index of the tagged message, -1 if the tag stands elsewhere."""

    script: str
    instance: str
    start: int
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Those after the tagged one."""
        return list(self.body["messages"][self.start + 1 :])

    @property
    def position(self) -> int:
        return sum(message["role"] == "assistant" for message in self.messages)

    @property
    def results(self) -> list[str]:
        return [text_of(message.get("content")) for message in self.messages if message["role"] == "tool"]

    @property
    def injected(self) -> list[str]:
        """What the product itself put after the user's message: nudges, notices, the tail."""
        roles = ("user", "system", "developer")
        return [text_of(message.get("content")) for message in self.messages if message["role"] in roles]

    def saw(self, pattern: str) -> bool:
        """Whether the regular expression matches a result or an injected message."""
        return any(re.search(pattern, text, re.I | re.S) for text in self.injected + self.results)


class Binder:
    """Finds the turn of a request; remembers in which order the tags were met."""

    def __init__(self) -> None:
        self._met: dict[Tag, int] = {}

    def bind(self, body: dict[str, Any]) -> Turn | None:
        """The turn, or None if the request carries no tag."""
        where: defaultdict[Tag, list[tuple[int, bool]]] = defaultdict(list)
        for index, message in enumerate(body["messages"]):
            tags = dict.fromkeys(TAG.findall(text_of(message.get("content"))))
            if message["role"] != "user":
                continue
            for tag in tags:
                where[tag].append((index, len(tags) == 1))
        if not where:  # only in a summary or in a system text
            texts = [text_of(message.get("content")) for message in body["messages"]]
            where |= {tag: [(-1, True)] for tag in TAG.findall("\n".join(texts))[-1:]}
        if not where:
            return None
        for tag in where:
            self._met.setdefault(tag, len(self._met))
        tag = max(where, key=self._met.__getitem__)
        start = next((index for index, alone in reversed(where[tag]) if alone), where[tag][0][0])
        return Turn(*tag, start, body)
