"""A question to the model beside the run's own talk with it: no tools, bounded in time and length, and booked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from agent.ports import Delta, Message
from agent.room import RATIO
from agent.session import Session
from agent.steps import Failed, Said, Usage

TRIES = 3  # of models: one that fails names the next


@dataclass(slots=True)
class Asking:
    """Implements agent.ports.Ask for one call or look of a session; `usage` is what came of it all."""

    session: Session
    usage: Usage | None = None

    async def __call__(
        self, messages: Sequence[Message], timeout_s: float, most: int, model: str = ""
    ) -> Said | Failed:
        """See agent.ports.Ask."""
        screen = self.session.edges.screen
        shown = [{**each, "content": screen.output(str(each["content"]))} for each in messages]
        async with asyncio.timeout(timeout_s):
            for _ in range(TRIES):
                said = await self._once(shown, most, model)
                if isinstance(said, Said):
                    return replace(said, text=screen.output(said.text))
                if not said.then:
                    break
        return said

    async def _once(self, messages: Sequence[Message], most: int, model: str) -> Said | Failed:
        edges, text, asked = self.session.edges, "", sum(len(str(each["content"])) for each in messages)
        speaker = edges.speaker(model or self.session.todo.led)
        usage: Usage | None = None
        async with edges.slots.one(lambda ahead: None), aclosing(speaker.reply(messages, ())) as reply:
            try:
                async for part in reply:
                    match part:
                        case Delta():
                            text = "" if part.restart else text + part.text
                        case Said() | Failed():
                            usage = part.usage
                            return part
                    if len(text) > most * RATIO:
                        break
            finally:  # what was cut off, by its length or its time, cost something too
                guess = Usage(prompt=int(asked / RATIO), completion=int(len(text) / RATIO), estimated=True)
                self._book(usage or guess)
        return Said(at=edges.clock.now(), text=text, finish="cut")

    def _book(self, usage: Usage) -> None:
        if usage.tokens or usage.money:
            self.usage = self.usage + usage if self.usage else usage
