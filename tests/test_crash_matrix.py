"""The process dies before or after every single append, and a new one picks up: nothing is lost, nothing runs twice."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

import pytest

from agent.edges import Edges, Place
from agent.hub import Hub
from agent.messages import History
from agent.models.scripted import call
from agent.ports import Delta, Message, Model
from agent.resume import Todo
from agent.steps import Asked, Call, End, Ended, Finished, Outcome, Said, Started, ToolSpec
from agent.store.memory import MemoryStore
from tests.fakes.clock import HandClock
from tests.fakes.edges import make_edges
from tests.fakes.fragile import FragileJournal
from tests.fakes.host import FakeHost
from tests.fakes.tools import Mark, Peek
from tests.test_messages import check_valid

PLACE = Place("/work", "/work")


class ByPosition(Model):
    """Replies by how many replies the request shows, as a real model would go on where it was."""

    name = "by position"

    def __init__(self, lines: Sequence[str | list[Call]], clock: HandClock) -> None:
        self._lines, self._clock = lines, clock

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSpec]):  # type: ignore[no-untyped-def]
        check_valid(tuple(messages))
        line = self._lines[sum(m["role"] == "assistant" for m in messages)]
        await asyncio.sleep(0)
        if isinstance(line, str):
            yield Delta(line)
            yield Said(at=self._clock.now(), text=line)
        else:
            yield Said(at=self._clock.now(), text="", calls=tuple(line))


SCRIPT: list[str | list[Call]] = [
    [call("mark", {"word": "a"}, id="c1")],
    [call("peek", {"word": "r"}, id="c2"), call("mark", {"word": "b"}, id="c3"), call("mark", {"word": 7}, id="c4")],
    [call("mark", {"word": "c"}, id="c5")],
    "done",
]


class World:
    """What outlives a process: the store and the marks that tools left."""

    def __init__(self) -> None:
        self.store, self.clock, self.mark, self.peek = MemoryStore(), HandClock(), Mark(), Peek()

    def boot(self, name: str, dies_at: int = 0, after: bool = False) -> tuple[Hub, FragileJournal]:
        journal = FragileJournal(self.store, dies_at, after)
        model = ByPosition(SCRIPT, self.clock)
        edges: Edges = make_edges(
            journal=journal, model=model, host=FakeHost(), clock=self.clock, tools=[self.mark, self.peek]
        )
        return Hub(edges, name), journal

    async def intake(self, hub: Hub) -> None:
        """The desk: the message is in the inbox and is submitted until its step is in the journal."""
        if await self.store.find_ref("t:1:7:1") is None:
            asked = Asked(at=self.clock.now(), text="go", author="t:7", ref="t:1:7:1")
            await hub.submit("s", asked, PLACE)


async def kill_all() -> None:
    """As SIGKILL would: nothing is recorded on the way out."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def live(world: World, name: str, dies_at: int, after: bool) -> FragileJournal:
    """One process from start to its death or its rest."""
    hub, journal = world.boot(name, dies_at, after)

    async def process() -> None:
        await hub.start()
        await world.intake(hub)

    running = asyncio.create_task(process())
    await world.clock.settle(400)
    await kill_all()
    with contextlib.suppress(asyncio.CancelledError):
        await running
    return journal


async def check(world: World, crashes: int) -> None:
    """The invariants: one end, one final, each write at most once, what was in flight is told, all of it valid."""
    journal = await world.store.read("s")
    steps = [step for _, step in journal]
    (ended,) = [s for s in steps if isinstance(s, Ended)]
    assert ended.end == End.ANSWERED
    assert [s.text for s in steps if isinstance(s, Said) and not s.calls] == ["done"]
    assert len(world.mark.lines) == len(set(world.mark.lines)), f"ran twice: {world.mark.lines}"
    results = {s.call_id: s for s in steps if isinstance(s, Finished)}
    assert sorted(results) == ["c1", "c2", "c3", "c4", "c5"]
    unknown = [s for s in results.values() if s.outcome == Outcome.INTERRUPTED]
    assert len(unknown) <= crashes
    for word, call_id in (("a", "c1"), ("b", "c3"), ("c", "c5")):
        assert (results[call_id].outcome == Outcome.OK) <= (word in world.mark.lines)
        assert word in world.mark.lines or results[call_id].outcome == Outcome.INTERRUPTED
    started = [s.call_id for s in steps if isinstance(s, Started) and s.call_id != "c2"]
    assert len(started) == len(set(started)), "a write was started twice"
    todo, history = Todo(), History()
    for seq, step in journal:
        todo.fold(seq, step)
        history.fold(seq, step)
    assert not todo.calls
    check_valid(history.request().messages)


async def appends_of_a_whole_run() -> int:
    world = World()
    journal = await live(world, "boot", 0, False)
    await check(world, 0)
    assert world.mark.lines == ["a", "b", "c"]
    return journal.appends


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
async def test_one_crash_at_every_append(after: bool) -> None:
    total = await appends_of_a_whole_run()
    assert total >= 14
    for at in range(1, total + 1):
        world = World()
        journal = await live(world, "first", at, after)
        assert journal.dead.is_set()
        await live(world, "second", 0, False)
        await check(world, 1)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
async def test_two_crashes_at_every_pair_of_appends(after: bool) -> None:
    total = await appends_of_a_whole_run()
    for first in range(1, total + 1, 2):
        for second in range(1, total + 1, 3):
            world = World()
            await live(world, "first", first, after)
            await live(world, "second", second, not after)
            await live(world, "third", 0, False)
            await check(world, 2)


async def test_the_checker_notices_a_write_that_ran_twice() -> None:
    world = World()
    await live(world, "boot", 0, False)
    world.mark.lines.append("a")
    with pytest.raises(AssertionError, match="ran twice"):
        await check(world, 0)
