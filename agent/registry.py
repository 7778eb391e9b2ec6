"""The seams of tools that come and go while we run: any registry of them, and the workshop of custom ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from agent.ports import Tool


@dataclass(frozen=True, slots=True)
class News:
    """What a registry has to tell the chat, once. `key` is unique to it; `event` is the log's name for it."""

    key: str
    text: str
    event: str = "tool.quarantined"


class Registry(Protocol):
    """Tools that come and go while we run: custom ones, those of MCP servers. `title` is what a person calls them."""

    title: str

    async def refresh(self) -> None:
        """Before a request: take up what has changed. Short. Raises nothing."""

    def tools(self) -> Sequence[Tool]:
        """Those that can be offered now, in an order that stays: new ones last."""

    def news(self) -> Sequence[News]:
        """What nobody was told yet."""

    async def told(self, news: Sequence[News]) -> None:
        """It stands in a journal now. Raises nothing."""

    def troubles(self) -> Sequence[tuple[str, str]]:
        """What can't be offered at the moment: a name, and why."""


@runtime_checkable
class Closing(Protocol):
    """A registry that holds processes or connections."""

    async def close(self) -> None:
        """Let go of them. Raises nothing."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """An entry of the tools file that can't be used; `entry` is its JSON text, `reason` a sentence for a person."""

    name: str
    reason: str
    entry: str


class Workshop(Registry, Protocol):
    """The custom tools, kept in a file of ours. Entries are JSON objects with name, description, parameters, and
    command or script."""

    async def save(self, entry: dict[str, Any]) -> Sequence[str]:
        """Check and keep a tool, in place of the one of that name; returns what was put right in it, in words. Raises
        ToolError that names the field and the right shape; then the file is as it was."""

    async def delete(self, name: str) -> None:
        """Raises ToolError where there is no such custom tool."""

    def entries(self) -> Sequence[dict[str, Any]]:
        """The custom tools as they stand in the file."""

    def set_aside(self) -> Sequence[SetAside]: ...
