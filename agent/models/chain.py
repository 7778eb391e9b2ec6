"""Several models behind one port: one that fails rests for a while, and the next in the chain is asked instead."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Protocol

from agent.ports import Clock, Delta, Message, Model
from agent.steps import Failed, Said, ToolSpec, Trouble

FIRST_REST_S = 15.0  # after a passing failure; doubled with each further one
LONGEST_REST_S = 300.0
PERSON_REST_S = 600.0  # after one that only a person can mend
EMPTY_REPLIES = 2  # a model that says nothing is asked once more before another is

_PASSING = (Trouble.RETRY, Trouble.WAIT)
_OF_THE_MODEL = (402, 403, 404, 429, 400, 422)  # what a person can fix and another model of the endpoint needn't share


class Closing(Model, Protocol):
    """A model that holds connections."""

    async def close(self) -> None: ...


@dataclass(slots=True)
class Member:
    """One model of the chain, how it stands, and which `endpoint` (address and key) it shares with others. `until` is
    monotonic seconds; `told`: the provider itself named that time."""

    model: Closing
    endpoint: str
    until: float = 0.0
    told: bool = False
    trouble: Trouble = Trouble.RETRY
    why: str = ""
    causes: str = ""
    misses: int = 0


@dataclass(frozen=True, slots=True)
class Rest:
    """How a model stands: it is asked again by itself after so many `seconds`, 0 = now; `why` is a sentence, `causes`
    the same as JSON text."""

    name: str
    seconds: float
    why: str
    causes: str = ""


class Chain:
    """Implements `agent.ports.Model`; the first of `members` leads. `make` gives a model that isn't in the chain, at
    the endpoint of the first. A `Failed` whose `then` names a model means: ask again at once, and that one answers."""

    def __init__(self, members: Sequence[Member], clock: Clock, make: Callable[[str], Closing]) -> None:
        self._members, self._clock, self._make = list(members), clock, make
        self._extras: dict[str, Member] = {}
        self.name = members[0].model.name

    def led_by(self, name: str) -> Model:
        """The chain with the model of this name first, whether it is one of its own or not."""
        return _Led(self, name)

    def rests(self, name: str = "") -> list[Rest]:
        """How the models stand, in the order in which the chain led by `name` asks them."""
        now = self._clock.monotonic()
        return [Rest(m.model.name, max(0.0, m.until - now), m.why, m.causes) for m in self.order(name)]

    async def reply(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncGenerator[Delta | Said | Failed, None]:
        """Yield the Deltas of one model, then its Said or Failed. Raises nothing but CancelledError."""
        async with aclosing(self.ask(self.order(""), messages, tools)) as parts:
            async for part in parts:
                yield part

    async def ask(
        self, order: Sequence[Member], messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncGenerator[Delta | Said | Failed, None]:
        """The same of the first in this order that doesn't rest; of the one that rests the shortest, if all do."""
        member = self._ready(order) or min(order, key=lambda each: each.until)
        before = member.misses
        async with aclosing(member.model.reply(messages, tools)) as parts:
            async for part in parts:
                match part:
                    case Delta():
                        yield part
                    case Said():
                        member.until, member.misses, member.why, member.causes = 0.0, 0, "", ""
                        yield part
                    case Failed():
                        yield self._after(order, member, part, before + 1)

    def order(self, name: str) -> list[Member]:
        """Whom to ask, the leader first."""
        if not name or name == self.name:
            return self._members
        leader = next((member for member in self._members if member.model.name == name), None)
        leader = leader or self._extra(name)
        return [leader, *(member for member in self._members if member is not leader)]

    async def close(self) -> None:
        """Close all connections."""
        for member in [*self._members, *self._extras.values()]:
            await member.model.close()

    def _extra(self, name: str) -> Member:
        if name not in self._extras:
            self._extras[name] = Member(self._make(name), self._members[0].endpoint)
        return self._extras[name]

    def _after(self, order: Sequence[Member], member: Member, failed: Failed, misses: int) -> Failed:
        """The failure with what the chain makes of it: another model, or how long to wait for one. Requests that were
        under way together count as one miss."""
        if failed.trouble not in (*_PASSING, Trouble.USER):
            return failed  # its policy, our bug or the length: another model is no answer to that
        member.misses = max(member.misses, misses)
        if failed.status == 200 and member.misses < EMPTY_REPLIES:
            return failed
        self._rest(order, member, failed)
        if (ready := self._ready([each for each in order if each is not member])) is not None:
            return replace(failed, then=ready.model.name, retry_after=None)
        passing = [each for each in order if each.trouble in _PASSING]
        soonest = min(passing, key=lambda each: each.until, default=member)
        if soonest is member:
            return failed
        wait = max(0.0, soonest.until - self._clock.monotonic()) if soonest.told else None
        return replace(failed, trouble=soonest.trouble, retry_after=wait)

    def _rest(self, order: Sequence[Member], member: Member, failed: Failed) -> None:
        now, told = self._clock.monotonic(), failed.retry_after
        if failed.trouble is Trouble.USER:
            seconds = PERSON_REST_S
        elif told is not None:
            seconds = told
        else:
            seconds = min(FIRST_REST_S * 2.0 ** min(member.misses - 1, 10), LONGEST_REST_S)
        shared = failed.trouble is Trouble.USER and failed.status not in _OF_THE_MODEL
        for each in order:
            if each is member or (shared and each.endpoint == member.endpoint):
                each.until, each.told, each.trouble = now + seconds, told is not None, failed.trouble
                each.why, each.causes = failed.text, failed.causes

    def _ready(self, order: Sequence[Member]) -> Member | None:
        now = self._clock.monotonic()
        return next((member for member in order if member.until <= now), None)


@dataclass(slots=True)
class _Led:
    """Implements `agent.ports.Model`: a chain, led by another one of its models."""

    chain: Chain
    name: str

    async def reply(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncGenerator[Delta | Said | Failed, None]:
        """As the chain's."""
        async with aclosing(self.chain.ask(self.chain.order(self.name), messages, tools)) as parts:
            async for part in parts:
                yield part
