"""A provider has refused a tool: find out which, leave it out for good, and go on. The chat is told once.

A refusal names the tool, or a place in the list, or nothing. Only a plain name is believed at once; everything else is
tried out with a request of two words, which is given up at the first sign of an answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from agent.backoff import with_plan
from agent.offering import notice
from agent.ports import Delta, Message
from agent.session import Session
from agent.steps import Failed, Offered, Said, ToolSpec, Trouble, Usage

TRIAL: tuple[Message, ...] = ({"role": "user", "content": "Say ok."},)
SEARCH_S = 90.0  # what was refused and isn't cleared by then is left out
SHOWN = 30  # names in a notice


class Unclear(Exception):
    """The model could not be asked for another reason, which is `failed`."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.text)
        self.failed = failed


async def drop(session: Session) -> None:
    """Answer the newest failure, a refused tool: record what is left out, or the trouble that it comes down to. Raises
    StoreError."""
    failed = session.todo.failures[-1]
    search = Search(session, list(session.history.toolbox.sent))
    try:
        async with session.edges.slots.one(lambda ahead: session.on_delta(session.id, Delta(ahead=ahead))):
            fault = await search.run(failed)
    except Unclear as unclear:
        fault = unclear.failed
    now = session.edges.clock.now()
    if not search.bad:
        fault = replace(fault, at=now, tools=(), suspects=(), usage=Usage(), duration=0.0)
        await session.record(with_plan(session.todo, fault))
        return
    names = tuple(tool.name for tool in search.bad)
    said = notice(now, told(failed, names, left=len(search.rest)), "tool.rejected")
    await session.record(Offered(at=now, dropped=names), said)


def told(failed: Failed, names: Sequence[str], left: int) -> str:
    """What a person reads of it."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    then = "/tools shows what there is." if left else "None is left, so I go on without tools: I can only talk."
    return f"{failed.text} I leave out: {', '.join(names[:SHOWN])}{more}. {then}"


@dataclass(slots=True)
class Search:
    """`rest` are the tools that aren't known to be refused, `bad` those that are."""

    session: Session
    rest: list[ToolSpec]
    bad: list[ToolSpec] = field(default_factory=list)
    _groups: list[list[ToolSpec]] = field(default_factory=list)  # refused as they are, not yet sorted

    async def run(self, failed: Failed) -> Failed:
        """Sort the tools into `rest` and `bad`; the trouble that the failure is if none is bad. Raises Unclear."""
        try:
            async with asyncio.timeout(SEARCH_S):
                await self._sort(failed)
        except TimeoutError:
            self._leave([tool for group in self._groups for tool in group])
        except Unclear:
            if not self.bad:
                raise
        return failed if self.bad else await self._otherwise(failed)

    async def _sort(self, failed: Failed) -> None:
        refusal: Failed | None = failed
        while refusal is not None and self.rest:
            if not (self._named(refusal) or await self._suspected(refusal)):
                await self._sift()
                break
            refusal = await self.refusal(self.rest)
        if not self.rest and await self.refusal(()) is not None:  # it refuses whatever comes
            self.rest, self.bad = self.bad, []

    def _named(self, refusal: Failed) -> bool:
        return self._leave([tool for tool in self.rest if tool.name in refusal.tools])

    async def _suspected(self, refusal: Failed) -> bool:
        suspects = [tool for tool in self.rest if tool.name in refusal.suspects]
        return self._leave([tool for tool in suspects if not await self._taken([tool])])

    def _leave(self, tools: Sequence[ToolSpec]) -> bool:
        self.bad += [tool for tool in tools if tool in self.rest]
        self.rest = [tool for tool in self.rest if tool not in tools]
        return bool(tools)

    async def _sift(self) -> None:
        """Halve what is refused until each bad one stands alone. What is kept was taken together."""
        kept: list[ToolSpec] = []
        pending = [list(self.rest)]
        while pending:
            self._groups = pending
            group, *pending = pending
            if await self._taken([*kept, *group], once=len(group) > 1):
                kept += group
            elif len(group) == 1:
                self._leave(group)
            else:
                half = len(group) // 2
                pending = [group[:half], group[half:], *pending]

    async def _otherwise(self, failed: Failed) -> Failed:
        """Every tool is taken now. Once that may have been a passing trouble; the second time it is the conversation
        and the tools together, or the conversation alone."""
        before = [each for each in self.session.todo.failures if each.trouble is Trouble.TOOLS]
        if len(before) < 2:
            return replace(failed, trouble=Trouble.RETRY)
        if self.rest and await self.refusal((), self.session.history.request().messages) is None:
            self._leave(self.rest)
        return replace(failed, trouble=Trouble.BUG)

    async def _taken(self, tools: Sequence[ToolSpec], once: bool = False) -> bool:
        """Whether a request with these tools is taken. Unless `once` is enough, it is asked twice before the answer is
        no: some refuse at random."""
        return await self.refusal(tools) is None or (not once and await self.refusal(tools) is None)

    async def refusal(self, tools: Sequence[ToolSpec], messages: Sequence[Message] = TRIAL) -> Failed | None:
        """How a request with these tools is refused; None if it is taken. Raises Unclear."""
        model = self.session.edges.speaker(self.session.todo.led)
        async with aclosing(model.reply(messages, tools)) as reply:
            async for part in reply:
                match part:
                    case Failed(trouble=Trouble.TOOLS) | Failed(trouble=Trouble.BUG, status=400 | 422):
                        return part
                    case Failed():
                        raise Unclear(part)
                    case Said():
                        return None
                    case Delta() if part.text:
                        return None
                    case _:
                        pass
        return None
