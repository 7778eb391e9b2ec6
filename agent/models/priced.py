"""A model whose replies carry what they cost: a fact of the day it was spent, whatever the prices are later."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from agent.ports import Delta, Message, Model
from agent.prices import Prices
from agent.steps import Failed, Said, ToolSpec


class Priced:
    """Implements `agent.ports.Model` around another one, and charges each reply to the model that it names."""

    def __init__(self, model: Model, prices: Prices) -> None:
        self.name = model.name
        self._model, self._prices = model, prices

    async def reply(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncGenerator[Delta | Said | Failed, None]:
        """Yield what the model yields. Raises nothing but CancelledError."""
        async with aclosing(self._model.reply(messages, tools)) as parts:
            async for part in parts:
                if isinstance(part, Delta):
                    yield part
                else:
                    yield replace(part, usage=self._prices.charge(part.model or self.name, part.usage))
