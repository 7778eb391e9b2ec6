"""Tools that come while a run goes on: offered in its next request, last, and the same after a restart."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from agent.edges import Place
from agent.hub import Hub
from agent.messages import History
from agent.models.request import body_of
from agent.models.scripted import Line, ScriptedModel, call
from agent.ports import Message, Nudge
from agent.registry import News
from agent.steps import (
    Asked,
    Ended,
    Finished,
    Level,
    Nudged,
    Offered,
    Opened,
    Outcome,
    Proposed,
    Step,
    ToolSpec,
)
from agent.store.memory import MemoryStore
from agent.tool import spec
from agent.tools import delete_tool, get_tool, list_tools, save_tool
from agent.tools._custom import CustomTool
from agent.workshop import ToolWorkshop
from tests.fakes.clock import HandClock
from tests.fakes.edges import make_edges, opening
from tests.fakes.host import FakeHost, ran
from tests.fakes.registry import FakeRegistry, custom

PLACE = Place("/work", "/work")
TOOLS = [delete_tool.tool, get_tool.tool, list_tools.tool, save_tool.tool]
SPECS = tuple(map(spec, TOOLS))
SAVE = call(
    "save_tool",
    {"name": "greet", "description": "Greets.", "command": 'echo "hello $ARG_who"',
     "parameters": {"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]}},
)  # fmt: skip
GREET = call("greet", {"who": "bob"})


@dataclass
class Bench:
    hub: Hub
    store: MemoryStore
    model: ScriptedModel
    clock: HandClock
    host: FakeHost
    registries: list[Any] = field(default_factory=list)
    asks: int = 0

    async def say(self, text: str = "go", tries: int = 2000) -> None:
        self.asks += 1
        asked = Asked(at=self.clock.now(), text=text, author="t:7", ref=f"t:1:7:{self.asks}")
        await self.hub.submit("s", asked, PLACE)
        for _ in range(tries):  # the workshop reads its file in a thread
            await self.clock.settle()
            await asyncio.sleep(0.005)
            if (todo := self.hub.todo("s")) and not todo.running:
                return
        raise AssertionError("the run did not end")

    async def steps(self, kind: type[Any]) -> list[Any]:
        return [step for _, step in await self.store.read("s") if isinstance(step, kind)]

    def offered(self, request: int = -1) -> list[str]:
        return [tool.name for tool in self.model.requests[request][1]]

    def bodies(self) -> list[bytes]:
        return [body_of("m", messages, tools, usage=False) for messages, tools in self.model.requests]


def make_bench(lines: Sequence[Line], home: Path, store: MemoryStore | None = None, **parts: Any) -> Bench:
    clock, host, store = HandClock(), FakeHost(ran(stdout="hello bob\n")), store or MemoryStore()
    model, shop = ScriptedModel(lines, clock), ToolWorkshop(home, CustomTool, [tool.name for tool in TOOLS])
    registries = parts.pop("registries", [shop])

    def open_leg(session: str, place: Place, at: float, model: str = "", context: int = 0) -> Opened:
        more = [spec(tool) for registry in registries for tool in registry.tools()]
        return replace(opening(session, place, at), tools=(*SPECS, *more), mode="full")

    given = {
        "journal": store, "model": model, "host": host, "clock": clock, "tools": TOOLS, "registries": registries,
        "workshop": shop, "opening": open_leg,
    }  # fmt: skip
    return Bench(Hub(make_edges(**{**given, **parts}), "boot"), store, model, clock, host, registries)


@pytest.fixture(autouse=True)
async def no_task_is_left() -> AsyncIterator[None]:
    yield
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


async def test_a_saved_tool_is_offered_last_in_the_next_request_and_runs(tmp_path: Path) -> None:
    bench = make_bench([[SAVE], [GREET], "done"], tmp_path)
    await bench.say()
    assert bench.offered(0) == [tool.name for tool in TOOLS]
    assert bench.offered(1) == bench.offered(2) == [*bench.offered(0), "greet"]
    saved, greeted = await bench.steps(Finished)
    assert saved.text.startswith("Saved. From your next reply on you can call greet(who: string).")
    assert (greeted.outcome, greeted.tool) == (Outcome.OK, "greet")
    assert "hello bob" in greeted.text
    (command,) = bench.host.commands
    assert dict(command.variables) == {"ARGS_JSON": '{"who": "bob"}', "ARG_who": "bob"}
    assert "bob" not in command.text
    assert (await bench.steps(Proposed))[1].command.startswith("# greet\nARG_who=bob\n")


async def test_the_bytes_before_a_new_tool_stay(tmp_path: Path) -> None:
    bench = make_bench([[SAVE], [GREET], "done"], tmp_path)
    await bench.say()
    tools = [body.partition(b'"tools":[')[2].partition(b'],"messages":')[0] for body in bench.bodies()]
    assert tools[1].startswith(tools[0])
    assert tools[2] == tools[1]


async def test_a_tool_can_be_called_in_the_reply_that_saves_it(tmp_path: Path) -> None:
    bench = make_bench([[SAVE, GREET], "done"], tmp_path)
    await bench.say()
    assert [step.outcome for step in await bench.steps(Finished)] == [Outcome.OK, Outcome.OK]


async def test_the_journal_alone_gives_the_same_requests(tmp_path: Path) -> None:
    bench = make_bench([[SAVE], [GREET], "done", "more"], tmp_path)
    await bench.say()
    history, bodies = History(), []
    for seq, step in await bench.store.read("s"):
        if type(step).__name__ == "Said":
            bodies.append((history.request().messages, history.request().tools))
        history.fold(seq, step)
    assert [(list(messages), tools) for messages, tools in bodies] == bench.model.requests


async def test_a_restart_offers_the_same(tmp_path: Path) -> None:
    first = make_bench([[SAVE], "done"], tmp_path)
    await first.say()
    second = make_bench([[GREET], "done"], tmp_path, first.store)
    second.asks = 1
    await second.hub.edges.registries[0].refresh()
    await second.say()
    assert second.offered(0) == first.offered(1)
    assert len(await second.steps(Opened)) == 2, "the leg that opens next has the tool from its start"
    assert len(await second.steps(Offered)) == 1


async def test_a_changed_definition_takes_the_old_place(tmp_path: Path) -> None:
    again = call("save_tool", {"name": "greet", "description": "New.", "command": "true", "parameters": {}})
    other = call("save_tool", {"name": "other", "description": "Other.", "command": "true", "parameters": {}})
    bench = make_bench([[SAVE], [other], [again], "done"], tmp_path)
    await bench.say()
    assert bench.offered() == [*(tool.name for tool in TOOLS), "greet", "other"]
    assert bench.model.requests[-1][1][-2].description == "New."


async def test_a_deleted_tool_stays_in_the_list_and_no_longer_runs(tmp_path: Path) -> None:
    bench = make_bench([[SAVE], [call("delete_tool", {"name": "greet"})], [GREET], "done"], tmp_path)
    await bench.say()
    assert bench.offered() == bench.offered(1)
    assert "There is no tool" in (await bench.steps(Finished))[-1].text
    assert bench.host.commands == []


async def test_a_file_changed_by_hand_is_offered_in_the_same_run(tmp_path: Path) -> None:
    entry = {"name": "byhand", "description": "d", "command": "true", "parameters": {}}

    def edit(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Line:
        (tmp_path / "tools.json").write_text(json.dumps([entry, None]))
        return [call("list_tools", {})]

    bench = make_bench([edit, "done"], tmp_path)
    await bench.say()
    assert bench.offered() == [*(tool.name for tool in TOOLS), "byhand"]
    (notice,) = await bench.steps(Nudged)
    assert (notice.event, notice.guard) == ("tool.quarantined", "workshop")
    assert "entry 2: the entry must be an object" in notice.text
    await bench.say()
    assert len(await bench.steps(Nudged)) == 1, "told once"


async def test_news_are_told_once_in_one_chat(tmp_path: Path) -> None:
    registry = FakeRegistry(untold=[News("k", "A server is away.", "tool.rejected")])
    bench = make_bench(["one", "two"], tmp_path, registries=[registry])
    await bench.say()
    await bench.say()
    assert [step.text for step in await bench.steps(Nudged)] == ["A server is away."]
    assert [news.key for news in registry.was_told] == ["k"]


async def test_any_registry_can_bring_tools(tmp_path: Path) -> None:
    registry = FakeRegistry(coming=[custom("x"), custom("y")])
    bench = make_bench(["one"], tmp_path, registries=[registry])
    await bench.say()
    assert bench.offered() == [*(tool.name for tool in TOOLS), "x", "y"]
    assert registry.looks == 1


async def test_a_built_in_tool_cannot_be_replaced(tmp_path: Path) -> None:
    bench = make_bench([[call("list_tools", {})], "done"], tmp_path, registries=[FakeRegistry()])
    bench.registries[0].held = [custom("list_tools_2")]
    bench.registries[0].held[0].name = "list_tools"
    await bench.say()
    assert "There are no custom tools" in (await bench.steps(Finished))[0].text


@pytest.mark.parametrize(
    ("change", "outcome", "words"),
    [
        ({"parameters": None}, Outcome.FAILED, "parameters must be an object schema"),
        ({"parameters": '{"type": "object"}'}, Outcome.OK, "came as a JSON string and was parsed"),
        ({"name": "shell"}, Outcome.FAILED, "name: 'shell' is reserved"),
        ({"command": None}, Outcome.FAILED, "command or script: neither is given"),
        ({"script": "x"}, Outcome.FAILED, "command or script: both are given"),
        ({"surplus": 1}, Outcome.BAD_ARGUMENTS, '"surplus": no such field'),
    ],
)
async def test_what_save_tool_answers(tmp_path: Path, change: dict[str, Any], outcome: Outcome, words: str) -> None:
    arguments = json.loads(SAVE.arguments) | change
    bench = make_bench([[call("save_tool", arguments)], "done"], tmp_path)
    await bench.say()
    (finished,) = await bench.steps(Finished)
    assert finished.outcome is outcome
    assert words in finished.text
    assert (tmp_path / "tools.json").exists() == (outcome is Outcome.OK)


async def test_what_the_other_tools_answer(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text('[{"name": "bad"}]')
    calls = [
        call("list_tools", {}),
        *(call("get_tool", {"name": name}) for name in ("greet", "bad", "gret")),
        *(call("delete_tool", {"name": name}) for name in ("gret", "greet")),
        call("list_tools", {}),
        call("delete_tool", {"name": "bad"}),
        call("list_tools", {}),
    ]
    bench = make_bench([[SAVE], calls, "done"], tmp_path)
    await bench.say()
    texts = [step.text for step in await bench.steps(Finished)][1:]
    assert texts[0].startswith("greet(who: string): Greets.\nset aside: bad: description: must be a text")
    assert json.loads(texts[1])["command"] == 'echo "hello $ARG_who"'
    assert texts[2].startswith("bad is set aside and not offered: description:")
    assert texts[3] == "There is no custom tool 'gret'. Did you mean greet? list_tools shows them."
    assert texts[4] == "Not deleted: 'gret': there is no custom tool of that name. list_tools shows them."
    assert texts[5] == "Deleted greet. Calls of it are no longer run."
    assert texts[6].startswith("set aside: bad")
    assert texts[7:] == [
        "Deleted bad. Calls of it are no longer run.",
        "There are no custom tools. save_tool makes one.",
    ]


@dataclass(slots=True)
class Asks:
    """A guard that asks for each call of a custom tool."""

    name: str = "asks"
    strict: bool = False

    def observe(self, step: Step) -> Nudge | None:
        asked = isinstance(step, Proposed) and step.command
        return Nudge(Level.ASK, "may it?", data='{"tier": 2}') if asked else None


async def test_what_was_approved_is_what_runs_or_it_is_asked_for_again(tmp_path: Path) -> None:
    registry = FakeRegistry(held=[custom("x", command="echo one")])
    bench = make_bench([[call("x", {})], "done"], tmp_path, registries=[registry], guards=[Asks()])
    with pytest.raises(AssertionError, match="the run did not end"):
        await bench.say(tries=20)
    (first,) = await bench.steps(Proposed)
    registry.held = [custom("x", command="echo two")]
    await bench.hub.decide("s", first.call.id, "allow", "t:7")
    await bench.clock.settle(200)
    assert bench.host.commands == [], "another command was approved"
    assert [step.command.splitlines()[2] for step in await bench.steps(Proposed)] == ["echo one", "echo two"]
    await bench.hub.decide("s", first.call.id, "allow", "t:7")
    await bench.clock.settle(200)
    assert [command.text.endswith("echo two") for command in bench.host.commands] == [True]


async def test_without_a_workshop_the_tools_say_so(tmp_path: Path) -> None:
    calls = [SAVE, *(call(name, {"name": "x"}) for name in ("delete_tool", "get_tool")), call("list_tools", {})]
    bench = make_bench([calls, "done"], tmp_path, registries=[], workshop=None)
    await bench.say()
    assert {step.text for step in await bench.steps(Finished)} == {save_tool.NOWHERE}
    assert len(await bench.steps(Ended)) == 1
