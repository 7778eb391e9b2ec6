"""A provider refuses tools: however it says so, the chat goes on with all the others, and says what is missing."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from agent import dropping
from agent.edges import Place
from agent.hub import Hub
from agent.messages import History
from agent.recipe import judged
from agent.steps import Asked, Call, End, Ended, Failed, Nudged, Offered, Opened, Said, ToolSpec, Trouble
from agent.store.memory import MemoryStore
from agent.toolschema import Unfit, sendable
from agent.workshop.shelf import shelved
from tests.fakes.clock import HandClock
from tests.fakes.edges import make_edges, opening
from tests.fakes.host import FakeHost
from tests.fakes.refusing import MANNERS, Refusing, strict
from tests.fakes.tools import Mark

PLACE = Place("/work", "/work")
NAMES = [f"t{n:02}" for n in range(12)]


def tools(names: list[str]) -> tuple[ToolSpec, ...]:
    return tuple(ToolSpec(name, "d", '{"type":"object","properties":{}}') for name in names)


@dataclass
class Bench:
    hub: Hub
    store: MemoryStore
    model: Any
    clock: HandClock
    asks: int = 0

    async def say(self, session: str = "s") -> End | None:
        """How the run ended; None if it hasn't."""
        self.asks += 1
        asked = Asked(at=self.clock.now(), text="go", author="t:7", ref=f"t:1:{session}:{self.asks}")
        await self.hub.submit(session, asked, PLACE)
        for _ in range(20):
            await self.clock.settle(10)
            if (todo := self.hub.todo(session)) and not todo.running:
                return (await self.steps(Ended, session))[-1].end  # type: ignore[no-any-return]
            await self.clock.advance(30)
        return None

    async def steps(self, kind: type[Any], session: str = "s") -> list[Any]:
        return [step for _, step in await self.store.read(session) if isinstance(step, kind)]

    async def sent(self, session: str = "s") -> list[str]:
        history = History()
        for seq, step in await self.store.read(session):
            history.fold(seq, step)
        return [tool.name for tool in history.toolbox.sent]

    async def told(self, session: str = "s") -> str:
        return "\n".join(step.text for step in await self.steps(Nudged, session))


def make_bench(model: Any, specs: tuple[ToolSpec, ...] = tools(NAMES), store: MemoryStore | None = None) -> Bench:
    clock, store = HandClock(), store or MemoryStore()

    def open_leg(session: str, place: Place, at: float, model: str = "", context: int = 0) -> Opened:
        return replace(opening(session, place, at), tools=specs, mode="full")

    edges = make_edges(
        journal=store, model=model, host=FakeHost(), clock=clock, tools=[Mark()], opening=open_leg
    )  # fmt: skip
    return Bench(Hub(edges, "boot"), store, model, clock)


@pytest.fixture(autouse=True)
async def no_task_is_left() -> AsyncIterator[None]:
    yield
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


# -- one way of saying it -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("bad", [[], ["t00"], ["t11"], ["t05"], ["t01", "t02", "t10"], NAMES[:6], NAMES[1:], NAMES])
async def test_the_bad_are_left_out_the_others_stay_and_the_chat_answers(manner: str, bad: list[str]) -> None:
    bench = make_bench(Refusing(bad=set(bad), manner=lambda: manner))
    assert await bench.say() is End.ANSWERED
    good = [name for name in NAMES if name not in bad]
    assert await bench.sent() == good
    assert [tool.name for tool in bench.model.real[-1][0]] == good
    offered = await bench.steps(Offered)
    assert sorted(name for step in offered for name in step.dropped) == sorted(bad)
    assert len(offered) == (1 if bad else 0), "one search, one step, one notice"
    told = await bench.told()
    assert all(name in told for name in bad)
    assert ("so I go on without tools" in told) == (bad == NAMES)
    before = len(bench.model.requests)
    assert await bench.say() is End.ANSWERED
    assert len(bench.model.requests) == before + 1, "a bad tool never costs a second message anything"


@pytest.mark.parametrize(("manner", "most"), [("name", 3), ("param", 5), ("place", 5), ("nothing", 12), ("empty", 12)])
async def test_how_many_requests_one_bad_tool_costs(manner: str, most: int) -> None:
    bench = make_bench(Refusing(bad={"t07"}, manner=lambda: manner))
    await bench.say()
    assert len(bench.model.requests) <= most


async def test_a_refusal_in_the_middle_of_a_run_loses_nothing() -> None:
    call = Said(at=0.0, text="", calls=(Call("c1", "mark", '{"word": "one"}'),), finish="tool_calls")
    model = Refusing(lines=[call], bad_later={"t03"})
    bench = make_bench(model)
    assert await bench.say() is End.ANSWERED
    assert [step.text for step in await bench.steps(Said)] == ["", "done"]
    assert await bench.sent() == [name for name in NAMES if name != "t03"]


