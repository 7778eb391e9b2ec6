"""Edges for tests of the engine: everything in memory, one line to change a part."""

from __future__ import annotations

from typing import Any

from agent.edges import Edges, Place
from agent.steps import Opened


class OpenScreen:
    """A screen that hides nothing but the one secret it is told."""

    def __init__(self, secret: str = "\0never") -> None:
        self.secret = secret

    def text(self, text: str) -> str:
        return text.replace(self.secret, "[secret]")

    output = text

    def partial(self, text: str) -> str:
        return self.text(text)

    def holds_secret(self, text: str) -> bool:
        return self.secret in text

    def holds_mask(self, text: str) -> bool:
        return "[secret]" in text


def opening(session: str, place: Place, at: float, model: str = "", context: int = 0) -> Opened:
    return Opened(
        at=at, prompt="You are Jarvis.", tools=(), model=model or "fake", panel="ours", day="2026-01-01",
        cwd=place.cwd, nonce="abcd", workspace=place.workspace, context=context,
    )  # fmt: skip


def make_edges(**parts: Any) -> Edges:
    """Edges with fakes for all that isn't given."""
    return Edges(**{"screen": OpenScreen(), "opening": opening, **parts})
