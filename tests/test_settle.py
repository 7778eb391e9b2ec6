"""Which steps share an append while a call is settled, and what keeps one from being started."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from agent.edges import Edges, Place
from agent.models.scripted import ScriptedModel
from agent.ports import Guard, Look, Nudge
from agent.session import Session
from agent.settle import settle
from agent.steps import Asked, Call, Commanded, Level, Parked, Proposed, Said, Step
from agent.store.memory import MemoryStore
from tests.fakes.clock import HandClock
from tests.fakes.edges import make_edges, opening
from tests.fakes.host import FakeHost
from tests.fakes.tools import Mark

PLACE = Place("/work", "/work")
ASKED = Asked(at=0.0, text="go", author="t:7", ref="t:1:7:1")
SAID = Said(at=0.0, text="", calls=(Call("c1", "mark", '{"word": "one"}'),), finish="tool_calls", model="m")


@dataclass
class CountingStore(MemoryStore):
    """Keeps the kinds of steps of each append."""

    batches: list[list[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    async def append(self, session: str, seq: int, batch: str, *steps: Step) -> None:
        self.batches.append([type(step).__name__ for step in steps])
        await super().append(session, seq, batch, *steps)


@dataclass
class Speaks:
    """Says `answer` to each proposal."""

    answer: Nudge | Look
    name: str = "speaks"
    strict: bool = False

    def observe(self, step: Step) -> Nudge | Look | None:
        return self.answer if isinstance(step, Proposed) else None


def edges(store: MemoryStore, mark: Mark, guards: list[Guard]) -> Edges:
    clock = HandClock()
    return make_edges(
        journal=store, model=ScriptedModel([], clock), host=FakeHost(), clock=clock, tools=[mark], guards=guards
    )


async def at_the_call(store: MemoryStore, mark: Mark, guards: list[Guard]) -> Session:
    """A run whose newest reply makes one call, which has not been proposed."""
    session = Session("s", edges(store, mark, guards), "boot", [])
    await session.record(opening("s", PLACE, 0.0), ASKED, SAID)
    return session


@pytest.mark.parametrize(
    ("guards", "batches", "marks"),
    [
        ([], [["Proposed", "Started"], ["Finished"]], ["one"]),
        ([Speaks(Nudge(Level.NOTE, "mind the step"))], [["Proposed", "Nudged"]], []),
        ([Speaks(Nudge(Level.HOLD, "not so"))], [["Proposed", "Nudged"]], []),
        ([Speaks(Nudge(Level.ASK, "may it?"))], [["Proposed", "Nudged"]], []),
        ([Speaks(Nudge(Level.STOP, "enough"))], [["Proposed", "Nudged"]], []),
        ([Speaks(Look("world", "{}"))], [["Proposed", "Looking"]], []),
    ],
)
async def test_only_a_call_of_which_no_guard_speaks_starts_in_the_append_that_proposes_it(
    guards: list[Guard], batches: list[list[str]], marks: list[str]
) -> None:
    store, mark = CountingStore(), Mark()
    session = await at_the_call(store, mark, guards)
    store.batches.clear()
    await settle(session, session.todo.calls["c1"])
    assert (store.batches, mark.lines) == (batches, marks)


@pytest.mark.parametrize(
    "meanwhile", [Commanded(at=0.0, command="pause", by="t:7"), Parked(at=0.0, until=None, why="later", causes="[]")]
)
async def test_what_was_said_since_the_choice_keeps_the_call_from_being_started(meanwhile: Step) -> None:
    store, mark = CountingStore(), Mark()
    session = await at_the_call(store, mark, [])
    item = session.todo.calls["c1"]
    await session.record(meanwhile)
    store.batches.clear()
    await settle(session, item)
    assert (store.batches, mark.lines) == ([["Proposed"]], [])