async def test_the_journal_alone_gives_the_same_request_after_a_restart() -> None:
    first = make_bench(Refusing(bad={"t03", "t04"}))
    await first.say()
    second = make_bench(Refusing(bad={"t03", "t04"}), store=first.store)
    second.asks = 1
    assert await second.say() is End.ANSWERED
    assert second.model.refused == []
    assert [tool.name for tool in second.model.real[0][0]] == [name for name in NAMES if name not in ("t03", "t04")]


async def test_a_crash_between_the_refusal_and_the_search_changes_nothing() -> None:
    first = make_bench(Refusing(bad={"t03"}))
    await first.say()
    rows = await first.store.read("s")
    cut = next(at for at, (_, step) in enumerate(rows) if isinstance(step, Failed)) + 1
    store = MemoryStore()
    await store.append("s", 1, "b", *[step for _, step in rows[:cut]])
    second = make_bench(Refusing(bad={"t03"}), store=store)
    await second.hub.start()
    await second.clock.settle(200)
    assert (await second.steps(Ended))[-1].end is End.ANSWERED
    assert "t03" not in await second.sent()


# -- what is not the tools' fault -----------------------------------------------------------------------------------
class Scripted:
    """A model port that answers by a function of the request and its number."""

    name = "m"

    def __init__(self, answer: Callable[[int, list[Any], list[Any]], Trouble | None]) -> None:
        self._answer, self.requests = answer, 0

    async def reply(self, messages: Any, specs: Any) -> AsyncIterator[Any]:
        self.requests += 1
        trouble = self._answer(self.requests, messages, specs)
        if trouble is None:
            yield Said(at=0.0, text="done")
        else:
            yield Failed(at=0.0, trouble=trouble, text=f"No ({trouble.value}).", status=400)


def talk(messages: list[Any]) -> bool:
    return len(messages) > 1


async def test_a_passing_refusal_costs_one_more_try() -> None:
    bench = make_bench(Scripted(lambda n, messages, specs: Trouble.TOOLS if n == 1 else None))
    assert await bench.say() is End.ANSWERED
    assert await bench.sent() == NAMES
    assert await bench.told() == ""


async def test_a_conversation_that_is_refused_with_any_tools_ends_in_words_and_keeps_them() -> None:
    model = Scripted(lambda n, messages, specs: Trouble.TOOLS if talk(messages) else None)
    bench = make_bench(model)
    assert await bench.say() is End.FAILED
    assert await bench.sent() == NAMES
    assert (await bench.steps(Ended))[-1].reason == "No (tools)."
    assert model.requests < 10


async def test_a_conversation_that_is_refused_only_with_tools_goes_on_without() -> None:
    model = Scripted(lambda n, messages, specs: Trouble.TOOLS if talk(messages) and specs else None)
    bench = make_bench(model)
    assert await bench.say() is End.ANSWERED
    assert await bench.sent() == []
    assert "so I go on without tools: I can only talk." in await bench.told()


async def test_a_server_that_refuses_everything_keeps_its_tools() -> None:
    bench = make_bench(Scripted(lambda n, messages, specs: Trouble.TOOLS))
    assert await bench.say() is End.FAILED
    assert await bench.sent() == NAMES


async def test_a_server_that_goes_away_during_the_search_is_waited_for() -> None:
    def answer(n: int, messages: list[Any], specs: list[Any]) -> Trouble | None:
        if 2 <= n <= 3:
            return Trouble.RETRY
        return Trouble.TOOLS if any(spec.name == "t04" for spec in specs) else None

    bench = make_bench(Scripted(answer))
    assert await bench.say() is End.ANSWERED
    assert await bench.sent() == [name for name in NAMES if name != "t04"]


async def test_a_search_that_takes_too_long_leaves_out_what_it_could_not_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dropping, "SEARCH_S", 0.05)

    class Slow(Scripted):
        async def reply(self, messages: Any, specs: Any) -> AsyncIterator[Any]:
            if not talk(messages) and self.requests > 3:
                await asyncio.sleep(60)
            async for part in super().reply(messages, specs):
                yield part

    bench = make_bench(Slow(lambda n, messages, specs: Trouble.TOOLS if any(s.name == "t04" for s in specs) else None))
    assert await bench.say() is None  # the clock of the test doesn't move the search's deadline
    await asyncio.sleep(0.2)
    await bench.clock.settle(100)
    assert (await bench.steps(Ended))[-1].end is End.ANSWERED
    assert "t04" not in await bench.sent()


