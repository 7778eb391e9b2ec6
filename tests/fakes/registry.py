"""A registry of tools that a test fills, and tools for it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.ports import Tool
from agent.recipe import judged
from agent.registry import News
from agent.tools._custom import CustomTool


def custom(name: str, description: str = "d", command: str = "true", parameters: Any = None) -> CustomTool:
    entry = {"name": name, "description": description, "command": command, "parameters": parameters or {}}
    return CustomTool(judged(json.loads(json.dumps(entry))).recipe)


@dataclass(slots=True)
class FakeRegistry:
    """Implements agent.registry.Registry. What is put into `coming` is there after the next look."""

    title: str = "Fake"
    held: list[Tool] = field(default_factory=list)
    coming: list[Tool] = field(default_factory=list)
    untold: list[News] = field(default_factory=list)
    was_told: list[News] = field(default_factory=list)
    away: list[tuple[str, str]] = field(default_factory=list)
    looks: int = 0

    async def refresh(self) -> None:
        self.looks += 1
        for tool in self.coming:
            self.held = [*(each for each in self.held if each.name != tool.name), tool]
        self.coming.clear()

    def tools(self) -> Sequence[Tool]:
        return self.held

    def news(self) -> Sequence[News]:
        out, self.untold = self.untold, []
        return out

    async def told(self, news: Sequence[News]) -> None:
        self.was_told += news

    def troubles(self) -> Sequence[tuple[str, str]]:
        return self.away
