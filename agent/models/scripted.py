"""A model that replies from a list: for unit tests, and for the demo, which runs without an account."""

from __future__ import annotations

import copy
import json
import uuid
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Union

from agent.ports import Clock, Delta, Message
from agent.steps import Call, Failed, Said, ToolSpec, Trouble, Usage

Policy = Callable[[Sequence[Message], Sequence[ToolSpec]], "Line"]
Line = Union[str, Sequence[Call], Said, Failed, "Slow", Policy]
"""One reply of a script: a text, calls, a whole fact, one of them after a delay, or what a function makes of the
request."""

PIECE = 24  # characters of a delta


@dataclass(frozen=True, slots=True)
class Slow:
    """A line that takes its time. `seconds` pass on the model's clock before the first delta."""

    seconds: float
    line: Line


def call(name: str, arguments: Mapping[str, object], id: str = "") -> Call:
    """A call for a script; without an id it gets a new one each time it is spoken."""
    return Call(id, name, json.dumps(arguments, ensure_ascii=False))


class ScriptedModel:
    """Implements `agent.ports.Model`. The n-th reply is the n-th line, whatever the request says; a new instance begins
    anew. Beyond the last line it fails with Trouble.BUG. `requests` keeps a copy of what was asked.

    What a function of the script raises flies: it is a mistake of the test.
    """

    def __init__(self, lines: Sequence[Line], clock: Clock, name: str = "scripted") -> None:
        self.name = name
        self.requests: list[tuple[list[Message], tuple[ToolSpec, ...]]] = []
        self._lines = tuple(lines)
        self._clock = clock

    async def reply(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> AsyncGenerator[Delta | Said | Failed, None]:
        """Yield the text of the next line as Deltas, then its Said or Failed."""
        started = self._clock.monotonic()
        spoken = len(self.requests)
        self.requests.append((copy.deepcopy(list(messages)), tuple(tools)))
        line: Line = self._lines[spoken] if spoken < len(self._lines) else self._exhausted()
        while isinstance(line, Slow) or callable(line):
            if isinstance(line, Slow):
                await self._clock.sleep(line.seconds)
                line = line.line
            else:
                line = line(messages, tools)
        fact = self._fact(line)
        if isinstance(fact, Said):
            for at in range(0, len(fact.text), PIECE):
                yield Delta(fact.text[at : at + PIECE])
        yield replace(fact, duration=fact.duration or self._clock.monotonic() - started)

    def _fact(self, line: str | Sequence[Call] | Said | Failed) -> Said | Failed:
        now = self._clock.now()
        match line:
            case Said() | Failed():
                return replace(line, at=now, model=line.model or self.name)
            case str():
                usage = Usage(completion=len(line.encode()) // 4, estimated=True)
                return Said(at=now, text=line, model=self.name, usage=usage)
        calls = tuple(each if each.id else replace(each, id=f"call_{uuid.uuid4().hex[:24]}") for each in line)
        return Said(at=now, text="", calls=calls, finish="tool_calls", model=self.name)

    def _exhausted(self) -> Failed:
        text = f"The script of the model {self.name} has no line left. Give it one more."
        return Failed(at=0.0, trouble=Trouble.BUG, text=text)