# -- a thousand registries ------------------------------------------------------------------------------------------
PIECES: list[Any] = [
    {"type": "string"}, {"type": "integer", "minimum": 1}, {"type": "array", "items": {"type": "string"}},
    {"type": ["string", "null"]}, {"enum": ["a", "b"]}, {"const": 1}, {"anyOf": [{"type": "string"}, {"type": "null"}]},
    {"type": "object", "properties": {"y": {"type": "boolean"}}, "required": ["y"]}, {"$ref": "#/$defs/p"},
    {"type": "string", "pattern": "(a+)+$", "format": "date"}, {"type": "number", "multipleOf": 0.5},
    {"type": "array"}, {"type": "text"}, {}, None, 7, [], {"properties": []}, {"type": "object", "properties": ["x"]},
    {"type": "object", "required": ["z"]}, {"enum": []}, {"type": "number", "minimum": "x"}, {"$ref": "#/nowhere"},
    {"type": "string", "description": 3}, {"oneOf": []}, {"type": "array", "items": [{"type": "string"}]},
]  # fmt: skip
WHOLES: list[Any] = [{}, None, [], 7, "no json", '{"type": "object"}', {"type": "array"}, {"properties": {}}]
ENTRIES: list[Any] = [None, 3, "x", [], {}, {"name": "lonely"}, {"function": 1}]


def some_schema(chance: random.Random) -> Any:
    if chance.random() < 0.2:
        return chance.choice(WHOLES)
    piece = chance.choice(PIECES)
    schema: dict[str, Any] = {"type": "object", "properties": {"x": piece}, "$defs": {"p": {"type": "string"}}}
    if chance.random() < 0.3:
        schema["required"] = chance.choice([["x"], ["y"], "x", []])
    return json.dumps(schema) if chance.random() < 0.1 else schema


def some_entry(chance: random.Random, place: int) -> Any:
    if chance.random() < 0.1:
        return chance.choice(ENTRIES)
    name = chance.choice(["a b", "", "shell", "x" * 65, None]) if chance.random() < 0.1 else f"custom_{place}"
    return {"name": name, "description": chance.choice(["d", "d" * 1025, ""]) if chance.random() < 0.1 else "d",
            "parameters": some_schema(chance), "command": "true"}  # fmt: skip


def fit(entry: Any) -> bool:
    try:
        judged(entry, frozenset({"shell"}))
    except Unfit:
        return False
    return True


@pytest.mark.parametrize("seed", range(10))
async def test_no_registry_of_a_hundred_kills_a_chat(seed: int) -> None:
    """Each entry is judged by us; what we take, a strict provider takes as it is; and of that, this one refuses some at
    random, in words at random. Every good tool is kept, every bad one named, and every chat answers."""
    for number in range(100):
        chance = random.Random(seed * 1000 + number)
        entries = [some_entry(chance, place) for place in range(chance.randint(0, 9))]
        shelf = shelved(entries, frozenset({"shell"}))
        assert len(shelf.recipes) + len(shelf.bad) == len(entries)
        assert {recipe.name for recipe in shelf.recipes} == {e["name"] for e in entries if fit(e)}
        specs = tools(NAMES[:3]) + tuple(ToolSpec(r.name, r.description, sendable(r.parameters)) for r in shelf.recipes)
        wire = [{"type": "function", "function": {"name": s.name, "description": s.description,
                 "parameters": json.loads(s.parameters)}} for s in specs]  # fmt: skip
        strict(wire)
        bad = {spec.name for spec in specs if chance.random() < 0.25}
        bench = make_bench(Refusing(bad=bad, manner=lambda chance=chance: chance.choice(list(MANNERS))), specs)
        assert await bench.say() is End.ANSWERED, (seed, number)
        assert await bench.sent() == [spec.name for spec in specs if spec.name not in bad], (seed, number)
        told = await bench.told()
        assert all(name in told for name in bad), (seed, number)
        assert all(each.reason and each.name for each in shelf.bad)


UNSURE = [manner for manner in MANNERS if manner != "name"]


@pytest.mark.parametrize("moody", [0.1, 0.3, 0.5])
async def test_a_provider_that_refuses_at_random_kills_no_chat(moody: float) -> None:
    """Whatever it refuses, it may refuse a good request: then a tool may be lost, but never the chat."""
    for seed in range(40):
        chance = random.Random(seed)
        model = Refusing(bad={"t04"}, moody=moody, chance=chance, manner=lambda chance=chance: chance.choice(UNSURE))
        bench = make_bench(model)
        ends = [await bench.say() for _ in range(3)]
        model.moody = 0.0
        assert await bench.say() is End.ANSWERED, (seed, ends)
        assert all(ends), "each ends, in words at least"
