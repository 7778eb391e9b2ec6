"""Before a request: offer what has come into the registries since the leg began, and tell what they have to say."""

from __future__ import annotations

from collections.abc import Iterable

from agent.room import affordable
from agent.session import Session
from agent.steps import Level, Nudged, Offered, Step, ToolSpec
from agent.tool import spec

GUARD = "workshop"  # in whose name the chat is told of tools; no guard has it
SLOT = "turn.tools"


async def offer(session: Session) -> None:
    """Record what is new for this session, if anything is. Raises StoreError."""
    edges, now = session.edges, session.edges.clock.now()
    for registry in edges.registries:
        await registry.refresh()
    steps: list[Step] = []
    there: Iterable[ToolSpec] = [spec(tool) for registry in edges.registries for tool in registry.tools()]
    if opened := session.todo.opened:
        there = affordable(there, opened.context, opened.ratio)
    if added := session.history.toolbox.missing(there):
        steps.append(Offered(at=now, added=added))
    told = [(registry, list(registry.news())) for registry in edges.registries]
    steps += [notice(now, edges.screen.output(news.text), news.event) for _, all_news in told for news in all_news]
    if steps:
        await session.record(*steps)
    for registry, all_news in told:
        if all_news:
            await registry.told(all_news)


def notice(at: float, text: str, event: str) -> Nudged:
    """What the chat and, for one reply, the model are told about tools."""
    return Nudged(at=at, guard=GUARD, event=event, level=Level.NOTE, text=text, slot=SLOT)
