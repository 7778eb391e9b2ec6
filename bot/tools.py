"""What /tools shows: the built-in tools, those of each registry, and what can't be offered, with the reason. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bot import words

MOST = 30  # lines of a part
LINE = 160  # characters


class Named(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...


class Registry(Protocol):
    """The part of `agent.registry.Registry` that is shown."""

    @property
    def title(self) -> str: ...
    def tools(self) -> Sequence[Named]: ...
    def troubles(self) -> Sequence[tuple[str, str]]: ...


def tools_told(built_in: Sequence[str], registries: Sequence[Registry]) -> str:
    """The whole answer, as plain text."""
    parts = [words.built_in_tools(", ".join(built_in))]
    for registry in registries:
        lines = [f"{tool.name}: {tool.description}" for tool in registry.tools()]
        title = words.REGISTRIES.get(registry.title, registry.title)
        parts.append("\n".join([f"{title}:", *(_cut(lines) or [words.NO_TOOLS])]))
    troubles = [f"{name}: {why}" for registry in registries for name, why in registry.troubles()]
    if troubles:
        parts.append("\n".join([words.NOT_OFFERED, *_cut(troubles)]))
    return "\n\n".join(parts)


def _cut(lines: Sequence[str]) -> list[str]:
    shown = [" ".join(line.split()) for line in lines[:MOST]]
    shown = [line if len(line) <= LINE else line[: LINE - 1] + "…" for line in shown]
    return [*shown, *([words.and_more(len(lines) - MOST).strip()] if len(lines) > MOST else [])]
