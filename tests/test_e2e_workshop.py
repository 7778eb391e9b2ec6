"""The workshop on the real process: a tool saved and used in one run, a file changed by hand, refusals."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.fakes.lab import Lab
from tests.fakes.model import ModelRequest, Script, use

pytestmark = pytest.mark.e2e

WHO = {"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]}
GREET = {"name": "greet", "description": "Greets.", "command": 'echo "hello $ARG_who"', "parameters": WHO}
SAVE = use("save_tool", GREET)
HOSTILE = "bob $(touch injected) `touch injected`; touch injected"
ONCE: Script = [SAVE, use("greet", {"who": HOSTILE}), "DONE1"]


def tools(request: ModelRequest) -> list[str]:
    return [tool["function"]["name"] for tool in request.body.get("tools", [])]


async def test_a_tool_is_saved_offered_called_and_there_after_a_kill(lab: Lab) -> None:
    await lab.start()
    sent = await lab.ask("make a tool", ONCE, "DONE1")
    first, second, third = lab.requests(sent)
    assert tools(second) == tools(third) == [*tools(first), "greet"]
    assert f"hello {HOSTILE}" in lab.results(sent)[-1]
    assert not list(lab.work.rglob("injected"))
    await lab.bot.kill()
    await lab.start()
    again = await lab.ask("again", [use("greet", {"who": "ann"}), "DONE2"], "DONE2")
    assert "hello ann" in lab.results(again)[-1]
    assert "greet" in tools(lab.requests(again)[0])
    assert lab.faults() == []


@pytest.mark.lab(env={"JARVIS_RUN__MODE": "sandbox"})
async def test_in_the_sandbox_a_new_tool_is_asked_for_and_then_judged_by_what_it_runs(lab: Lab) -> None:
    await lab.start()
    calls = [SAVE, use("greet", {"who": "bob"}), "DONE1"]
    sent = lab.send("make a tool", calls)
    button = await lab.wait_button("once")
    question = next(text for text in reversed(lab.screen()) if "Needs your OK" in text)
    assert "installs a tool (save_tool)" in question
    assert "hello $ARG_who" in question
    lab.press(button)
    await lab.wait_text("DONE1", after=sent.after)
    assert "hello bob" in lab.results(sent)[-1], "what only reads needs no second question"
    assert sum("Needs your OK" in text for text in lab.screen()) <= 1


@pytest.mark.lab(env={"JARVIS_RUN__MODE": "sandbox"})
async def test_what_a_custom_tool_does_outside_is_asked_for(lab: Lab) -> None:
    (lab.home / "tools.json").write_text(
        json.dumps([{**GREET, "name": "get", "command": "curl -s http://127.0.0.1:9/"}])
    )
    await lab.start()
    sent = lab.send("get it", [use("get", {"who": "x"}), "DONE1"])
    button = await lab.wait_button("deny")
    question = next(text for text in reversed(lab.screen()) if "Needs your OK" in text)
    assert "curl -s http://127.0.0.1:9/" in question
    lab.press(button)
    await lab.wait_text("DONE1", after=sent.after)
    assert "a person denied it" in lab.results(sent)[-1]


async def test_what_a_custom_tool_changed_is_undone(lab: Lab) -> None:
    (lab.workspace / "a.txt").write_text("old")
    (lab.home / "tools.json").write_text(json.dumps([{**GREET, "command": 'echo "$ARG_who" > a.txt'}]))
    await lab.start()
    await lab.ask("change it", [use("greet", {"who": "new"}), "DONE1"], "DONE1")
    assert (lab.workspace / "a.txt").read_text() == "new\n"
    lab.send("/undo")
    lab.press(await lab.wait_button("undo"))
    await lab.until(lambda: (lab.workspace / "a.txt").read_text() == "old", "the file is as it was")


async def test_a_file_changed_by_hand_is_read_and_its_bad_entries_are_told_once(lab: Lab) -> None:
    await lab.start()
    await lab.ask("hello", ["DONE1"], "DONE1")
    entries: list[Any] = [{**GREET, "name": "good"}, None, {**GREET, "name": "bad", "parameters": {"type": "array"}}]
    (lab.home / "tools.json").write_text(json.dumps(entries))
    second = await lab.ask("and now", ["DONE2"], "DONE2")
    assert "good" in tools(lab.requests(second)[-1])
    assert "bad" not in tools(lab.requests(second)[-1])
    await lab.wait_text("entry 2: the entry must be an object")
    await lab.wait_text("bad: parameters must be an object schema")
    await lab.ask("and now", ["DONE3"], "DONE3")
    assert lab.copies("Set aside from tools.json") == 1
    shown = lab.send("/tools")
    call = await lab.wait_text("Not offered", after=shown.after)
    assert re.search(r"Built in: .*shell", call.shown)
    assert "good: Greets." in call.shown
    assert "bad: parameters must be an object schema" in call.shown
    assert lab.faults() == []


async def test_a_tool_that_the_provider_refuses_costs_no_second_message(lab: Lab) -> None:
    def refuse(body: dict[str, Any]) -> str:
        names = [tool["function"]["name"] for tool in body.get("tools", [])]
        return "Invalid schema for function 'list_dir': unsupported keyword" if "list_dir" in names else ""

    lab.model.reject = refuse
    await lab.start()
    sent = await lab.ask("go", ["DONE1"], "DONE1")
    refused = [request for request in lab.model.requests if request.kind == "refused"]
    assert len(refused) == 1
    assert set(tools(refused[0])) - set(tools(lab.requests(sent)[-1])) == {"list_dir"}
    await lab.wait_text("I leave out: list_dir.")
    await lab.ask("once more", ["DONE2"], "DONE2")
    await lab.bot.kill()
    await lab.start()
    await lab.ask("and after a restart", ["DONE3"], "DONE3")
    assert len([request for request in lab.model.requests if request.kind == "refused"]) == 1
    assert lab.copies("I leave out") == 1


@pytest.mark.parametrize("words", ["One of the tools is invalid", "Provider returned error"])
async def test_a_refusal_that_names_nothing_finds_its_tool(lab: Lab, words: str) -> None:
    def refuse(body: dict[str, Any]) -> str:
        return words if any(tool["function"]["name"] == "plan" for tool in body.get("tools", [])) else ""

    lab.model.reject = refuse
    await lab.start()
    sent = await lab.ask("go", ["DONE1"], "DONE1")
    assert "plan" not in tools(lab.requests(sent)[-1])
    assert "shell" in tools(lab.requests(sent)[-1])
    await lab.wait_text("I leave out: plan.")


async def test_a_provider_that_takes_no_tool_at_all_is_talked_to_without(lab: Lab) -> None:
    lab.model.reject = lambda body: "One of the tools is invalid" if body.get("tools") else ""
    await lab.start()
    await lab.ask("go", ["DONE1"], "DONE1", timeout=20)
    await lab.wait_text("so I go on without tools")
    await lab.ask("go on", ["DONE2"], "DONE2")
