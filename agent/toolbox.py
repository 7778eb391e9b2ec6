"""The tools of a session's requests: a fold of what was offered when a leg opened, what came since, and what its
provider refuses. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from agent.steps import Offered, Opened, Step, ToolSpec

MOST = 128  # tools in a request; OpenAI's limit


@dataclass(slots=True)
class Toolbox:
    """What was sent once keeps its place, so that the bytes before a new tool stay. A refusal is remembered over the
    legs of a session, for that very definition and that model."""

    _tools: list[ToolSpec] = field(default_factory=list)
    _refused: set[ToolSpec] = field(default_factory=set)
    _model: str = ""

    def fold(self, step: Step) -> None:
        match step:
            case Opened():
                if step.model != self._model:
                    self._refused.clear()
                self._tools, self._model = list(step.tools), step.model
            case Offered():
                self._offered(step)
            case _:
                pass

    @property
    def sent(self) -> tuple[ToolSpec, ...]:
        """The tool list of the next request."""
        return tuple(tool for tool in self._tools if tool not in self._refused)

    def missing(self, tools: Iterable[ToolSpec]) -> tuple[ToolSpec, ...]:
        """Those of `tools` that this leg doesn't offer, or not so, as far as there is room."""
        known = {tool.name for tool in self._tools}
        other = [tool for tool in tools if tool not in self._tools and tool not in self._refused]
        new = [tool for tool in other if tool.name not in known][: max(0, MOST - len(self._tools))]
        return tuple(tool for tool in other if tool.name in known or tool in new)

    def _offered(self, step: Offered) -> None:
        self._refused |= {tool for tool in self._tools if tool.name in step.dropped}
        for tool in step.added:
            place = next((at for at, old in enumerate(self._tools) if old.name == tool.name), None)
            if place is None:
                self._tools.append(tool)
            else:
                self._tools[place] = tool
